/** Amagande: what must be played on, the penalty as one number, and the direction of play. */

import { SUIT_SIGNS, say, suitName } from "../words.js";

export default {
  marks({ facts, mark }) {
    const required = facts.free ? say("anything") : facts.suit ? `${SUIT_SIGNS[facts.suit]} ${suitName(facts.suit)}` : facts.colour ? say(facts.colour) : null;
    return [
      required ? mark(say("required"), required) : null,
      facts.penalty ? mark(say("penalty"), say("penalty_n", { n: facts.penalty })) : null,
      mark(say("direction"), `${facts.direction > 0 ? "↻" : "↺"} ${say(facts.direction > 0 ? "clockwise" : "counter")}`),
      mark(say("reference"), `${SUIT_SIGNS[facts.reference]} ${suitName(facts.reference)}`),
    ];
  },
  /** Sums of hands are only counted at the end. */
  hasPoints: ({ view }) => view.phase === "over",
  centre: ({ store, stackOf, el }) => [el("div.centre-row", {}, stackOf(store.zone("stock")), stackOf(store.zone("discard")))],
};
