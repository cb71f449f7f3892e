/** Both rummies: stock and pile, the melds with their owners, the scores of the match. */

import { sign } from "../render.js";
import { say } from "../words.js";

export default {
  marks: ({ facts, mark }) => [
    mark(say("deal"), facts.deal),
    facts.options.target ? mark(say("target"), facts.options.target) : null,
    facts.must ? mark(say("must"), sign(facts.must)) : null,
  ],
  centre({ store, view, stackOf, section, spread, zoneBox, el }) {
    const discard = store.zone("discard");
    const melds = view.zones.filter(({ id }) => id.startsWith("meld:"));
    // In Rummy 500 the depth of the pile is chosen, so all of it is spread.
    const isDeep = "must" in view.facts;
    return [
      el("div.centre-row", {}, stackOf(store.zone("stock")), isDeep && discard.count > 1 ? section(discard, undefined, [spread(discard)]) : stackOf(discard)),
      el(
        "div.melds",
        { dataset: { target: "melds" } },
        ...melds.map((zone) => {
          const box = zoneBox(zone);
          box.dataset.target = zone.id;
          box.querySelector(".zone-title").append(` · ${store.names[zone.owner]}`);
          return box;
        }),
        melds.length ? null : el("p.zone-none", {}, say("no_melds")),
      ),
    ];
  },
  numberLabel: () => say("depth"),
  /** Lift the cards of the pile that a depth would take. */
  numberShown(verb, n) {
    const cards = [...document.querySelectorAll('#felt [data-zone="discard"] .playing-card')];
    cards.forEach((card, at) => card.classList.toggle("is-spotted", at >= cards.length - n));
  },
};
