/** Amagande: the required suit, the penalty, the direction, and what a showdown would do now. */

import { SUIT_NAMES } from "../cards.js";
import { capital, cardName, isCoached, moveLabel, SUIT_SIGNS, say, suitName } from "../words.js";

/** Windows whose height leaves the facts one line. */
const low = matchMedia("(max-height: 479px)");

/**
 * The value of a card in a showdown.
 * @type {Record<string, number>}
 */
const VALUES = { A: 11, 2: 20, 3: 30, T: 10, J: 13, Q: 12, K: 14 };
/** @param {string} code */
const worth = (code) => (code === "AS" ? 60 : code[1] === "J" ? 50 : (VALUES[code[0]] ?? Number(code[0])));
/** A hand with a higher sum is eliminated. */
const SAFE = 30;

/**
 * What a showdown would do to the player's own hand now, without the bomb if the player has it.
 * @param {Table<AmagandeFacts>} table
 */
function showdown({ store, facts }) {
  const held = store.zone(`hand:${store.you}`)?.cards ?? [];
  const hand = held.filter((code) => code !== `7${facts.reference}`);
  const sum = hand.reduce((total, code) => total + worth(code), 0);
  const bad = hand.find((code) => code[1] === "J" || code[0] === "A");
  if (bad) return say("showdown_card", { n: sum, card: cardName(bad) });
  return say(sum > SAFE ? "showdown_over" : "showdown_safe", { n: sum });
}

/**
 * The discard pile, with the suit that an ace has named on it, because that suit is what counts.
 * @param {Table<AmagandeFacts>} table
 */
function discards({ store, stackOf, el, facts }) {
  const zone = stackOf(store.zone("discard"));
  if (facts.suit)
    zone
      .querySelector(".stack")
      ?.append(
        el(
          `span.named-suit.playing-card--${SUIT_NAMES[facts.suit]}`,
          { "aria-hidden": "true" },
          SUIT_SIGNS[facts.suit],
        ),
      );
  return zone;
}

/** @type {Layout<AmagandeFacts>} */
const layout = {
  marks(table) {
    const { facts, mark, store, view } = table;
    const required = facts.free
      ? say("anything")
      : facts.suit
        ? `${SUIT_SIGNS[facts.suit]} ${suitName(facts.suit)}`
        : facts.colour
          ? say(facts.colour)
          : null;
    const direction = `${facts.direction > 0 ? "↻" : "↺"} ${say(facts.direction > 0 ? "clockwise" : "counter")}`;
    const bomb = cardName(`7${facts.reference}`);
    return [
      required ? mark(say("required"), required) : null,
      view.seats.length > 2 ? mark(say("direction"), direction) : null,
      mark(say("bomb"), isCoached && !low.matches ? say("bomb_coach", { card: bomb }) : bomb),
      store.you !== null && view.phase !== "over" ? mark(say("showdown_now"), showdown(table)) : null,
    ];
  },
  /** Sums of hands are only counted at the end. */
  hasPoints: ({ view }) => view.phase === "over",
  centre(table) {
    const { store, stackOf, el, facts, view } = table;
    const isOwn = view.to_move[0] === store.you;
    return [
      el("div.centre-row", {}, stackOf(store.zone("stock")), discards(table)),
      facts.penalty
        ? el(
            "p.penalty",
            {},
            el("strong.penalty-number", {}, String(facts.penalty)),
            el("span", {}, say(isOwn ? "penalty_own" : "penalty_for", { name: store.names[view.to_move[0]] })),
          )
        : null,
    ];
  },
  question: (_table, done) => (done.some(({ move }) => move.includes("/")) ? say("which_suit") : null),
  /**
   * Labels: a suit with the number of the player's cards in it, drawing with the number of cards, the bomb with its
   * effect.
   */
  option({ store, facts, el }, { move }) {
    if (move === `play:7${facts.reference}`)
      return [capital(moveLabel(move, store.names)), el("span.option-note", {}, say("bomb_ends"))];
    if (move === "draw" && facts.penalty) return say("draw_n", { n: facts.penalty });
    const suit = move.split("/")[1];
    if (!suit) return null;
    const ace = move.slice(5, 7);
    const own = store.zone(`hand:${store.you}`).cards.filter((code) => code[1] === suit && code !== ace).length;
    return [
      el(`span.suit-choice.suit-choice--${suit}`, { "aria-hidden": "true" }, SUIT_SIGNS[suit]),
      el("span", {}, suitName(suit)),
      el("span.option-note", {}, say("own_suit", { n: own })),
    ];
  },
  standing: () => ["draw", "pass"],
  attempt: ({ facts }, code) =>
    `play:${code}${code[0] === "A" && !(code === "AS" && facts.penalty) ? `/${facts.suit ?? "S"}` : ""}`,
};
export default layout;
