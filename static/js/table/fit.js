/**
 * Place the cards: they overlap as much as the space requires, in as many tiers as needed. Everything in the middle of
 * the table is visible at once: if there is no room, melds get smaller first, then all cards.
 */

import { el, setChildren } from "./el.js";

/** The least visible part of a card that can be touched: its index, large enough for a finger. */
const REACH = 26;
/** The least visible part of other cards, as a share of their width: the index. */
const PEEK = 0.33;
/** Up to this many cards of a hand lie side by side; more overlap. */
const FEW = 5;

/** The number of sizes tried, from 0 to the usual one: exact to about a pixel. */
const SIZES = 96;
/** The smallest width of a card in a meld, in pixels; the smallest share of the usual size for other cards. */
const LEAST_MELD = 24;
/** After the match the result needs room, and players no longer need to read the melds. */
const LEAST_AT_END = 14;
const LEAST = 0.4;
/** Melds that must get smaller do so by a step: otherwise each card that comes would change the size of all a little. */
const SHRUNK = 0.92;

/**
 * Place the cards of spreads, which `render.js` keeps in `tableRows`. All boxes are measured before any is changed:
 * measuring after a change makes the browser lay out the whole page.
 * @param {Found[]} boxes
 */
export function layOut(boxes) {
  // A hidden spread is placed when it appears.
  const seen = boxes.filter((box) => box.parentElement?.clientWidth);
  const ways = seen.map(wayOf);
  for (const [at, box] of seen.entries()) lay(box, ways[at]);
}

/**
 * The card width of a spread: its style sets the minimum height to the height of a card.
 * @param {Found} box
 */
const cardWidth = (box) => (parseFloat(getComputedStyle(box).minHeight) / 7) * 5 || 64;

/**
 * How many cards go in a row, and the distance between them.
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
  // A multiple of the card width, so it is right for every size and in scaled melds. Browsers report whole pixels.
  const isFree = each < 2 || width + (each - 1) * width * lap <= room + 1;
  const step = `calc(var(--card-width) * ${isFree ? lap : (room - width) / (each - 1) / width})`;
  return { width, each, rows, step };
}

/**
 * Elements that are in the page already stay there: inserting a card, or changing a property that it inherits, makes
 * the browser style all of its drawing again.
 * @param {Found} box
 * @param {ReturnType<typeof wayOf>} way
 */
function lay(box, { width, each, rows, step }) {
  const { cards, reach, laid: was } = box.tableRows;
  const isBent = rows === 1 && cards.length > 1 && box.closest("#hand") !== null;
  const laid = `${each} ${step} ${isBent ? width : ""}`;
  if (laid === was) return;
  box.tableRows.laid = laid;
  if (each !== box.tableRows.each) arrange(box, each);
  const turn = isBent ? Math.min(4, cards.length * 0.55) : 0;
  const drop = isBent ? Math.min(9, cards.length) * (width / 110) : 0;
  for (const [at, card] of cards.entries()) {
    const { style } = /** @type {Found} */ (card.parentElement);
    const column = at % each;
    if (!reach) style.marginInlineStart = column ? `calc(${step} - var(--card-width))` : "";
    else {
      // From the middle of the row, so that a card more or less moves no other one in the layout of the page.
      const inRow = Math.min(each, cards.length - at + column);
      // A hand is bent into a fan: its ends turn outwards and are a little lower.
      const side = isBent ? (at / (cards.length - 1)) * 2 - 1 : 0;
      style.translate = `calc(${step} * ${column - (inRow - 1) / 2}) ${side * side * drop}px`;
      style.rotate = `${side * turn}deg`;
    }
  }
}

/**
 * @param {Found} box
 * @param {number} each - the cards of a row
 */
