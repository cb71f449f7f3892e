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

/** Sizes that are tried, as parts of the usual one: exact to about a pixel. */
const SIZES = 96;
/** No card of a meld is narrower than this, in pixels; no other card smaller than this part of its usual size. */
const LEAST_MELD = 24;
/** When all is over the result needs room, and nobody has to read a meld for a move. */
const LEAST_AT_END = 14;
const LEAST = 0.4;

/**
 * Let the cards of spreads, kept by `render.js` in `tableRows`, lie as their widths ask for. All are measured before any
 * is written to: a measurement after a change makes the browser lay out the whole page.
 * @param {Found[]} boxes
 */
export function layOut(boxes) {
  // What is folded away is laid when it is seen.
  const seen = boxes.filter((box) => box.parentElement?.clientWidth);
  const ways = seen.map(wayOf);
  for (const [at, box] of seen.entries()) lay(box, ways[at]);
}

/**
 * The height that the style of a spread asks for is that of a card.
 * @param {Found} box
 */
const cardWidth = (box) => (parseFloat(getComputedStyle(box).minHeight) / 7) * 5 || 64;

/**
 * How many cards lie in a row, and how far from each other.
 * @param {Found} box
 * @returns {{ width: number, each: number, rows: number, step: string }}
 */
function wayOf(box) {
  const { cards, reach } = box.tableRows;
  const style = getComputedStyle(box);
  const width = cardWidth(box);
  const room = box.clientWidth || box.parentElement?.clientWidth || 0;
  const least = reach ? Math.min(REACH, width) : width * PEEK;
  const lap = reach ? (cards.length <= FEW ? 1.05 : 0.68) : parseFloat(style.getPropertyValue("--lap")) || 0.5;
  const inRow = Math.max(1, Math.floor((room - width) / least) + 1);
  const rows = Math.ceil(cards.length / inRow);
  const each = Math.ceil(cards.length / rows);
  // As a part of a card's width, it holds for every size of the cards. The browser tells the room in whole pixels.
  const isFree = each < 2 || width + (each - 1) * width * lap <= room + 1;
  const step = isFree ? `calc(var(--card-width) * ${lap})` : `${(room - width) / (each - 1)}px`;
  return { width, each, rows, step };
}

/**
 * @param {Found} box
 * @param {ReturnType<typeof wayOf>} way
 */
function lay(box, { width, each, rows, step }) {
  const { cards, reach, each: was } = box.tableRows;
  const isBent = reach && rows === 1 && cards.length > 1;
  // Moving a card takes the focus from it: rows that fit stay.
  if (each !== was) {
    const focused = box.contains(document.activeElement) ? document.activeElement : null;
    const lines = [];
    for (let at = 0; at < cards.length; at += each) {
      const line = cards.slice(at, at + each).map((card) => el("li", {}, card));
      if (isBent) bend(line);
      lines.push(el("li.spread-row", {}, el("ul", { role: "list" }, ...line)));
    }
    box.tableRows.each = each;
    box.replaceChildren(...lines);
    box.classList.toggle("spread--crowded", rows > 1);
    focused?.focus({ preventScroll: true });
  }
  if (step !== box.style.getPropertyValue("--step")) box.style.setProperty("--step", step);
  if (isBent) box.style.setProperty("--drop", `${Math.min(9, cards.length) * (width / 110)}px`);
  if (isBent && each !== was) box.style.setProperty("--turn", `${Math.min(4, cards.length * 0.55)}deg`);
}

/**
 * A hand is held as a fan: its ends turn outwards and lie a little lower.
 * @param {Found[]} places
 */
function bend(places) {
  for (const [at, place] of places.entries())
    place.style.setProperty("--at", String((at / (places.length - 1)) * 2 - 1));
}

/**
 * The largest whole number from `least` to `most` that fits, or `least - 1`; what is smaller than one that fits, fits.
 * @param {(size: number) => boolean} fits
 * @param {number} least
 * @param {number} most
 * @param {number | null} hint - a number that it may be again: two tries are enough then
 */
