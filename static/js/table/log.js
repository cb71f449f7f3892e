/** What happened, in sentences. The list is a live region: new lines are read out. */

import { sign } from "./render.js";

const LONGEST = 200;

/** @param {Element} list - inside the box that scrolls and is read out */
export function makeLog(list) {
  const box = list.parentElement;
  let newest = -1;
  /** Whether the reader is at the end and wants to stay there. */
  let follows = true;
  box.addEventListener("scroll", () => {
    follows = box.scrollHeight - box.scrollTop - box.clientHeight < 30;
  });

  const codesOf = (data) => {
    const found = new Set();
    const look = (value) => {
      if (typeof value === "string" && /^(?:[A2-9TJQK][CDHS]|[RB]J)$/.test(value)) found.add(value);
      else if (Array.isArray(value)) value.forEach(look);
      else if (value && typeof value === "object") Object.values(value).forEach(look);
    };
    look(data);
    return found;
  };

  /** A line, with the codes of its cards drawn as people write them. */
  function lineOf(version, { text, data, kind }) {
    const line = document.createElement("li");
    line.dataset.v = String(version);
    line.dataset.kind = kind;
    const codes = codesOf(data);
    for (const word of text.split(/(\b[A-Z0-9]{2}\b)/)) line.append(codes.has(word) ? sign(word) : word);
    return line;
  }

  const toEnd = () => {
    box.scrollTop = box.scrollHeight;
  };

  new ResizeObserver(() => follows && toEnd()).observe(box);

  return {
    /** Add the sentences of one version. */
    add(version, events) {
      newest = Math.max(newest, version);
      for (const event of events) if (event.text) list.append(lineOf(version, event));
      while (list.children.length > LONGEST) list.firstElementChild.remove();
      if (follows) toEnd();
    },
    /** Begin with what is there, or add what was missed. */
    catchUp(lines) {
      if (newest < 0) list.replaceChildren();
      const before = newest;
      for (const line of lines) if (line.v > before || before < 0) this.add(line.v, [line]);
      toEnd();
    },
  };
}
