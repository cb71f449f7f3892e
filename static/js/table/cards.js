/** Card faces: one SVG symbol each, drawn once into the page and used wherever the card lies. */

import { el } from "./el.js";
import { cardName, cardSign, rankSign, say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
/** @type {Record<string, string>} */
export const SUIT_NAMES = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };
/**
 * Suits in a box of 20 by 20.
 * @type {Record<string, string>}
 */
const SHAPES = {
  C: "M10 1a4.3 4.3 0 0 0-3.6 6.6A4.4 4.4 0 1 0 9 14.3c-.1 1.9-.7 3.4-2.2 4.7h6.4c-1.5-1.3-2.1-2.8-2.2-4.7a4.4 4.4 0 1 0 2.6-6.7A4.3 4.3 0 0 0 10 1Z",
  D: "M10 .8c1.9 3.4 4.2 6.4 7 9.2-2.8 2.8-5.1 5.8-7 9.2C8.1 15.8 5.8 12.8 3 10 5.8 7.2 8.1 4.2 10 .8Z",
  H: "M10 18.8C7.5 14.9 1.5 11.8 1.5 6.5A4.5 4.5 0 0 1 10 4.2a4.5 4.5 0 0 1 8.5 2.3c0 5.3-6 8.4-8.5 12.3Z",
  S: "M10 1c2.4 3.7 8.3 6.8 8.3 11.1a3.9 3.9 0 0 1-7.3 1.9c.1 2.1.8 3.7 2.3 5H6.7c1.5-1.3 2.2-2.9 2.3-5a3.9 3.9 0 0 1-7.3-1.9C1.7 7.8 7.6 4.7 10 1Z",
};
const STAR = "M10 1l2.7 5.9 6.3.8-4.7 4.4 1.3 6.4L10 15.3 4.4 18.5l1.3-6.4L1 7.7l6.3-.8Z";
/**
 * Head-dresses of the court, in a box of 40 by 24.
 * @type {Record<string, string>}
 */
const CROWNS = {
  J: "M6 22c0-9 6-15 14-15 4 0 7 1 9 3l7-8c0 8-1 13-4 17v3Zm-1 0h30v2H5Z",
  Q: "M4 20 7 6l7 7 6-11 6 11 7-7 3 14Zm0 2h32v2H4Z",
  K: "M4 20V4l8 6 8-9 8 9 8-6v16ZM4 22h32v2H4Z",
};
/** Where pips lie on a card of 100 by 140: right of the index, so that neither covers the other. */
const LEFT = 43;
const MIDDLE = 61;
const RIGHT = 79;
/** @param {...number} rows */
const columns = (...rows) =>
  rows.flatMap((y) => [
    [LEFT, y],
    [RIGHT, y],
  ]);
const [TOP, CENTRE, BOTTOM] = [26, 70, 114];
/** @type {Record<string, number[][]>} */
const PIPS = {
  2: [
    [MIDDLE, TOP],
    [MIDDLE, BOTTOM],
  ],
  3: [
    [MIDDLE, TOP],
    [MIDDLE, CENTRE],
    [MIDDLE, BOTTOM],
  ],
  4: columns(TOP, BOTTOM),
  5: [...columns(TOP, BOTTOM), [MIDDLE, CENTRE]],
  6: columns(TOP, CENTRE, BOTTOM),
  7: [...columns(TOP, CENTRE, BOTTOM), [MIDDLE, 48]],
  8: [...columns(TOP, CENTRE, BOTTOM), [MIDDLE, 48], [MIDDLE, 92]],
  9: [...columns(TOP, 55, 85, BOTTOM), [MIDDLE, CENTRE]],
  T: [...columns(TOP, 55, 85, BOTTOM), [MIDDLE, 40], [MIDDLE, 100]],
};

/**
 * A path elsewhere: scaled, then moved; a negative scale turns it half round. All shapes of a card that are filled alike
 * become one path this way, because a browser pays for each element of a face wherever the card lies.
 * @param {string} path
 * @param {number} scale
 * @param {number} x
 * @param {number} y
 */
