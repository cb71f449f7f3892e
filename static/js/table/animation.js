/** Cards travel from where they were to where they are; events say where unseen ones come from and go to. */

const CALM = 280;
const FADE = 120;
/** A card that was drawn rests above the hand, so that its player sees which it is, and then slides into its place. */
const REST = 500;
const SLIDE = 200;
/** How far above, as part of its height. */
const LIFT = 0.5;
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
/** Cards of one event that are seen to fly, when only their number is known. */
const MOST_FLYING = 4;
/** Of the first deal: rounds that are seen, and the time from card to card. */
const DEALT_ROUNDS = 3;
const DEAL_STEP = 45;
const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";

/**
 * Where everything is before the table is drawn anew.
 * @param {Cards} cards
 * @returns {Before}
 */
export function remember(cards) {
  const rects = new Map();
  if (!isWorthIt()) return { rects, zones: new Map() };
  for (const [key, card] of cards)
    rects.set(key, { rect: card.getBoundingClientRect(), card, isOwn: card.closest("#hand") !== null });
  const zones = new Map();
  for (const place of document.querySelectorAll("[data-zone]")) {
    if (!place.dataset.key) zones.set(place.dataset.zone, place.getBoundingClientRect());
  }
  return { rects, zones };
}

const isWorthIt = () => !stillness.matches && !document.hidden;

/**
 * Let the cards travel.
 * @param {Before} before
 * @param {Cards} cards - as they lie now
 * @param {GameEvent[]} events
 */
export function travel(before, cards, events) {
  if (!isWorthIt() || !(before.rects.size + before.zones.size)) return;
  const ways = waysOf(events);
  const zoneRect = measureZones();
  // Everything is measured before anything moves: a measurement after a change costs a layout of the page.
  const lying = [...cards].map(([key, card]) => ({ key, card, now: card.getBoundingClientRect() }));
  const strip = document.getElementById("strip")?.getBoundingClientRect() ?? new DOMRect();
  for (const { key, card, now } of lying) {
    const was = before.rects.get(key)?.rect ?? before.zones.get(ways.from.get(codeOf(key)) ?? "");
    // A card to be slapped is there at once, for everybody alike: it does not travel.
    if (card.closest("[data-still]") && !before.rects.has(key)) continue;
    // Drawn again meanwhile, a card goes on resting: a glide would take it down before it has been seen.
    if (card.closest("#hand") && isResting(card)) continue;
    if (card.matches("#hand .is-new") && !before.rects.get(key)?.isOwn) present(card, was ?? now, now, strip);
    else if (was) glide(card, was, now);
    else if (before.rects.size && !key.includes("@")) card.animate({ opacity: [0, 1] }, { duration: CALM });
  }
  for (const [key, { rect, card }] of before.rects) {
    if (cards.has(key) || key.includes("@")) continue;
    const to = zoneRect(ways.to.get(codeOf(key)));
    if (to) ghost(card, rect, to, 0);
  }
  for (const { source, target, count } of ways.unseen) {
    const [from, to] = [before.zones.get(source) ?? zoneRect(source), zoneRect(target)];
    if (!from || !to) continue;
    for (let at = 0; at < Math.min(count, MOST_FLYING); at += 1) ghost(null, from, to, at * 70);
  }
}

/**
 * The first deal: from the stock, or the middle of the table, round to every seat; one's own cards land face up.
 * @param {Cards} cards
 */
export function deal(cards) {
  if (!isWorthIt()) return;
  const { left, top, width, height } =
    measureZones()("stock") ?? document.querySelector("#felt").getBoundingClientRect();
  const from = new DOMRect(left + width / 2 - 20, top + height / 2 - 28, 40, 56);
  const seats = [...document.querySelectorAll("[data-seat]")].map((seat) => seat.getBoundingClientRect());
  const hand = [...cards.values()].filter((card) => card.closest("#hand"));
  const places = hand.map((card) => card.getBoundingClientRect());
  for (let turn = 0; turn < DEALT_ROUNDS; turn += 1) {
    for (const [at, seat] of seats.entries()) ghost(null, from, seat, (turn * seats.length + at) * DEAL_STEP);
  }
  for (const [at, card] of hand.entries()) glide(card, from, places[at], at * DEAL_STEP);
}

/** Where nothing may fly, one state of the table fades into the next. */
export const fade = () => document.querySelector("#felt").animate({ opacity: [0.55, 1] }, { duration: FADE });

/** @param {GameEvent[]} events */
function waysOf(events) {
  /** @type {Map<string, string>} */
  const from = new Map();
  /** @type {Map<string, string>} */
  const to = new Map();
  const unseen = [];
  for (const { data } of events) {
    if (!data.source || !data.target) continue;
    const seen = Array.isArray(data.cards) ? data.cards : data.card ? [data.card] : null;
    if (seen) {
      for (const [at, code] of seen.entries()) {
        from.set(code, Array.isArray(data.source) ? data.source[at] : data.source);
        to.set(code, data.target);
      }
    } else if (typeof data.source === "string" && data.source !== data.target) {
      unseen.push({ source: data.source, target: data.target, count: Number(data.cards ?? 1) });
    }
  }
  return { from, to, unseen };
}

