/** Both rummies: stock and pile, the melds with their owners, and what the chosen cards make. */

import { sign } from "../cards.js";
import { setChildren } from "../el.js";
import { cardName, codesIn, countOf, say } from "../words.js";

const RANKS = "A23456789TJQK";
/** @param {string} piece */
const meaning = (piece) => piece.split("=").at(-1) ?? piece;
/** @param {string[]} pieces */
const isSet = (pieces) => new Set(pieces.map((piece) => meaning(piece)[0])).size === 1;
/** @param {Parsed} parsed */
const piecesOf = ({ move }) => codesIn(move.slice(move.indexOf(":") + 1).split("@")[0]);
/**
 * "run of 4"
 * @param {string[]} pieces
 */
const whatOf = (pieces) => say(isSet(pieces) ? "set_of" : "run_of", { n: pieces.length });
/** @param {Parsed} parsed */
const jokersOf = (parsed) => piecesOf(parsed).filter((piece) => piece.includes("="));
/**
 * @param {{ store: Store<BasicRummyFacts> }} table
 * @param {string | null} target
 */
const meldName = (table, target) => {
  const zone = table.store.zone(target ?? "");
  return say("meld_of", { n: target?.split(":")[1], name: table.store.called(zone.owner ?? 0) });
};

/**
 * Three cards of the hand, including the two given ones, that make a meld; null if there are none.
 * @param {string[]} hand
 * @param {string} one
 * @param {string} other
 */
function meldWith(hand, one, other) {
  const naturals = hand.filter((code) => code[1] !== "J");
  if (one[1] === "J" || other[1] === "J") return null;
  if (one[0] === other[0]) {
    const set = naturals.filter((code) => code[0] === one[0]);
    const third = set.find((code) => code !== one && code !== other);
    return set.length >= 3 && third ? [one, other, third].sort(bySuit) : null;
  }
  if (one[1] !== other[1]) return null;
  for (const third of naturals) {
    const run = [one, other, third].sort(byRank);
    const at = run.map((code) => RANKS.indexOf(code[0]));
    if (third[1] === one[1] && at[1] === at[0] + 1 && at[2] === at[1] + 1) return run;
  }
  return null;
}
/**
 * @param {string} one
 * @param {string} other
 */
const bySuit = (one, other) => "CDHS".indexOf(one[1]) - "CDHS".indexOf(other[1]);
/**
 * @param {string} one
 * @param {string} other
 */
const byRank = (one, other) => RANKS.indexOf(one[0]) - RANKS.indexOf(other[0]);

/**
 * Opens and closes the melds if they have no room beside the piles; choosing a card that fits one also opens them.
 * @param {El} el
 * @param {number} n
 */
function drawer(el, n) {
  const button = el("button.button.melds-open", { type: "button" }, say("melds_open", { n }));
  button.addEventListener("click", () => button.parentElement?.classList.toggle("is-open"));
  return button;
}

