/** The result of a deal or a bluff, over the table until the viewer continues: shown hands, and points. */

import { silentSign } from "./cards.js";
import { el } from "./el.js";
import { pointsOf, say, sayIfAny } from "./words.js";

/** Events that end something; their sentence is the headline. */
const ENDS = ["deal_over", "round_over", "showdown", "out", "blocked", "turns"];

/**
 * Each seat's shown cards and points.
 * @param {GameEvent[]} events
 */
function rowsOf(events) {
  /** @type {Map<number, { cards: string[], points: number | null }>} */
  const rows = new Map();
  /** @param {number} seat */
  const row = (seat) =>
    rows.get(seat) ?? rows.set(seat, { cards: [], points: null }).get(seat) ?? { cards: [], points: null };
  for (const { kind, seat, data } of events) {
    if (kind === "deal_over") {
      for (const [at, cards] of (data.hands ?? []).entries()) row(at).cards = cards;
      const points = data.gains ?? data.points;
      if (Array.isArray(points)) for (const [at, n] of points.entries()) row(at).points = n;
    } else if (seat !== null && (kind === "show" || kind === "hand") && Array.isArray(data.cards)) {
      row(seat).cards = data.cards;
      row(seat).points = data.sum ?? null;
    } else if (seat !== null && kind === "lose") row(seat).points = Number(data.points);
  }
  return [...rows].sort(([one], [other]) => one - other);
}

/**
 * Make the result and its headline; null if there is none. Only visual: the log has read it out already.
 * @param {(seat: number) => string} nameFor - the viewer's word for a player
 * @param {GameEvent[]} events - those since the last rest
 */
export function makeReveal(nameFor, events) {
  const rows = rowsOf(events);
  const title = events.findLast(({ kind }) => ENDS.includes(kind));
  if (!rows.length || !title) return null;
  // Whose points these are is shown below.
  const headline = title.kind === "deal_over" ? say("deal_n", { n: title.data.deal }) : title.text;
  const note = title.kind === "deal_over" ? sayIfAny("deal_note") : "";
  const box = el(
    "div.reveal",
    { id: "reveal", "aria-hidden": "true" },
    el("p.reveal-title", {}, headline),
    el(
      "ul.reveal-rows",
      {},
      ...rows.map(([seat, { cards, points }]) =>
        el(
          "li",
          {},
          el("strong", {}, nameFor(seat)),
          el("span.reveal-cards", {}, ...cards.map(silentSign)),
          points === null ? null : el("span.reveal-points", {}, pointsOf(points)),
        ),
      ),
    ),
    note ? el("p.reveal-note", {}, note) : null,
    el("p.reveal-on", {}, say("go_on")),
  );
  return { box, headline };
}

/**
 * Put the result over the table, unless it is there.
 * @param {Element} box
 */
export function showReveal(box) {
  if (!box.isConnected) document.getElementById("felt").append(box);
}

/** Remove the result from the table. */
export const hideReveal = () => document.getElementById("reveal")?.remove();
