/** Avalanche: the pile that grows, what it asks for, and where the stopped ones lie. */

import { rankSign, say } from "../words.js";

export default {
  marks: ({ facts, mark, store }) => [
    facts.last ? mark(say("last_lay"), say("last_lay_of", { n: facts.last.n, rank: rankSign(facts.last.rank), name: store.names[facts.last.seat] })) : null,
  ],
  centre: ({ store, zoneBox, el }) => [
    zoneBox(store.zone("avalanche")),
    el("div.centre-row", {}, zoneBox(store.zone("stock")), store.zone("stopped").count ? zoneBox(store.zone("stopped")) : null),
  ],
};
