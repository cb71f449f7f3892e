/** Both rummies: stock and pile, the melds with their owners, and a workbench that says what chosen cards make. */

import { sign } from "../render.js";
import { cardName, codesIn, rankSign, say } from "../words.js";

const RANKS = "A23456789TJQK";
const meaning = (piece) => piece.split("=").at(-1);
const isSet = (pieces) => new Set(pieces.map((piece) => meaning(piece)[0])).size === 1;
const piecesOf = ({ move }) => codesIn(move.slice(move.indexOf(":") + 1).split("@")[0]);
/** "run of 4" */
const whatOf = (pieces) => say(isSet(pieces) ? "set_of" : "run_of", { n: pieces.length });
const jokersOf = (parsed) => piecesOf(parsed).filter((piece) => piece.includes("="));
/** "the red joker is the 5 of clubs" */
const jokerText = (piece) => {
  const card = meaning(piece);
  return say("joker_is", { joker: cardName(piece.split("=")[0]), card: card.endsWith("*") ? say("rank_card", { rank: rankSign(card[0]) }) : cardName(card) });
};
const meldName = (table, target) => {
  const zone = table.store.zone(target);
  return say("meld_of", { n: target.split(":")[1], name: table.store.names[zone.owner] });
};

/** Three cards of the hand, two of them given, that would be a meld; null if there are none. */
function meldWith(hand, one, other) {
  const naturals = hand.filter((code) => code[1] !== "J");
  if (one[1] === "J" || other[1] === "J") return null;
  if (one[0] === other[0]) {
    const set = naturals.filter((code) => code[0] === one[0]);
    return set.length >= 3 ? [one, other, set.find((code) => code !== one && code !== other)].sort(bySuit) : null;
  }
  if (one[1] !== other[1]) return null;
  for (const third of naturals) {
    const run = [one, other, third].sort(byRank);
    const at = run.map((code) => RANKS.indexOf(code[0]));
    if (third[1] === one[1] && at[1] === at[0] + 1 && at[2] === at[1] + 1) return run;
  }
  return null;
}
const bySuit = (one, other) => "CDHS".indexOf(one[1]) - "CDHS".indexOf(other[1]);
const byRank = (one, other) => RANKS.indexOf(one[0]) - RANKS.indexOf(other[0]);

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
    const isDeep = "must" in view.facts && discard.count > 1;
    return [
      el("div.centre-row", {}, stackOf(store.zone("stock")), isDeep ? null : stackOf(discard)),
      isDeep ? el("div.deep-pile", {}, section(discard, undefined, [spread(discard)])) : null,
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
  keepsChoice: true,
  /** What the chosen cards make, or what they still lack. */
  preview(table, { chosen, ready, open }) {
    const meld = ready.find(({ verb }) => verb === "meld");
    if (meld) {
      const jokers = ready.filter(({ verb }) => verb === "meld").length === 1 ? jokersOf(meld).map(jokerText) : [];
      return [say("makes", { what: whatOf(piecesOf(meld)) }), ...jokers].join(" ");
    }
    const lays = [...new Set(ready.filter(({ verb }) => verb === "lay").map(({ target }) => target))];
    if (lays.length) return say(lays.length > 1 ? "fits_either" : "fits", { melds: lays.map((target) => meldName(table, target)).join(", ") });
    const lacking = open.filter(({ verb, left }) => (verb === "meld" || verb === "lay") && left.length);
    const nearest = lacking.sort((one, other) => one.left.length - other.left.length)[0];
    if (!nearest) return "";
    const n = nearest.left.length;
    return say(n === 1 ? "one_more" : "more_for", { n, what: whatOf(piecesOf(nearest)) });
  },
  question(table, done) {
    const lays = new Set(done.filter(({ verb }) => verb === "lay").map(({ target }) => target));
    if (lays.size > 1) return say("which_meld");
    if (done.filter((parsed) => jokersOf(parsed).length).length > 1) return say("which_joker");
    return null;
  },
  /** A lay-off says where, a joker what it is to be. */
  option({ el, store }, parsed) {
    if (parsed.verb === "lay") {
      const where = say("add_to", { meld: meldName({ store }, parsed.target) });
      const jokers = jokersOf(parsed).map(jokerText);
      return jokers.length ? [where, el("span.option-note", {}, jokers.join(", "))] : where;
    }
    if (parsed.verb !== "meld") return null;
    const pieces = piecesOf(parsed);
    const jokers = jokersOf(parsed).map(jokerText);
    return [say("lay_down", { what: whatOf(pieces) }), el("span.option-note", {}, jokers.length ? jokers.join(", ") : el("span.signs-small", {}, ...pieces.map(sign)))];
  },
  standing: ({ view }) => (view.phase === "draw" ? ["draw:stock", ...("must" in view.facts ? [] : ["draw:discard"])] : []),
  attempt({ store, view }, code, chosen) {
    if (view.phase === "draw" || !chosen.length) return `discard:${code}`;
    const cards = [...chosen, code];
    const hand = store.zone(`hand:${store.you}`).cards;
    if (cards.length === 2) {
      const meld = meldWith(hand, ...cards);
      return meld && `meld:${meld.join("")}`;
    }
    return `meld:${cards.sort(cards.every((card) => card[0] === cards[0][0]) ? bySuit : byRank).join("")}`;
  },
  numberLabel: () => say("depth"),
  /** Lift the cards of the pile that a depth would take. */
  numberShown(verb, n) {
    const cards = [...document.querySelectorAll('#felt [data-zone="discard"] .playing-card')];
    cards.forEach((card, at) => card.classList.toggle("is-spotted", at >= cards.length - n));
  },
  /** Taking deep is a promise: the lowest of the cards must be laid in this turn. */
  numberSaid: ({ store }, verb, n) => say(n === 1 ? "take_one_must" : "take_must", { n, card: cardName(store.zone("discard").cards.at(-n)) }),
};
