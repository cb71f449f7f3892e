/** What happened, in sentences. The list is a live region: new lines are read out. */

import { sign } from "./render.js";

const LONGEST = 200;

/** @param {Element} list */
export function makeLog(list) {
  let newest = -1;
  /** Whether the reader is at the end and wants to stay there. */
  let follows = true;
  list.addEventListener("scroll", () => {
    follows = list.scrollHeight - list.scrollTop - list.clientHeight < 30;
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
    list.scrollTop = list.scrollHeight;
  };

  new ResizeObserver(() => follows && toEnd()).observe(list);

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
