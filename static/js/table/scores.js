/** The scores of a match deal by deal, in a dialog. */

import { el } from "./render.js";
import { say } from "./words.js";

/** Events that tell what a deal or round has brought. */
const KINDS = new Set(["deal_over", "round_over", "lose"]);

/**
 * @param {HTMLButtonElement} button - opens it; hidden until there is something to see
 * @param {HTMLDialogElement} dialog
 * @param {object} store
 */
export function makeScores(button, dialog, store) {
  let events = store.scores ?? [];

  /** Per deal what each seat got: a list of `{label, gains}`. */
  function rows() {
    const found = [];
    const before = store.players.map(() => 0);
    for (const { kind, seat, data } of events) {
      if (kind === "deal_over") {
        const gains = data.gains ?? data.points.map((points, at) => points - before[at]);
        if (!data.gains) data.points.forEach((points, at) => (before[at] = points));
        found.push({ label: say("deal_n", { n: data.deal }), gains });
      } else if (kind === "round_over") found.push({ label: say("round_n", { n: found.length + 1 }), gains: store.players.map(() => 0) });
      else if (found.length) found.at(-1).gains[seat] = data.points;
    }
    return found;
  }

  function draw() {
    const all = rows();
    button.hidden = all.length === 0;
    const sums = store.players.map((player, at) => all.reduce((sum, { gains }) => sum + gains[at], 0));
    const cells = (numbers) => numbers.map((n) => el("td.number", {}, String(n)));
    dialog.querySelector("table").replaceChildren(
      el("thead", {}, el("tr", {}, el("td"), ...store.names.map((name) => el("th", { scope: "col" }, name)))),
      el("tbody", {}, ...all.map(({ label, gains }) => el("tr", {}, el("th", { scope: "row" }, label), ...cells(gains)))),
      el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, say("sum")), ...cells(sums))),
    );
  }

  button.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  draw();

  return {
    /** Take in what has happened. */
    heard(happened) {
      const new_ = happened.filter(({ kind }) => KINDS.has(kind));
      if (!new_.length) return;
      events = [...events, ...new_];
      draw();
    },
    /** Begin anew with a whole view. */
    reset() {
      events = store.scores ?? [];
      draw();
    },
  };
}
