/** Who slapped, how fast, and what it was worth: shown to everybody, with what the line was credited. */

import { el } from "./render.js";
import { say } from "./words.js";

/** How long a verdict stays. */
const STAYS = 4000;
let hide = 0;

/** Verdicts lie over the felt and cover no control. */
function place() {
  const felt = document.getElementById("felt");
  return document.getElementById("verdict") ?? felt.parentElement.insertBefore(el("div.verdict-place", { id: "verdict" }), felt.nextSibling);
}

/** A verdict as a card: who was first, and every hand with its numbers. `by_mail` if it came when all had watched. */
export function makeVerdict({ slaps, by_mail }, names, you) {
  const best = slaps.find(({ result }) => result === "won");
  const mine = slaps.find(({ seat, result }) => seat === you && result === "beaten");
  const title = best
    ? say("verdict_won", { name: names[best.seat] })
    : say(by_mail === "burns" ? "verdict_burns" : by_mail ? "verdict_nobody" : "verdict_none");
  const rows = slaps.map((slap) =>
    el(
      "li",
      { dataset: { result: slap.result } },
      el("strong", {}, names[slap.seat]),
      el("span.verdict-time", {}, say("reaction", { ms: slap.reaction })),
      el("span", {}, say(slap.result)),
      el(
        "small",
        {},
        [say("reaction_full", slap), slap.handicap && say("handicap_less", slap), slap.by_lot && say("by_lot")].filter(Boolean).join(" · "),
      ),
    ),
  );
  return el(
    "div.verdict",
    { role: "status" },
    el("p.verdict-title", {}, title),
    best && mine ? el("p.verdict-compare", {}, say("verdict_compare", { name: names[best.seat], best: best.reaction, mine: mine.reaction })) : null,
    rows.length ? el("ol.verdict-slaps", { role: "list" }, ...rows) : null,
  );
}

export function showVerdict(message, names, you) {
  put(makeVerdict(message, names, you));
}

/** The next card lies open: on a phone the verdict makes room for it. */
export function makeRoom() {
  document.querySelector(".verdict")?.classList.add("is-past");
}

function put(card) {
  place().replaceChildren(card);
  clearTimeout(hide);
  hide = setTimeout(() => card.remove(), STAYS);
}
