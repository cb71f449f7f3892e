/** The scores of a match deal by deal, in a dialog. */

import { el } from "./el.js";
import { say } from "./words.js";

/** Events with the points of a deal or round. */
const KINDS = new Set(["deal_over", "round_over", "lose"]);

/**
 * @param {Found} button - opens the dialog; hidden while there are no scores
 * @param {Found} dialog
 * @param {Store} store
 */
export function makeScores(button, dialog, store) {
  /** @type {(GameEvent & {v?: number})[]} */
  let events = store.scores ?? [];

  /** For each deal, each seat's gain, and the version after it: a list of `{label, gains, v}`. */
  function rows() {
    const found = [];
    const before = store.players.map(() => 0);
    for (const { kind, seat, data, v = 0 } of events) {
      if (kind === "deal_over") {
        const totals = Array.isArray(data.points) ? data.points : [];
        const gains = data.gains ?? totals.map((points, at) => points - before[at]);
        if (!data.gains) before.splice(0, before.length, ...totals);
        found.push({ label: say("deal_n", { n: data.deal }), gains, v });
      } else if (kind === "round_over")
        found.push({ label: say("round_n", { n: found.length + 1 }), gains: store.players.map(() => 0), v });
      else if (found.length && seat !== null) found[found.length - 1].gains[seat] = Number(data.points);
    }
    return found;
  }

  function draw() {
    const all = rows();
    button.hidden = all.length === 0;
    const sums = store.players.map((_player, at) => all.reduce((sum, { gains }) => sum + gains[at], 0));
    /** @param {number[]} numbers */
    const cells = (numbers) => numbers.map((n) => el("td.number", {}, String(n)));
    dialog
      .querySelector("table")
      .replaceChildren(
        el("thead", {}, el("tr", {}, el("td"), ...store.names.map((name) => el("th", { scope: "col" }, name)))),
        el(
          "tbody",
          {},
          ...all.map(({ label, gains }) => el("tr", {}, el("th", { scope: "row" }, label), ...cells(gains))),
        ),
        el("tfoot", {}, el("tr", {}, el("th", { scope: "row" }, say("sum")), ...cells(sums))),
      );
  }

  button.addEventListener("click", () => dialog.showModal());
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  draw();

  return {
    rows,
    /**
     * Add new events.
     * @param {number} v - the version after it
     * @param {GameEvent[]} happened
     */
    add(v, happened) {
      const new_ = happened.filter(({ kind }) => KINDS.has(kind)).map((event) => ({ ...event, v }));
      if (!new_.length) return;
      events = [...events, ...new_];
      draw();
    },
    /** Start again from a snapshot. */
    reset() {
      events = store.scores ?? [];
      draw();
    },
  };
}
