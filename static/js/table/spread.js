/** Cards side by side: how far each shows under the next, and in how many tiers, follows from the room they have. */

import { el } from "./el.js";

/** What a card that is touched shows of itself at the least: its index, for an eye and a finger. */
const REACH = 26;
/** How far a card that is only looked at shows under the next one at the least, as part of its width: its index. */
const PEEK = 0.33;
/** A hand of few cards lies side by side; a larger one overlaps. */
const FEW = 5;

/**
 * Let the cards of a spread, kept by `render.js` in `tableRows`, lie as its width asks for.
 * @param {Found} box
 */
export function layOut(box) {
  const { cards, reach, laidFor } = box.tableRows;
  // What is folded away is laid when it is seen.
  if (!box.parentElement?.clientWidth) return;
  // The height that its style asks for is that of a card.
  const width = (parseFloat(getComputedStyle(box).minHeight) / 7) * 5 || 64;
  const room = box.clientWidth || box.parentElement.clientWidth;
  // Moving a card takes the focus from it: rows that fit stay.
  const now = `${room} ${width}`;
  if (laidFor === now) return;
  box.tableRows.laidFor = now;
  const focused = box.contains(document.activeElement) ? document.activeElement : null;
  const least = reach ? Math.min(REACH, width) : width * PEEK;
  const most = reach ? width * (cards.length <= FEW ? 1.05 : 0.68) : width * lapOf(box);
  const inRow = Math.max(1, Math.floor((room - width) / least) + 1);
  const rows = Math.ceil(cards.length / inRow);
  const each = Math.ceil(cards.length / rows);
  const step = each < 2 ? width : Math.min(most, (room - width) / (each - 1));
  const lines = [];
  for (let at = 0; at < cards.length; at += each) {
    const line = cards.slice(at, at + each);
    const row = el("li.spread-row", {}, el("ul", { role: "list" }, ...line.map((card) => el("li", {}, card))));
    row.style.setProperty("--step", `${step}px`);
    if (reach && rows === 1 && line.length > 1) bend(row, line.length, width);
    lines.push(row);
  }
  box.replaceChildren(...lines);
  box.classList.toggle("spread--crowded", rows > 1);
  focused?.focus({ preventScroll: true });
}

/** @param {Element} box */
const lapOf = (box) => parseFloat(getComputedStyle(box).getPropertyValue("--lap")) || 0.5;

/**
 * A hand is held as a fan: its ends turn outwards and lie a little lower.
 * @param {Element} row
 * @param {number} n
 * @param {number} width
 */
function bend(row, n, width) {
  row.style.setProperty("--turn", `${Math.min(4, n * 0.55)}deg`);
  row.style.setProperty("--drop", `${Math.min(9, n) * (width / 110)}px`);
  for (const [at, place] of [...row.querySelectorAll("li")].entries())
    place.style.setProperty("--at", String((at / (n - 1)) * 2 - 1));
}
