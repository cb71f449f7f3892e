/** Ten-Skip Challenge: the notice of a claim, the two cards drawn, the offer. */

import { sign } from "../render.js";
import { say } from "../words.js";

export default {
  marks: ({ facts, mark, store }) => [
    mark(say("round"), facts.round),
    mark(say("limit"), facts.options.limit),
    facts.notice === null ? null : mark(say("notice"), store.names[facts.notice]),
    facts.offer ? mark(say("offer"), sign(facts.offer)) : null,
  ],
  centre: ({ store, view, stackOf, section, spread, el }) => [
    el("div.centre-row", {}, stackOf(store.zone("stock")), stackOf(store.zone("discard"))),
    store.zone("drawn").count
      ? section(store.zone("drawn"), undefined, [spread(store.zone("drawn"), { tag: view.moves.some((move) => move.startsWith("keep:")) ? "button" : "span" })])
      : null,
  ],
};