/** @param {string} key */
const codeOf = (key) => key.split("#")[0];

/** Where zones are, and for those that aren't on the table their owners' seats. */
function measureZones() {
  /** @type {Map<string, DOMRect>} */
  const rects = new Map();
  for (const place of document.querySelectorAll("[data-zone]")) {
    const { zone = "", key } = place.dataset;
    if (!key && !rects.has(zone)) rects.set(zone, place.getBoundingClientRect());
  }
  const seats = new Map(
    [...document.querySelectorAll("[data-seat]")].map((seat) => [seat.dataset.seat, seat.getBoundingClientRect()]),
  );
  /** @param {string | undefined} zone */
  return (zone) => {
    const rect = rects.get(zone ?? "") ?? seats.get(zone?.split(":")[1]);
    return rect?.width ? rect : undefined; // the end of a lesson hides the own place
  };
}

/**
 * How a card is moved from its place so that it lies where it was.
 * @param {DOMRect} was
 * @param {DOMRect} now
 */
function offset(was, now) {
  const [x, y] = [
    was.left + was.width / 2 - now.left - now.width / 2,
    was.top + was.height / 2 - now.top - now.height / 2,
  ];
  const scale = now.width ? Math.min(1.4, Math.max(0.4, was.width / now.width)) : 1;
  return { transform: `translate(${x}px, ${y}px) scale(${scale})`, isFar: Math.abs(x) + Math.abs(y) >= 2 };
}

/**
 * @param {Element} card
 * @param {DOMRect} was
 * @param {DOMRect} now
 */
function glide(card, was, now, delay = 0) {
  const { transform, isFar } = offset(was, now);
  if (!isFar) return;
  card.animate(
    { transform: [transform, "none"], zIndex: [5, 5] },
    { duration: CALM, delay, easing: EASE, fill: "backwards" },
  );
}

/**
 * Cards that rest above the hand.
 * @type {Set<Animation>}
 */
const resting = new Set();
/** @param {Element} card */
const isResting = (card) =>
  [...resting].some(({ effect }) => effect instanceof KeyframeEffect && effect.target === card);

/**
 * How far a card of the hand can rise without lying under the sentence above it.
 * @param {DOMRect} now
 * @param {DOMRect} strip
 */
function roomAbove(now, { left, right, bottom }) {
  const isBelow = bottom <= now.top && left < now.right && right > now.left;
  return isBelow ? now.top - bottom : Number.POSITIVE_INFINITY;
}

/**
 * A card that comes into the own hand.
 * @param {Element} card
 * @param {DOMRect} was
 * @param {DOMRect} now
 * @param {DOMRect} strip - the sentence above the hand
 */
function present(card, was, now, strip) {
  const duration = CALM + REST + SLIDE;
  const above = `translateY(${-Math.min(LIFT * now.height, roomAbove(now, strip))}px)`;
  const motion = card.animate(
    [
      { transform: offset(was, now).transform, easing: EASE },
      { transform: above, offset: CALM / duration },
      { transform: above, offset: (CALM + REST) / duration, easing: EASE },
      { transform: "none" },
    ],
    { duration },
  );
  resting.add(motion);
  motion.finished.catch(() => undefined).finally(() => resting.delete(motion));
}

/** Who goes on has seen them. */
export function settle() {
  for (const motion of resting) motion.finish();
}

/**
 * A card that is gone from the table flies to where it went.
 * @param {Element | null} card - null for one face down
 * @param {DOMRect} from
 * @param {DOMRect} to
 * @param {number} delay
 */
function ghost(card, from, to, delay) {
  const model = card ?? document.querySelector("#ghost-back").content.firstElementChild;
  const flying = /** @type {Found} */ (model?.cloneNode(true));
  flying.classList.add("ghost");
  flying.removeAttribute("data-key");
  const width = card ? from.width : 40;
  Object.assign(flying.style, {
    left: `${from.left + from.width / 2 - width / 2}px`,
    top: `${from.top + from.height / 2 - width * 0.7}px`,
    width: `${width}px`,
  });
  document.body.append(flying);
  const [x, y] = [
    to.left + to.width / 2 - from.left - from.width / 2,
    to.top + to.height / 2 - from.top - from.height / 2,
  ];
  flying
    .animate(
      { transform: ["none", `translate(${x}px, ${y}px) scale(0.45)`], opacity: [1, 1, 0] },
      { duration: CALM * 1.4, delay, easing: EASE, fill: "backwards" },
    )
    .finished.finally(() => flying.remove());
}