const placed = (path, scale, x, y) =>
  path.replace(/([a-zA-Z])([^a-zA-Z]*)/g, (_, command, rest) => {
    const isRelative = command === command.toLowerCase();
    const kind = command.toLowerCase();
    const numbers = (rest.match(/-?(\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    const made = numbers.map((/** @type {number} */ number, /** @type {number} */ at) => {
      // An arc begins with two radii, an angle and two flags.
      if (kind === "a" && at % 7 < 5) return at % 7 < 2 ? number * Math.abs(scale) : number;
      const isAcross = kind === "h" || (kind === "a" ? at % 7 === 5 : kind !== "v" && at % 2 === 0);
      return number * scale + (isRelative ? 0 : isAcross ? x : y);
    });
    return command + made.map((/** @type {number} */ number) => +number.toFixed(2)).join(" ");
  });

/**
 * @param {string} shape
 * @param {number} x - of its middle
 * @param {number} y
 * @param {number} size - negative: upside down
 */
const shapeAt = (shape, x, y, size) => placed(shape, size / 20, x - size / 2, y - size / 2);

/** @param {string[]} shapes */
const filled = (...shapes) => `<path d="${shapes.join("")}"/>`;

/**
 * The index's letters; the one below the suit is shown on demand.
 * @param {string} rank
 * @param {string} suit
 */
function index(rank, suit) {
  const wide = rank === "T" ? ' textLength="28" lengthAdjust="spacingAndGlyphs"' : "";
  return `<text class="face-index" x="17" y="33" text-anchor="middle"${wide}>${rankSign(rank)}</text><text class="face-letter" x="17" y="86" text-anchor="middle">${suit}</text>`;
}

/**
 * @param {string} rank
 * @param {string} suit
 */
function usual(rank, suit) {
  const shape = SHAPES[suit];
  const shapes = [shapeAt(shape, 17, 52, 22)];
  let [under, over] = ["", ""];
  if (rank === "A") shapes.push(shapeAt(shape, MIDDLE, CENTRE, 50));
  else if (rank in CROWNS) {
    shapes.push(shapeAt(shape, MIDDLE, 56, 22), shapeAt(shape, MIDDLE, 84, -22));
    const crowns = placed(CROWNS[rank], 1, 41, 19) + placed(CROWNS[rank], -1, 81, 121);
    under = `<rect class="face-frame" x="34" y="11" width="54" height="118" rx="6"/><path class="face-crown" d="${crowns}"/>`;
    over = '<path class="face-belt" d="M34 78 88 62"/>';
  } else shapes.push(...PIPS[rank].map(([x, y]) => shapeAt(shape, x, y, y > CENTRE ? -20 : 20)));
  return index(rank, suit) + under + filled(...shapes) + over;
}

/**
 * The other style: nothing but one index, as large as a narrow strip of a fan shows whole, and its suit.
 * @param {string} rank
 * @param {string} suit
 */
function large(rank, suit) {
  const wide = rank === "T" ? ' textLength="44" lengthAdjust="spacingAndGlyphs"' : "";
  const shapes = filled(shapeAt(SHAPES[suit], 26, 74, 34), shapeAt(SHAPES[suit], 68, 108, 44));
  return `<text class="face-index face-index--large" x="26" y="48" text-anchor="middle"${wide}>${rankSign(rank)}</text><text class="face-letter" x="26" y="118" text-anchor="middle">${suit}</text>${shapes}`;
}

/**
 * A joker: stars, hollow on the red one, because colour alone doesn't tell everyone which one it is.
 * @param {boolean} isRed
 * @param {boolean} isLarge
 */
function joker(isRed, isLarge) {
  const edge = isRed ? 3 : 0; // its line lies half outside the shape
  const stars = isLarge
    ? shapeAt(STAR, 26, 33, 44 - edge) + shapeAt(STAR, 68, 104, 48 - edge)
    : shapeAt(STAR, 18, 22, 31 - edge) + shapeAt(STAR, MIDDLE, 58, 54 - edge);
  const drawn = isRed ? `<path class="face-hollow" d="${stars}"/>` : filled(stars);
  const colour = say(isRed ? "face_red" : "face_black");
  if (isLarge) return `${drawn}<text class="face-letter" x="26" y="80" text-anchor="middle">${colour[0]}</text>`;
  /** @param {string} word */
  const narrow = (word) => (word.length > 5 ? ' textLength="56" lengthAdjust="spacingAndGlyphs"' : "");
  const words = [say("joker").toUpperCase(), colour].map(
    (word, at) =>
      `<text class="face-joker" x="${MIDDLE}" y="${106 + 18 * at}" text-anchor="middle"${narrow(word)}>${word}</text>`,
  );
  return `${drawn}<text class="face-letter" x="18" y="60" text-anchor="middle">${colour[0]}</text>${words.join("")}`;
}

/**
 * @param {string} code
 * @param {string | undefined} style
 */
function face(code, style) {
  if (code[1] === "J") return joker(code[0] === "R", style === "large");
  const [rank, suit] = code;
  return style === "large" ? large(rank, suit) : usual(rank, suit);
}

const lines = Array.from({ length: 13 }, (_, at) => 20 * at).map(
  (x) => `M7 ${x - 60} 93 ${x + 26}M93 ${x - 60} 7 ${x + 26}`,
);
const BACK = `<rect class="back-field" x="7" y="7" width="86" height="126" rx="6"/><path class="back-lines" d="${lines.join("")}"/><rect class="back-rim" x="7" y="7" width="86" height="126" rx="6"/>`;

/**
 * Draw every face once; call before the first card is made.
 * @param {string | undefined} style
 */
export function drawFaces(style = document.body.dataset.faces) {
  const codes = Object.keys(SUIT_NAMES).flatMap((suit) => [..."A23456789TJQK"].map((rank) => rank + suit));
  /**
   * @param {string} id
   * @param {string} body
   */
  const symbol = (id, body) => `<symbol id="face-${id}" viewBox="0 0 100 140">${body}</symbol>`;
  const sheet = new DOMParser().parseFromString(
    `<svg xmlns="${SVG}" class="face-sheet" aria-hidden="true"><clipPath id="back-clip"><rect x="7" y="7" width="86" height="126" rx="6"/></clipPath>${[...codes, "RJ", "BJ"].map((code) => symbol(code, face(code, style))).join("")}${symbol("back", `<g clip-path="url(#back-clip)">${BACK}</g>`)}</svg>`,
    "image/svg+xml",
  );
  document.body.append(document.importNode(sheet.documentElement, true));
}

/** @param {string | null} code */
const kindOf = (code) =>
  code === null ? "back" : code === "RJ" ? "red-joker" : code === "BJ" ? "black-joker" : SUIT_NAMES[code[1]];

/**
 * A card as an element. `code` null is its back; `RJ=5C` is a joker with a note of what it stands for.
 * @param {string | null} code
 * @param {"span" | "button"} tag
 */
export function makeCard(code, tag = "span") {
  const [shown, standsFor] = code === null ? [null, undefined] : code.split("=");
  const card = /** @type {Found} */ (document.createElement(tag));
  if (tag === "button") card.type = "button";
  card.className = `playing-card playing-card--${kindOf(shown)}`;
  if (shown !== null) card.dataset.card = shown;
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 100 140");
  svg.setAttribute("aria-hidden", "true");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#face-${shown ?? "back"}`);
  svg.append(use);
  const name = document.createElement("span");
  name.className = "visually-hidden";
  name.textContent = cardName(code);
  card.append(svg, name);
  if (standsFor) {
    const note = document.createElement("span");
    note.className = "card-stands-for";
    note.setAttribute("aria-hidden", "true");
    note.textContent = standsFor.endsWith("*") ? rankSign(standsFor[0]) : cardSign(standsFor);
    card.append(note);
  }
  return card;
}

/**
 * A card in a line of words.
 * @param {string} code
 */
export function sign(code) {
  const made = silentSign(code);
  made.replaceChildren(
    el("span", { "aria-hidden": "true" }, cardSign(code)),
    el("span.visually-hidden", {}, cardName(code)),
  );
  return made;
}

/**
 * A card in words that aren't read out. A hidden name makes the layout of a sign twice as slow.
 * @param {string} code
 */
export function silentSign(code) {
  const red = code === "RJ" || code[1] === "D" || code[1] === "H";
  const kind = code[1] === "J" ? "" : { C: " is-clubs", D: " is-diamonds", H: " is-hearts", S: " is-spades" }[code[1]];
  const made = el("span", {}, cardSign(code));
  made.className = `card-sign${red ? " is-red" : ""}${kind}`;
  return made;
}

/**
 * The newest of the cards that a seat is known to hold: as many as fit one line. All are read out.
 * @param {string[]} known
 * @param {number} room - the width of the seat, in pixels
 */
export function knownCards(known, room) {
  // In the narrowest seat there is no room for a number: the edge of a card shows that there are more.
  const isNarrow = room < 150;
  const isTight = isNarrow || (room < 190 && known.length > 2);
  const most = isTight ? 1 : room < 210 ? 2 : 3;
  const rest = known.slice(0, -most);
  return el(
    `span.chip-known${rest.length && isNarrow ? ".has-more" : ""}`,
    { title: known.map(cardName).join(", ") },
    rest.length ? el("span.visually-hidden", {}, `${rest.map(cardName).join(", ")}, `) : null,
    rest.length && !isNarrow ? el("span", { "aria-hidden": "true" }, `+${rest.length}`) : null,
    ...known.slice(-most).map(sign),
  );
}