export function arrange(box, each) {
  const { cards } = box.tableRows;
  const focused = box.contains(document.activeElement) ? document.activeElement : null;
  const places = cards.map((card) => (box.contains(card) ? card.parentElement : null) ?? el("li", {}, card));
  /** @type {Element[]} */
  const rows = [];
  for (let at = 0; at < places.length; at += each) {
    const row = box.children[rows.length] ?? el("li.spread-row", {}, el("ul", { role: "list" }));
    setChildren(/** @type {Element} */ (row.firstElementChild), places.slice(at, at + each));
    rows.push(row);
  }
  setChildren(box, rows);
  box.tableRows.each = each;
  box.classList.toggle("spread--crowded", rows.length > 1);
  // Moving a card in the page takes the focus from it.
  if (focused !== document.activeElement) focused?.focus({ preventScroll: true });
}

/**
 * The largest whole number from `least` to `most` that fits, or `least - 1`. Everything smaller than a fitting number
 * must fit, too.
 * @param {(size: number) => boolean} fits
 * @param {number} least
 * @param {number} most
 * @param {number | null} hint - a likely result; if it is right, two tries are enough
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
 * How wide the names of melds are; where there is no room for them they can't be measured.
 * @type {WeakMap<Element, number>}
 */
const names = new WeakMap();

/**
 * The largest size at which the melds fit, by arithmetic from how they lie now. It is only the first to be tried, for
 * each try costs a layout of the page.
 * @param {Found} melds
 * @param {Found[]} boxes - their spreads
 * @param {number} height - that they may have
 * @param {number} full - the usual width of a card
 * @param {number} least
 * @param {number} most
 */
function guess(melds, boxes, height, full, least, most) {
  const style = getComputedStyle(melds);
  const [acrossGap, downGap] = [parseFloat(style.columnGap), parseFloat(style.rowGap)];
  const room = melds.clientWidth - parseFloat(style.paddingLeft) * 2;
  const lap = parseFloat(getComputedStyle(boxes[0]).getPropertyValue("--lap"));
  const ink = document.createRange();
  let below = 0;
  const zones = boxes.map((box) => {
    const zone = /** @type {Found} */ (box.parentElement);
    below = Math.max(below, zone.offsetHeight - box.offsetHeight);
    ink.selectNodeContents(zone.querySelector(".zone-title"));
    const name = ink.getBoundingClientRect().width || (names.get(zone) ?? 0);
    names.set(zone, name);
    return { n: box.tableRows.cards.length, name: melds.closest(".is-tight") ? 0 : name };
  });
  for (let size = most; size > least; size -= 1) {
    const card = (full * size) / SIZES;
    let [x, y, line] = [0, parseFloat(style.paddingTop) * 2 - downGap, 0];
    for (const { n, name } of zones) {
      const wide = Math.min(room, Math.max(name, card * (1 + (n - 1) * lap)));
      const inRow = Math.max(1, Math.floor((room - card) / (card * PEEK)) + 1);
      const high = card * 1.4 + (Math.ceil(n / inRow) - 1) * Math.max(24, card * 0.62) + below;
      if (!line || x + acrossGap + wide > room) {
        [x, y, line] = [wide, y + downGap + high, high];
      } else {
        x += acrossGap + wide;
        y += Math.max(0, high - line);
        line = Math.max(line, high);
      }
    }
    if (y <= height) return size;
  }
  return least;
}

/**
 * Make the function that gives the cards in the middle the largest size at which all of them fit.
 * @param {Found} centre
 */
