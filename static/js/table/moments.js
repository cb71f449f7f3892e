/** A moment of the game that everybody should notice, large over the felt; the log tells it, too. */

import { el } from "./el.js";

const STAYS = 3200;
let hide = 0;

/**
 * Show a moment: a title, what it means, and cards that belong to it.
 * @param {Moment} moment
 * @param {(code: string) => Element} cardOf
 */
export function showMoment({ title, text = "", cards = [], tone = "" }, cardOf) {
  const felt = document.getElementById("felt");
  const place = document.getElementById("moment") ?? el("div.moment-place", { id: "moment", "aria-hidden": "true" });
  if (!place.isConnected) felt.after(place);
  const made = el(
    "div.moment",
    { dataset: { tone } },
    el("p.moment-title", {}, title),
    text ? el("p.moment-text", {}, text) : null,
    cards.length ? el("div.moment-cards", {}, ...cards.map(cardOf)) : null,
  );
  place.replaceChildren(made);
  clearTimeout(hide);
  hide = setTimeout(() => made.remove(), STAYS);
}
