/** The chat at a table. Its messages come over the table's socket, as `talk` events of the document. */

import { makeReader } from "./fragment.js";

const panel = document.getElementById("table-talk");

function start() {
  const list = panel.querySelector(".talk-lines");
  const box = panel.querySelector(".talk-box");
  const form = panel.querySelector(".talk-form");
  const said = form?.querySelector(".talk-said");
  const template = panel.querySelector("template");
  const buttons = document.querySelectorAll("[data-talk-count]");
  const wide = matchMedia("(min-width: 64em) and (min-height: 480px)");
  /** The button that opens the chat in narrow windows. */
  const sheet = panel.closest("[popover]");
  const readAgain = makeReader();
  const canReport = Boolean(template?.content.querySelector(".talk-report"));
  /**
   * Messages on their way: a second press doesn't send them twice.
   * @type {Set<string>}
   */
  const leaving = new Set();
  let unread = 0;
  /** How many messages the socket has sent. */
  let received = 0;

  const isInline = Boolean(panel.closest(".talk-inline"));
  const isSeen = () => isInline || wide.matches || Boolean(sheet?.matches(":popover-open"));
  /** @param {number} more */
  function count(more) {
    unread = isSeen() ? 0 : unread + more;
    for (const button of buttons) {
      button.textContent = unread ? String(unread) : "";
      button.hidden = unread === 0;
    }
  }
  const toEnd = () => {
    if (box) box.scrollTop = box.scrollHeight;
  };
  sheet?.addEventListener("toggle", () => {
    count(0);
    toEnd();
  });

  /** Tell the table's socket what is shown: the first message, the last one, and how many. */
  function mark() {
    const ids = Array.from(list.children, (line) => line.dataset.line);
    panel.dataset.shows = `${ids[0] ?? 0}-${ids.at(-1) ?? 0}-${ids.length}`;
  }

  /** @param {string} key */
  function phraseOf(key) {
    return form?.querySelector(`[name=phrase][value="${CSS.escape(key)}"]`)?.textContent;
  }

  /** @param {TalkLine} line */
  function lineOf({ id, seat, name, name_key: key, phrase, words, is_own: isOwn }) {
    const line = /** @type {Found} */ (template.content.firstElementChild?.cloneNode(true));
    line.dataset.line = String(id);
    line.classList.toggle("from-gallery", seat === null);
    const author = line.querySelector(".talk-name");
    author.textContent = name;
    if (key) author.href = `/player/${encodeURIComponent(key)}/`;
    line.querySelector(".talk-where").hidden = seat !== null;
    line.querySelector(".talk-words").textContent = (phrase && phraseOf(phrase)) || words;
    const report = line.querySelector(".talk-report");
    if (report && !isOwn) {
      const whose = report.querySelector(".visually-hidden");
      whose.textContent = (whose.textContent ?? "").replace("{name}", () => name);
      report.href = `${panel.dataset.report}${id}/`;
      report.hidden = false;
    }
    return line;
  }

  /** Load all messages again: after a gap, or after a mute or unmute. */
  async function refresh() {
    if (!list) return;
    const before = received;
    const { page: fresh } = await readAgain(panel.dataset.talk);
    if (!fresh) return;
    if (received !== before) return refresh(); // The answer may be older than messages that came meanwhile.
    /** @param {Iterable<Element>} lines */
    const idsOf = (lines) => Array.from(lines, (line) => line.dataset.line).join();
    const lines = fresh.querySelectorAll("li");
    if (idsOf(lines) === idsOf(list.children)) return;
    const newest = Number(list.lastElementChild?.dataset.line ?? 0);
    /** Only other people's messages can be reported, by those who are logged in. @param {Element} line */
    const isOthers = (line) => !canReport || line.querySelector(".talk-report") !== null;
    const missed = [...lines].filter((line) => Number(line.dataset.line) > newest && isOthers(line));
    box.setAttribute("aria-live", "off"); // Messages that were read out aren't read out again.
    list.replaceChildren(...lines);
    mark();
    toEnd();
    count(missed.length);
    requestAnimationFrame(() => box.setAttribute("aria-live", "polite"));
  }

  document.addEventListener("talk", ({ detail }) => {
    if (!list) return;
    received += 1;
    if (detail.t === "talk_removed") list.querySelector(`[data-line="${detail.id}"]`)?.remove();
    else if (detail.t === "talk_again") refresh();
    else if (detail.t === "talk" && !list.querySelector(`[data-line="${detail.line.id}"]`)) {
      list.append(lineOf(detail.line));
      toEnd();
      if (!detail.line.is_own) count(1);
    }
    mark();
  });

  form?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = /** @type {Found | null} */ (event.submitter);
    const text = form.querySelector("[name=text]");
    const phrase = button?.name === "phrase" ? button.value : "";
    const written = text?.value ?? "";
    const message = phrase || written.trim();
    if (!message || leaving.has(message)) return;
    // After sending, key presses belong to the table again.
    if (phrase) button?.blur();
    const data = new FormData(/** @type {HTMLFormElement} */ (/** @type {HTMLElement} */ (form)));
    if (phrase) {
      data.delete("text");
      data.set("phrase", phrase);
    }
    said.textContent = "";
    leaving.add(message);
    const answer = await fetch(form.action, {
      method: "POST",
      body: data,
      headers: { Accept: "application/json" },
    }).catch(() => null);
    leaving.delete(message);
    if (answer?.ok) {
      // What was written meanwhile is the next message.
      if (!phrase && text.value === written) text.value = "";
      // The message comes over the socket; without one, it is fetched.
      setTimeout(() => document.body.dataset.connection === "lost" && refresh(), 300);
    } else {
      const reason = await answer?.json().catch(() => null);
      said.textContent = reason?.reason ?? panel.dataset.failed;
    }
  });
  toEnd();
  if (document.body.dataset.told?.includes("talk")) refresh(); // It came before this script ran.
}

if (panel) start();