/** @type {Layout<BasicRummyFacts & Partial<Pick<Rummy500Facts, "must" | "on_table">>>} */
const layout = {
  marks: ({ facts, mark }) => [
    mark(say("deal"), facts.options.deals ? `${facts.deal} / ${facts.options.deals}` : facts.deal),
    // A match with a fixed number of deals has no target.
    facts.options.deals ? null : mark(say("target"), facts.options.target),
    facts.must ? mark(say("must"), sign(facts.must)) : null,
  ],
  /** The melded cards count when the deal is over. */
  coming({ view, facts }, seat) {
    const n = view.phase === "over" ? 0 : (facts.on_table?.[seat] ?? 0);
    return n ? { n, text: say("on_table", { n }) } : null;
  },
  /** Melds need the space at both sides of the table. */
  isBroad: true,
  centre({ store, view, stackOf, section, spread, zoneBox, el }) {
    const discard = store.zone("discard");
    const melds = view.zones.filter(({ id }) => id.startsWith("meld:"));
    // In Rummy 500 players choose how deep to take, so the whole pile is spread.
    const isDeep = "must" in view.facts && discard.count > 1;
    const laid = document.querySelector("#felt .melds") ?? el("div.melds", { dataset: { target: "melds" } });
    setChildren(laid, [
      ...melds.map((zone) => {
        const box = zoneBox(zone);
        box.dataset.target = zone.id;
        const isOwn = zone.owner === store.you;
        box.classList.toggle("is-own", isOwn);
        const title = box.querySelector(".zone-title");
        const name = store.nameFor(zone.owner ?? 0);
        if (!title.dataset.owner) title.append(` · ${name}`);
        title.dataset.owner = name.charAt(0);
        return box;
      }),
      ...(melds.length ? [] : [el("p.zone-none", {}, say("no_melds"))]),
    ]);
    return [
      el(
        "div.table-piles",
        {},
        stackOf(store.zone("stock")),
        isDeep
          ? el("div.deep-pile", {}, section(discard, undefined, [spread(discard)], countOf(discard.count)))
          : stackOf(discard),
      ),
      laid,
      drawer(el, melds.length),
    ];
  },
  keepsChoice: true,
  /** What the chosen cards make, or what is missing. */
  preview(table, { ready, open }) {
    const meld = ready.find(({ verb }) => verb === "meld");
    if (meld) return say("makes", { what: whatOf(piecesOf(meld)) }); // the buttons tell the joker's card
    const lays = [...new Set(ready.filter(({ verb }) => verb === "lay").map(({ target }) => target))];
    if (lays.length)
      return say(lays.length > 1 ? "fits_either" : "fits", {
        melds: lays.map((target) => meldName(table, target)).join(", "),
      });
    const lacking = open.filter(({ verb, left }) => (verb === "meld" || verb === "lay") && left.length);
    const nearest = lacking.sort((one, other) => one.left.length - other.left.length)[0];
    if (!nearest) return "";
    const n = nearest.left.length;
    return say(n === 1 ? "one_more" : "more_for", { n, what: whatOf(piecesOf(nearest)) });
  },
  question(_table, done) {
    const lays = new Set(done.filter(({ verb }) => verb === "lay").map(({ target }) => target));
    if (lays.size > 1) return say("which_meld");
    if (done.filter((parsed) => jokersOf(parsed).length).length > 1) return say("which_joker");
    return null;
  },
  /** A lay-off names its meld, a joker its card. */
  option({ el, store }, parsed) {
    if (parsed.verb === "lay") {
      const where = say("add_to", { meld: meldName({ store }, parsed.target) });
      const jokers = jokersOf(parsed).map(cardName);
      return jokers.length ? [where, el("span.option-note", {}, jokers.join(", "))] : where;
    }
    if (parsed.verb !== "meld") return null;
    const pieces = piecesOf(parsed);
    const jokers = jokersOf(parsed).map(cardName);
    return [
      say("lay_down", { what: whatOf(pieces) }),
      el("span.option-note", {}, jokers.length ? jokers.join(", ") : el("span.signs-small", {}, ...pieces.map(sign))),
    ];
  },
  standing: ({ view }) =>
    view.phase === "draw" ? ["draw:stock", ...("must" in view.facts ? [] : ["draw:discard"])] : [],
  attempt({ store, view }, code, chosen) {
    if (view.phase === "draw" || !chosen.length) return `discard:${code}`;
    const cards = [...chosen, code];
    const hand = store.zone(`hand:${store.you}`).cards;
    if (cards.length === 2) {
      const meld = meldWith(hand, cards[0], cards[1]);
      return meld && `meld:${meld.join("")}`;
    }
    return `meld:${cards.sort(cards.every((card) => card[0] === cards[0][0]) ? bySuit : byRank).join("")}`;
  },
  asksNumber: ({ facts, phase }) => "must" in facts && phase !== "over",
  /** A pile of one card is taken with a button. */
  choosesNumber: ({ store }) => store.zone("discard").count > 1,
  numberLabel: () => say("depth"),
  /** Lift the cards of the pile that would be taken. */
  numberShown(_verb, n) {
    const cards = [...document.querySelectorAll('#felt [data-zone="discard"] .playing-card')];
    for (const [at, card] of cards.entries()) card.classList.toggle("is-spotted", at >= cards.length - n);
  },
  /** Taking several cards commits the player: the lowest of them must be played in this turn. */
  numberSaid: ({ store }, _verb, n) =>
    say(n === 1 ? "take_one_must" : "take_must", { n, card: cardName(store.zone("discard").cards.at(-n) ?? null) }),
};
export default layout;