export function makeFit(centre) {
  /**
   * The last result of each search: after a move it is the same, or nearly.
   * @type {Record<string, number>}
   */
  const found = {};
  /** What was placed the last time, and in how much space. */
  let last = { width: 0, height: 0, isOver: false, lain: "", melds: 0, cards: 0 };
  /** @param {Element} box */
  const holds = (box) => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth;

  /** @param {Found[]} hand - the spreads of the player's hand, which are placed together with those in the middle */
  return function fit(hand) {
    const boxes = [...centre.querySelectorAll(".spread")].filter((box) => box.tableRows);
    const melds = centre.querySelector(".melds");
    const meld = melds?.querySelector(".spread");
    const isOver = centre.closest(".is-over") !== null;
    // A moving card reaches out of the middle, but takes no space there.
    centre.classList.add("is-measured");
    layOut([...hand, ...boxes]);
    const each = boxes.filter((box) => melds?.contains(box)).map((box) => box.tableRows.cards.length);
    const now = {
      width: centre.clientWidth,
      height: centre.clientHeight,
      isOver,
      lain: each.join(),
      melds: each.length,
      cards: each.reduce((sum, n) => sum + n, 0),
    };
    const isAsWide = last.width === now.width && last.isOver === isOver;
    const isSame = isAsWide && last.height === now.height && last.lain === now.lain;
    /** With no fewer cards in no more space, no size grows, so larger ones needn't be tried. */
    const isFuller =
      meld && isAsWide && now.height <= last.height && now.melds >= last.melds && now.cards >= last.cards;
    last = now;
    // Usually nothing has changed, and everything has its largest size.
    const isFull = meld ? isSame : Number(centre.style.getPropertyValue("--shrink")) === 1;
    if (isFull && holds(centre)) return centre.classList.remove("is-measured");
    /**
     * @param {string} way - the kind of search
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
        const { style } = name === "--shrink" ? centre : melds;
        if (!isLaid || style.getPropertyValue(name) !== String(size / SIZES)) {
          style.setProperty(name, String(size / SIZES));
          layOut(boxes);
          isLaid = true;
        }
        return holds(box);
      };
      const isGuess = way === "melds" || way === "tight";
      const likely = isGuess ? guessed(smallest, bound) : (found[way] ?? null);
      const isLess = isFuller && isGuess && likely !== null && likely < bound;
      const hint = isLess ? Math.max(smallest, Math.min(likely - 1, Math.floor(bound * SHRUNK))) : likely;
      // A guess is at most a pixel too low, so nothing larger is tried.
      const size = isGuess && fits(hint) ? hint : largest(fits, smallest, isGuess ? hint - 1 : bound, hint);
      found[way] = size;
      const shown = Math.max(size, smallest);
      if (tried !== shown) fits(shown);
      return size >= smallest;
    };
    /**
     * @param {number} least
     * @param {number} most
     */
    const guessed = (least, most) => {
      const now = Number(melds.style.getPropertyValue("--meld-shrink")) || 1;
      const height = melds.clientHeight - Math.max(0, centre.scrollHeight - centre.clientHeight);
      const laid = boxes.filter((box) => melds.contains(box));
      return guess(melds, laid, height, cardWidth(meld) / now, least, most);
    };
    const fitMelds = () => {
      const now = Number(melds.style.getPropertyValue("--meld-shrink")) || 1;
      const least = Math.min(1, (isOver ? LEAST_AT_END : LEAST_MELD) / (cardWidth(meld) / now));
      if (search("melds", "--meld-shrink", least)) return true;
      centre.classList.add("is-tight");
      if (search("tight", "--meld-shrink", least)) return true;
      if (isOver) return false;
      // The melds would be too small to read: put them into a drawer, sized for when it is open.
      const wasOpen = centre.classList.contains("is-open");
      centre.classList.add("has-drawer", "is-open");
      search("drawer", "--meld-shrink", least / 2, melds);
      centre.classList.toggle("is-open", wasOpen);
      return false;
    };
    centre.classList.remove("is-tight", "has-drawer");
    /** Whether the cards lie as their size now requires. */
    let isLaid = Number(centre.style.getPropertyValue("--shrink")) === 1;
    centre.style.setProperty("--shrink", "1");
    if (!meld || !fitMelds()) search("all", "--shrink", LEAST);
    centre.classList.remove("is-measured");
  };
}

/**
 * Make the function that gives the height of a box when it was last painted, in the same window: what is in it appears
 * and disappears, but the space stays, so that nothing below it moves.
 * @param {Found} box
 */
export function makeRoom(box) {
  let last = "";
  let height = 0;
  // Observed, because measuring in the middle of a drawing makes the browser lay out the page once more.
  new ResizeObserver(([{ borderBoxSize }]) => {
    height = borderBoxSize[0].blockSize;
  }).observe(box);
  return () => {
    const now = `${innerWidth}x${innerHeight}`;
    const room = last === now ? `${height}px` : "";
    last = now;
    return room;
  };
}
