/** Armed: two battlegrounds side by side, turned together; totals in a war; a plan of cards for the next battles. */

import { sign } from "../cards.js";
import { makePlan } from "../plan.js";
import { say } from "../words.js";

/**
 * The turned cards of the battle that has just ended, and its winner: the view no longer has them.
 * @type {{ cards: string[][], totals: number[], winner: number | null } | null}
 */
let fought = null;
/** @type {string[][]} */
let laying = [[], []];
/** Whether the newest move turned the visible cards. */
let isFresh = false;

/** @param {GameEvent[]} events */
function follow(events) {
  isFresh = false;
  for (const { kind, seat, data } of events) {
    if (kind === "turned") {
      const cards = Array.isArray(data.cards) ? data.cards : [];
      for (const [at, code] of cards.entries()) laying[at].push(code);
      fought = { cards: laying.map((cards) => cards.slice()), totals: data.totals ?? [], winner: null };
      isFresh = true;
    } else if (kind === "taken") {
      if (fought) fought.winner = seat;
      laying = [[], []];
    }
  }
}

/** @type {Layout<ArmedFacts>} */
const layout = {
  /** Start from a snapshot: its view has the cards played in the running battle. */
  begin({ store }, lines) {
    laying = [[], []];
    fought = null;
    follow(lines);
    isFresh = false;
    laying = [0, 1].map((seat) =>
      (store.zone(`battleground:${seat}`).cards ?? []).filter((code) => code && store.view.facts.war),
    );
  },
  happened: (_table, events) => follow(events),
  marks({ facts, mark, store }) {
    return [
      mark(
        facts.war ? say("war") : say("battle"),
        facts.options.battles ? `${facts.battle} / ${facts.options.battles}` : facts.battle,
      ),
      facts.war
        ? mark(say("totals"), `${store.nameFor(0)} ${facts.totals[0]} · ${store.nameFor(1)} ${facts.totals[1]}`)
        : null,
    ];
  },
  centre(table) {
    const { store, section, cardEl, spread, el, facts } = table;
    const mine = store.you ?? 0;
    const lain = [0, 1].map((seat) => store.zone(`battleground:${seat}`).count);
    // The turned cards lie open while the view still hides them, and after a battle until a player chooses again.
    const isTurned = fought?.winner === null && lain.every((count, seat) => count === fought?.cards[seat].length);
    const isOver = fought?.winner !== null && lain.every((count) => count === 0);
    const shown = isTurned || isOver ? fought : null;
    const grounds = [1 - mine, mine].map((seat) => {
      const zone = store.zone(`battleground:${seat}`);
      let body = el("span.playing-card-place", { "aria-hidden": "true" });
      if (shown) {
        const cards = shown.cards[seat].map((code, at) => {
          const card = cardEl(code, zone.id);
          card.classList.toggle("is-turning", isFresh && at === shown.cards[seat].length - 1);
          return card;
        });
        body = el(`div.fought${shown.winner === seat ? ".is-winner" : ""}`, {}, ...cards);
      } else if (zone.count) {
        body = spread(zone);
        if (facts.war && isFresh) body.tableRows.cards.at(-1)?.classList.add("is-turning");
      }
      return section(zone, say("battleground", { name: store.called(seat) }), [
        el("div.ground", { dataset: { zone: zone.id } }, body),
      ]);
    });
    const note =
      isOver && shown
        ? say("battle_to", {
            name: store.called(shown.winner ?? 0),
            one: shown.totals[1 - mine],
            other: shown.totals[mine],
          })
        : facts.war
          ? say("war_note")
          : "";
    return [...grounds, el("p.battle-note", {}, note)];
  },
  countsCards: true,
  task: ({ view }) => (view.to_move.length > 1 ? say("both_choose") : undefined),
  attempt: (_table, code) => `play:${code}`,
  plan: (options) =>
    makePlan({
      ...options,
      moveOf: (code) => `play:${code}`,
      signs: (codes) => codes.map(sign),
    }),
};
export default layout;
