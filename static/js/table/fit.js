/**
 * How cards lie: side by side each shows under the next as far as the room lets it, in as many tiers as that needs; and
 * everything in the middle of the table is in sight at once, so melds become smaller first, then all the cards.
 */

import { el } from "./el.js";

/** What a card that is touched shows of itself at the least: its index, for an eye and a finger. */
const REACH = 26;
/** How far a card that is only looked at shows under the next one at the least, as part of its width: its index. */
const PEEK = 0.33;
/** A hand of few cards lies side by side; a larger one overlaps. */
const FEW = 5;

/** Halvings until a size is found: exact to less than a pixel. */
const STEPS = 6;
/** No card of a meld is narrower than this, in pixels; no other card smaller than this part of its usual size. */
const LEAST_MELD = 24;
/** When all is over the result needs room, and nobody has to read a meld for a move. */
const LEAST_AT_END = 14;
const LEAST = 0.4;

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

/**
 * Give the cards in the middle the largest size at which all of them lie inside it.
 * @param {Element} centre
 */
export function fit(centre) {
  const melds = centre.querySelector(".melds");
  /**
   * @param {string} name
   * @param {number} value
   */
  const set = (name, value) => centre.style.setProperty(name, String(value));
  /** @param {Element} box */
  const holds = (box) => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth;
  const lay = () => {
    for (const box of centre.querySelectorAll(".spread")) if (box.tableRows) layOut(box);
  };
  const fits = (box = centre) => {
    lay();
    // A card on its way reaches out of the middle, and takes no room there.
    centre.classList.add("is-measured");
    const held = holds(box);
    centre.classList.remove("is-measured");
    return held;
  };
  /**
   * @param {string} name
   * @param {number} least
   * @param {Element} box
   */
  const search = (name, least, box = centre) => {
    let [low, high] = [least, 1];
    for (let step = 0; step < STEPS; step += 1) {
      const middle = (low + high) / 2;
      set(name, middle);
      if (fits(box)) low = middle;
      else high = middle;
    }
    set(name, low);
    return fits(box);
  };
  centre.classList.remove("is-tight", "has-drawer");
  set("--shrink", 1);
  set("--meld-shrink", 1);
  if (fits()) return;
  const meld = melds?.querySelector(".playing-card");
  const least = meld && Math.min(1, (centre.closest(".is-over") ? LEAST_AT_END : LEAST_MELD) / meld.offsetWidth);
  if (meld && search("--meld-shrink", least)) return;
  if (meld) centre.classList.add("is-tight");
  if (meld && search("--meld-shrink", least)) return;
  if (meld && !centre.closest(".is-over")) {
    // Too many to be read: they fold into a drawer, and are sized as they lie when it is open.
    const wasOpen = centre.classList.contains("is-open");
    centre.classList.add("has-drawer", "is-open");
    search("--meld-shrink", least / 2, melds);
    centre.classList.toggle("is-open", wasOpen);
    if (fits()) return;
  }
  search("--shrink", LEAST);
}
