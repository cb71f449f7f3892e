/** Animate cards from their old places to their new ones; events tell where unseen cards come from and go to. */

const CALM = 280;
const FADE = 120;
/** A drawn card rests above the hand, so that its player sees it, and then slides into its place. */
const REST = 500;
const SLIDE = 200;
/** How far above, as a share of its height. */
const LIFT = 0.5;
const stillness = matchMedia("(prefers-reduced-motion: reduce)");
/** The most cards of one event that fly, if only their number is known. */
const MOST_FLYING = 4;
/** For the first deal: the rounds shown, and the time between cards. */
const DEALT_ROUNDS = 3;
const DEAL_STEP = 45;
const EASE = "cubic-bezier(0.2, 0.7, 0.2, 1)";

/**
 * Measure where everything is, before the table is drawn again.
 * @param {Cards} cards
 * @returns {Before}
 */
export function remember(cards) {
  const rects = new Map();
  if (!isWorthIt()) return { rects, zones: new Map(), melds: new Map() };
  for (const [key, card] of cards)
    rects.set(key, { rect: card.getBoundingClientRect(), card, isOwn: card.closest("#hand") !== null });
  const zones = new Map();
  for (const place of document.querySelectorAll("[data-zone]")) {
    if (!place.dataset.key) zones.set(place.dataset.zone, place.getBoundingClientRect());
  }
  const melds = new Map(meldsNow().map((meld) => [meld, meld.getBoundingClientRect()]));
  return { rects, zones, melds };
}

/** Melds glide whole, with their names, and so does the box in which they lie. */
const meldsNow = () => [...document.querySelectorAll("#felt :is(.melds, .melds > .zone)")];

const isWorthIt = () => !stillness.matches && !document.hidden;

/**
 * Animate the cards.
 * @param {Before} before
 * @param {Cards} cards - in their new places
 * @param {GameEvent[]} events
 */
export function travel(before, cards, events) {
  if (!isWorthIt() || !(before.rects.size + before.zones.size)) return;
  const ways = waysOf(events);
  for (const motion of gliding) motion.cancel(); // else what glides would be measured on its way
  const zoneRect = measureZones();
  // Measure everything before anything moves: measuring after a change makes the browser lay out the page again.
  const lying = [...cards].map(([key, card]) => {
    const now = card.getBoundingClientRect();
    const isMelded = card.closest(".melds") !== null;
    return { key, card, now, isMelded, zoom: (isMelded && now.width / card.offsetWidth) || 1 };
  });
  const melds = meldsNow().map((meld) => ({ meld, now: meld.getBoundingClientRect(), was: before.melds.get(meld) }));
  /** How far the box of the melds glides down, when the piles need more room: what is in it comes with it. */
  const down = melds[0]?.was ? melds[0].now.top - melds[0].was.top : 0;
  const strip = document.getElementById("strip")?.getBoundingClientRect() ?? new DOMRect();
  for (const { meld, now, was } of melds) {
    const y = was ? was.top - now.top + (meld.matches(".zone") ? down : 0) : 0;
    if (was && (y || was.left !== now.left)) slide(meld, `translate(${was.left - now.left}px, ${y}px)`);
  }
  for (const { key, card, now, isMelded, zoom } of lying) {
    const from = before.rects.get(key)?.rect ?? before.zones.get(ways.from.get(codeOf(key)) ?? "");
    const was = from && isMelded ? new DOMRect(from.x, from.y + down, from.width, from.height) : from;
    // A slappable card appears at once, without an animation, so that everyone sees it equally early.
    if (card.closest("[data-still]") && !before.rects.has(key)) continue;
    if (before.melds.has(card.closest(".melds > .zone") ?? card)) continue;
    // A resting card goes on resting when the table is drawn again: a glide would take it down too early.
    if (card.closest("#hand") && isResting(card)) continue;
    if (card.matches("#hand .is-new") && !before.rects.get(key)?.isOwn) present(card, was ?? now, now, strip);
    else if (was) glide(card, was, now, 0, zoom);
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
 * The first deal: from the stock, or the middle of the table, to each seat in turn; the player's own cards land face
 * up.
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

/** With reduced motion, one state of the table fades into the next. */
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

/** The places of zones; for zones that aren't on the table, their owners' seats. */
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
    return rect?.width ? rect : undefined; // the end of a lesson hides the player's own area
  };
}

/**
 * The transformation that puts a card back where it was.
 * @param {DOMRect} was
 * @param {DOMRect} now
 * @param {number} [zoom] - how much the box around the card is scaled
 */
function offset(was, now, zoom = 1) {
  const [x, y] = [
    was.left + was.width / 2 - now.left - now.width / 2,
    was.top + was.height / 2 - now.top - now.height / 2,
  ];
  const scale = now.width ? Math.min(1.4, Math.max(0.4, was.width / now.width)) : 1;
  return {
    transform: `translate(${x / zoom}px, ${y / zoom}px) scale(${scale})`,
    isFar: Math.abs(x) + Math.abs(y) >= 2,
  };
}

/**
 * What is on its way.
 * @type {Set<Animation>}
 */
const gliding = new Set();

/**
 * @param {Element} card
 * @param {DOMRect} was
 * @param {DOMRect} now
 * @param {number} [delay]
 * @param {number} [zoom] - how much the box around the card is scaled
 */
function glide(card, was, now, delay = 0, zoom = 1) {
  const { transform, isFar } = offset(was, now, zoom);
  if (isFar) slide(card, transform, delay);
}

/**
 * @param {Element} what
 * @param {string} transform - to where it was
 */
function slide(what, transform, delay = 0) {
  const motion = what.animate(
    { transform: [transform, "none"] },
    { duration: CALM, delay, easing: EASE, fill: "backwards" },
  );
  gliding.add(motion);
  /** Scaled melds hold their cards in a box that must be raised, too. */
  const box = what.closest(".melds .spread-row > ul");
  for (const raised of [what, box]) raised?.classList.add("is-moving"); // fit.js measures as if it were still
  const isOf = (/** @type {Animation} */ { effect }) => effect instanceof KeyframeEffect && effect.target === what;
  motion.finished
    .catch(() => undefined)
    .finally(() => {
      gliding.delete(motion);
      if (![...gliding].some(isOf)) what.classList.remove("is-moving");
      if (!box?.querySelector(".is-moving")) box?.classList.remove("is-moving");
    });
}

/**
 * The running animations of cards that rest above the hand.
 * @type {Set<Animation>}
 */
const resting = new Set();
/** @param {Element} card */
const isResting = (card) =>
  [...resting].some(({ effect }) => effect instanceof KeyframeEffect && effect.target === card);

/**
 * How far a card of the hand can rise without touching the strip above it.
 * @param {DOMRect} now
 * @param {DOMRect} strip
 */
function roomAbove(now, { left, right, bottom }) {
  const isBelow = bottom <= now.top && left < now.right && right > now.left;
  return isBelow ? now.top - bottom : Number.POSITIVE_INFINITY;
}

/**
 * Animate a card that comes into the player's own hand.
 * @param {Element} card
 * @param {DOMRect} was
 * @param {DOMRect} now
 * @param {DOMRect} strip - above the hand
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

/** A player who continues has seen the resting cards. */
export function settle() {
  for (const motion of resting) motion.finish();
}

/**
 * Let a card that has left the table fly to its new place.
 * @param {Element | null} card - null for a face-down card
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
