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

/** Somebody's hand is down; the verdict comes in a moment, right or wrong. */
export function showPending(seats, names) {
  put(el("p.verdict-pending", {}, say("slap_pending", { names: seats.map((seat) => names[seat]).join(", ") })));
}

export function showVerdict({ slaps }, names) {
  const best = slaps.find(({ result }) => result === "won");
  const rows = slaps.map((slap) =>
    el(
      "li",
      { dataset: { result: slap.result } },
      el("strong", {}, names[slap.seat]),
      el("span.verdict-time", {}, say("reaction", { ms: slap.reaction })),
      el("span", {}, say(slap.result)),
      el("small", {}, say("reaction_full", slap)),
    ),
  );
  put(
    el(
      "div.verdict",
      { role: "status" },
      el("p.verdict-title", {}, best ? say("verdict_won", { name: names[best.seat] }) : say("verdict_none")),
      el("ol.verdict-slaps", { role: "list" }, ...rows),
    ),
  );
}

function put(card) {
  place().replaceChildren(card);
  clearTimeout(hide);
  hide = setTimeout(() => card.remove(), STAYS);
}
