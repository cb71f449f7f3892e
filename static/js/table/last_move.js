/** The last move, visible without the log: the played card, and what a seat got. */

import { byId, el } from "./el.js";
import { countOf, inSigns, say } from "./words.js";

/** Zones whose cards are held, not played. */
const HELD = /^(hand|stack|deck|stock|won|store|taken)/;

/**
 * @param {EventData} data
 * @returns {string[]}
 */
const codesOf = ({ cards, card }) => (Array.isArray(cards) ? cards : card ? [card] : []);

/**
 * The cards that the newest of these events put on the table, and their player; null if none did.
 * @param {GameEvent[]} events
 */
function playedBy(events) {
  const played = events.filter(
    ({ seat, data }) => seat !== null && data.target && !HELD.test(data.target) && codesOf(data).length,
  );
  const last = played.at(-1);
  if (!last) return null;
  return { seat: last.seat, codes: codesOf(last.data).map((code) => code.split("=")[0]), zone: last.data.target };
}

/**
 * Whether cards came into a hand: then no edge is left on a card that was played before, because it would look as if it
 * could be taken, or had come last.
 * @param {GameEvent} event
 */
const isDraw = ({ data }) => data.target?.startsWith("hand:") ?? false;

/**
 * Pairs of events: one that everyone gets, and one that its player gets in addition.
 * @type {Record<string, string>}
 */
const MORE = { draw: "drawn", laid: "chose", drawn: "drew", give: "given" };

/**
 * The events of a move without those that another one repeats with the card's name.
 * @template {Pick<GameEvent, "kind" | "seat">} Told
 * @param {Told[]} events
 */
export const withoutRepeats = (events) =>
  events.filter(
    ({ kind, seat }, at) =>
      !events.slice(at + 1).some((later) => later.seat === seat && kind in MORE && later.kind === MORE[kind]),
  );

/** Longer texts can't be read in passing. */
const BRIEF = 70;

/**
 * A move and its result, with signs for cards: its first and last sentence, except those that only tell what hands got.
 * When hidden cards are turned, playing them is old news.
 * @param {GameEvent[]} events
 */
export function sentenceOf(events) {
  const turned = events.findIndex(({ kind }) => kind === "turned");
  const told = withoutRepeats(events.slice(Math.max(0, turned))).filter(({ text }) => text);
  const done = told.filter(({ kind, data }) => !kind.startsWith("draw") && !data.target?.startsWith("hand:"));
  const sentences = (done.length ? done : told).map(({ text }) => inSigns(text));
  const last = sentences.at(-1) ?? "";
  const both = sentences.length > 1 ? `${sentences[0]} ${last}` : last;
  return both.length > BRIEF ? last : both;
}

/** @type {{ seat: number | null, codes: string[], zone?: string }} */
const NOTHING = { seat: null, codes: [] };

/**
 * @param {Store} store
 * @param {() => Cards} cards - visible card elements, by key
 */
export function makeLastMove(store, cards) {
  let last = NOTHING;
  let said = "";

  /**
   * Show at a seat for a moment how many cards came into its hand.
   * @param {GameEvent[]} events
   */
  function gains(events) {
    const got = new Map();
    for (const { data } of events) {
      const [kind, owner] = (data.target ?? "").split(":");
      const n = Array.isArray(data.cards) ? data.cards.length : (data.cards ?? (data.card ? 1 : 0));
      if (kind === "hand" && Number(owner) !== store.you && n) got.set(owner, (got.get(owner) ?? 0) + n);
    }
    for (const [owner, n] of got) {
      const seat = document.querySelector(`#felt .seat[data-seat="${CSS.escape(owner)}"]`);
      seat?.querySelector(".seat-gain")?.remove();
      const made = el("span.seat-gain", { "aria-hidden": "true" }, say("gain", { n: countOf(n) }));
      made.addEventListener("animationend", () => made.remove());
      seat?.append(made);
    }
  }

  return {
    /** A snapshot: its log tells what was played last. */
    begun() {
      const changed = store.log.findLast((line) => isDraw(line) || playedBy([line]))?.v;
      last = playedBy(store.log.filter(({ v }) => v === changed)) ?? NOTHING;
      const newest = store.log.findLast(({ text }) => text)?.v;
      said = sentenceOf(store.log.filter(({ v }) => v === newest));
    },
    /**
     * Note new events.
     * @param {GameEvent[]} events
     */
    add(events) {
      last = playedBy(events) ?? last;
      gains(events);
    },
    /**
     * Called with the events of a move that was shown in full; null after a part of one, because the strip and the edge
     * are about whole moves.
     * @param {GameEvent[] | null} events
     */
    shown(events) {
      said = events ? sentenceOf(events) || said : "";
      if (events?.some(isDraw) && !playedBy(events)) last = NOTHING;
    },
    /** Show the move in the strip, together with whose turn it is; the log reads it out. */
    say() {
      // In a lesson and at the end, the strip shows other things.
      byId("last").textContent = store.lesson || store.status === "over" ? "" : said;
    },
    /** Mark its card, once the cards are drawn. */
    drawn() {
      // With several packs the same card may be there twice: what was played is in its zone, and on top.
      const isThere = (/** @type {Element} */ card) => Number(card.getAttribute("data-zone") === last.zone);
      const shown = [...cards()].reverse().sort(([, one], [, other]) => isThere(other) - isThere(one));
      const missing = [...last.codes];
      for (const [key, card] of shown) {
        const at = card.closest("#hand, [data-kind=fan]") ? -1 : missing.indexOf(key.split("#")[0]);
        if (at >= 0) missing.splice(at, 1);
        card.classList.toggle("is-last", at >= 0);
        if (at >= 0) card.dataset.by = last.seat === null ? "" : store.nameFor(last.seat);
        else delete card.dataset.by;
      }
    },
  };
}
