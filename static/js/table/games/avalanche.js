/** Avalanche: the growing pile, what it requires, the effect of a play, and the stopped piles. */

import { capital, moveLabel, rankSign, say } from "../words.js";

/** Ranks from low to high: the ace is high, the joker above it. */
const RANKS = "23456789TJQKAX";

/**
 * The effect of playing `n` cards of a rank, and on whom.
 * @param {Table<AvalancheFacts>} table
 * @param {number} n
 * @param {string} rank
 */
function effectText({ store, view }, n, rank) {
  const { last } = view.facts;
  const pile = store.zone("avalanche").count + n;
  const others = view.seats.filter(({ seat }) => seat !== store.you);
  if (last && !(n > last.n || (n === last.n && RANKS.indexOf(rank) >= RANKS.indexOf(last.rank)))) {
    return n === last.n && n > 1
      ? say("would_stop", { n: pile })
      : say("would_fall", { n: pile, name: store.called(last.seat) });
  }
  // No one could answer: it falls to this player at once.
  if (others.every(({ seat }) => store.zone(`hand:${seat}`).count === 0))
    return say(pile === 1 ? "would_keep_1" : "would_keep", { n: pile });
  return last ? say("would_grow", { n: pile }) : say("would_start");
}

/** @param {Parsed} parsed
 * @returns {[number, string]} */
const layOf = ({ move }) => {
  const [rank, n] = move.slice(4).split("x");
  return [Number(n), rank];
};

/** @type {Layout<AvalancheFacts>} */
const layout = {
  /** The zone that cards are played on. */
  pile: "avalanche",
  /** A seat's points are its stored cards, which are counted below its name. */
  hasPoints: () => false,
  marks: ({ facts, mark, store }) => [
    facts.last
      ? mark(
          say("last_lay"),
          say("last_lay_of", { n: facts.last.n, rank: rankSign(facts.last.rank), name: store.called(facts.last.seat) }),
        )
      : null,
    facts.last ? mark(say("to_grow"), say("grows_with", { n: facts.last.n, rank: rankSign(facts.last.rank) })) : null,
  ],
  centre: ({ store, zoneBox, el }) => [
    zoneBox(store.zone("avalanche")),
    el(
      "div.centre-row",
      {},
      zoneBox(store.zone("stock")),
      store.zone("stopped").count ? zoneBox(store.zone("stopped")) : null,
    ),
  ],
  /** Even when some cards of a rank are chosen, playing more of them is offered. */
  choices: (open) => open,
  option: (table, parsed) =>
    parsed.verb === "lay"
      ? [
          capital(moveLabel(parsed.move, table.store.names)),
          table.el("span.option-note", {}, effectText(table, ...layOf(parsed))),
        ]
      : null,
  preview: (table, { ready }) =>
    ready.length === 1 && ready[0].verb === "lay"
      ? `${capital(moveLabel(ready[0].move, table.store.names))}: ${effectText(table, ...layOf(ready[0]))}`
      : "",
  standing: () => ["snow"],
  attempt: (_table, code) => `lay:${code[1] === "J" ? "X" : code[0]}x1`,
};
export default layout;
