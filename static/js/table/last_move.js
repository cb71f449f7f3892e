/** What happened last, to be seen without the log: the card that was played, and what came to a seat. */

import { el } from "./el.js";
import { say } from "./words.js";

/** Zones whose cards are held, not played. */
const HELD = /^(hand|stack|deck|stock|won|store|taken)/;

/**
 * @param {EventData} data
 * @returns {string[]}
 */
const codesOf = ({ cards, card }) => (Array.isArray(cards) ? cards : card ? [card] : []);

/**
 * The cards that the newest of these events has put on the table; null if none of them has.
 * @param {GameEvent[]} events
 */
function playedBy(events) {
  const played = events.filter(
    ({ seat, data }) => seat !== null && data.target && !HELD.test(data.target) && codesOf(data).length,
  );
  return played.length ? codesOf(played[played.length - 1].data).map((code) => code.split("=")[0]) : null;
}

/**
 * @param {Store} store
 * @param {() => Cards} cards - card elements in sight, by key
 */
export function makeLastMove(store, cards) {
  /** @type {string[]} */
  let last = [];

  /**
   * How many cards came into the hand of another seat, said at that seat for a moment.
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
      const made = el("span.seat-gain", { "aria-hidden": "true" }, say("gain", { n }));
      made.addEventListener("animationend", () => made.remove());
      seat?.append(made);
    }
  }

  return {
    /** A whole view: what its log says was played last. */
    begun() {
      last = playedBy(store.log) ?? [];
    },
    /**
     * Take in what has happened.
     * @param {GameEvent[]} events
     */
    heard(events) {
      last = playedBy(events) ?? last;
      gains(events);
    },
    /** After each drawing: mark the card. */
    drawn() {
      for (const [key, card] of cards())
        card.classList.toggle("is-last", last.includes(key.split("#")[0]) && !card.closest("#hand"));
    },
  };
}
