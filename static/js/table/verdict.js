/** The verdict, visible to everyone: who slapped, how fast, with which credit, and to what effect. */

import { el } from "./el.js";
import { called, say } from "./words.js";

/** How long a verdict stays, in ms. */
const STAYS = 4000;
let hide = 0;

/** The place of verdicts: in the bar, where they cover no card. */
function place() {
  const felt = document.getElementById("felt");
  const made = document.getElementById("verdict") ?? el("div.verdict-place", { id: "verdict" });
  if (!made.isConnected) felt.after(made);
  return made;
}

/**
 * A verdict as a box: who was first, and every slap with its numbers. `by_mail` if it settles a slap point.
 * @param {Pick<Verdict, "slaps" | "by_mail">} verdict
 * @param {string[]} names
 * @param {number | null} you
 */
export function makeVerdict({ slaps, by_mail }, names, you) {
  const best = slaps.find(({ result }) => result === "won");
  const mine = slaps.find(({ seat, result }) => seat === you && result === "beaten");
  const title = best
    ? say("verdict_won", { name: called(names[best.seat], best.seat === you) })
    : say(by_mail === "burns" ? "verdict_burns" : by_mail ? "verdict_nobody" : "verdict_none");
  const rows = slaps.map((slap) =>
    el(
      "li",
      { dataset: { result: slap.result } },
      el("strong", {}, slap.seat === you ? say("you") : names[slap.seat]),
      el("span.verdict-time", {}, say("reaction", { ms: slap.reaction })),
      el("span", {}, say(slap.result)),
      by_mail ? null : el("small", {}, numbersOf(slap)),
    ),
  );
  return el(
    `div.verdict${best ? ".is-right" : ""}`,
    { role: "status" },
    el("p.verdict-title", {}, title),
    best && mine
      ? el(
          "p.verdict-compare",
          {},
          say("verdict_compare", { name: names[best.seat], best: best.reaction, mine: mine.reaction }),
        )
      : null,
    rows.length ? el("ol.verdict-slaps", { role: "list" }, ...rows) : null,
    by_mail && rows.length ? foldedNumbers(slaps, names) : null,
  );
}

/**
 * How the time of a slap was measured, and what decided besides it.
 * @param {Hand} slap
 */
const numbersOf = (slap) =>
  [say("reaction_full", slap), slap.handicap && say("handicap_less", slap), slap.by_lot && say("by_lot")]
    .filter(Boolean)
    .join(" · ");

/**
 * How the times of slaps were measured, for those who want to know.
 * @param {Hand[]} slaps
 * @param {string[]} names
 */
export const foldedNumbers = (slaps, names) =>
  el(
    "details.more",
    {},
    el("summary", {}, say("measured")),
    ...slaps.map((slap) => el("p", {}, `${names[slap.seat]}: ${numbersOf(slap)}`)),
  );

/**
 * @param {Verdict} message
 * @param {string[]} names
 * @param {number | null} you
 */
export function showVerdict(message, names, you) {
  put(makeVerdict(message, names, you));
}

/** @param {Element} card */
function put(card) {
  place().replaceChildren(card);
  clearTimeout(hide);
  hide = setTimeout(() => card.remove(), STAYS);
}