export function largest(fits, least, most, hint) {
  let [low, high] = [least - 1, most + 1];
  let jump = hint === null ? most : 1;
  let at = hint === null ? most : hint + 1;
  while (high - low > 1) {
    at = Math.min(high - 1, Math.max(low + 1, at));
    const isHeld = fits(at);
    if (isHeld) low = at;
    else high = at;
    if (low >= least && high <= most) at = (low + high) >> 1;
    else at = isHeld ? at + jump : at - jump;
    jump *= 2;
  }
  return low;
}

/**
 * Makes what gives the cards in the middle the largest size at which all of them lie inside it.
 * @param {Found} centre
 */
export function makeFit(centre) {
  /**
   * The sizes found last, for each way to lie: after a move they are the same again, or nearly.
   * @type {Record<string, number>}
   */
  const found = {};
  /** What lay there when it fitted last, and in how much room. */
  let last = { room: "", lain: "", melds: 0, cards: 0 };
  /** @param {Element} box */
  const holds = (box) => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth;

  /** @param {Found[]} hand - the spreads of the own hand, which are laid along with those in the middle */
  return function fit(hand) {
    const boxes = [...centre.querySelectorAll(".spread")].filter((box) => box.tableRows);
    const melds = centre.querySelector(".melds");
    const meld = melds?.querySelector(".spread");
    const isOver = centre.closest(".is-over") !== null;
    // A card on its way reaches out of the middle, and takes no room there.
    centre.classList.add("is-measured");
    layOut([...hand, ...boxes]);
    const each = boxes.filter((box) => melds?.contains(box)).map((box) => box.tableRows.cards.length);
    const now = {
      room: `${centre.clientWidth} ${centre.clientHeight} ${isOver}`,
      lain: each.join(),
      melds: each.length,
      cards: each.reduce((sum, n) => sum + n, 0),
    };
    const isSame = last.room === now.room && last.lain === now.lain;
    /** With more cards in the same room none becomes larger: nothing larger has to be tried. */
    const isFuller = meld && last.room === now.room && now.melds >= last.melds && now.cards >= last.cards;
    last = now;
    // Mostly all of it lies as it lay, as large as it can be.
    const isFull = meld ? isSame : Number(centre.style.getPropertyValue("--shrink")) === 1;
    if (isFull && holds(centre)) return centre.classList.remove("is-measured");
    /**
     * @param {string} way - to lie
     * @param {string} name - of the property
     * @param {number} least - the smallest part of the usual size
     */
    const search = (way, name, least, box = centre) => {
      const smallest = Math.ceil(least * SIZES);
      const bound = isFuller && way !== "all" ? (found[way] ?? SIZES) : SIZES;
      if (bound < smallest) return false;
      let tried = Number.NaN;
      /** @param {number} size */
      const fits = (size) => {
        tried = size;
        centre.style.setProperty(name, String(size / SIZES));
        layOut(boxes);
        return holds(box);
      };
      const size = largest(fits, smallest, bound, found[way] ?? null);
      found[way] = size;
      const shown = Math.max(size, smallest);
      if (tried !== shown) fits(shown);
      return size >= smallest;
    };
    const fitMelds = () => {
      const now = Number(centre.style.getPropertyValue("--meld-shrink")) || 1;
      const least = Math.min(1, (isOver ? LEAST_AT_END : LEAST_MELD) / (cardWidth(meld) / now));
      if (search("melds", "--meld-shrink", least)) return true;
      centre.classList.add("is-tight");
      if (search("tight", "--meld-shrink", least)) return true;
      if (isOver) return false;
      // Too many to be read: they fold into a drawer, and are sized as they lie when it is open.
      const wasOpen = centre.classList.contains("is-open");
      centre.classList.add("has-drawer", "is-open");
      search("drawer", "--meld-shrink", least / 2, melds);
      centre.classList.toggle("is-open", wasOpen);
      return false;
    };
    centre.classList.remove("is-tight", "has-drawer");
    centre.style.setProperty("--shrink", "1");
    if (!meld || !fitMelds()) search("all", "--shrink", LEAST);
    centre.classList.remove("is-measured");
  };
}
