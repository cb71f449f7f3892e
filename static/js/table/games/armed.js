/** Armed: two battlegrounds face to face, turned together; totals in a war. */

import { say } from "../words.js";

export default {
  marks({ facts, mark, store }) {
    return [
      mark(facts.war ? say("war") : say("battle"), facts.options.battles ? `${facts.battle} / ${facts.options.battles}` : facts.battle),
      facts.war ? mark(say("totals"), `${store.names[0]} ${facts.totals[0]} · ${store.names[1]} ${facts.totals[1]}`) : null,
    ];
  },
  centre({ store, section, spread, el }) {
    const mine = store.you ?? 0;
    return [1 - mine, mine].map((seat) => {
      const zone = store.zone(`battleground:${seat}`);
      return section(zone, say("battleground", { name: store.names[seat] }), [zone.count ? spread(zone) : el("div.stack", { dataset: { zone: zone.id } }, el("span.playing-card-place", { "aria-hidden": "true" }))]);
    });
  },
};
