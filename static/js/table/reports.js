/**
 * Report a move from its line in the log: an AI player's move at once, to the developers of AI players; a person's move
 * on a page of its own, to the moderators.
 */

import { targetOf } from "./el.js";
import { say } from "./words.js";

/**
 * @param {Found} list - the log's lines
 * @param {Store} store
 * @param {string} address - of the reports on AI players, followed by the move
 * @param {string} [moderators] - the beginning of the URL of a report to the moderators; the move's number follows
 */
export function makeReports(list, store, address, moderators) {
  const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
  const button = document.createElement("button");
  button.type = "button";
  const link = document.createElement("a");
  for (const each of [button, link]) {
    each.className = "log-report";
    each.textContent = say("report_move");
  }
  const reported = new Set();

  /**
   * The element that reports the move of a line; null if there is no move. The first sentence of a version is about the
   * player who moved.
   * @param {Found | null} line
   */
  function reporterOf(line) {
    if (!line) return null;
    const { seat, v } = line.dataset;
    if (seat === undefined || v === undefined || line.dataset.kind === "incident" || reported.has(v)) return null;
    if (list.querySelector(`li[data-v="${v}"]`).dataset.seat !== seat) return null;
    const isAi = store.players[Number(seat)]?.kind === "ai";
    if (isAi) return store.you !== null && token ? button : null;
    if (!moderators || Number(seat) === store.you) return null;
    link.href = `${moderators}${v}/`;
    return link;
  }

  // Added to the line that is touched or pointed at: in every line, screen readers would read it out each time.
  /** @param {Found | null} line */
  function offer(line) {
    const reporter = reporterOf(line);
    for (const each of [button, link]) if (each !== reporter) each.remove();
    if (reporter && reporter.parentElement !== line) line?.append(reporter);
  }
  /** @param {Event} event */
  const touched = (event) => {
    if (!targetOf(event).closest(".log-report")) offer(targetOf(event).closest("li[data-v]"));
  };
  list.addEventListener("pointerover", touched);
  list.addEventListener("click", touched);
  list.addEventListener("look", (event) => event.detail && offer(event.detail));
  // A finger leaves the list whenever it is lifted, even from the button it presses.
  list.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && offer(null));

  button.addEventListener("click", async () => {
    const line = button.closest("li");
    const version = line?.dataset.v;
    button.disabled = true;
    let text;
    try {
      const answer = await fetch(`${address}${version}/report/`, {
        method: "POST",
        headers: { Accept: "application/json", "X-CSRFToken": token },
      });
      const said = await answer.json();
      if (answer.ok && version) reported.add(version);
      text = said.text ?? said.reason;
    } catch {
      text = say("report_failed");
    }
    button.disabled = false;
    button.remove();
    const note = document.createElement("small");
    note.className = "log-reported";
    note.textContent = ` ${text}`;
    line?.append(note);
  });
}
