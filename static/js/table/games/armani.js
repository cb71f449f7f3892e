/** Game: Armani: the face-up pile large in the middle, bets and duels beside it, the open fans after Stage 1. */

import { sign } from "../cards.js";
import { sideMark } from "../seats.js";
import { makeSlap } from "../slap.js";
import { showVerdict } from "../verdict.js";
import { capital, countOf, pointsOf, SIDE_MARKS, say } from "../words.js";

/** Visible cards of the face-up pile: enough for every pattern of the last cards. */
const IN_SIGHT = 5;
const FACE_CARDS = "JQKA";
/** @param {View<ArmaniFacts>} view */
const isPlaying = (view) => view.phase === "stage1" || view.phase === "stage2";

/** @param {Table<ArmaniFacts>} table */
function pile({ store, facts, section, cardEl, el }) {
  const zone = store.zone("pile");
  const played = zone.cards.slice(facts.burned);
  const shown = played.slice(-IN_SIGHT);
  const first = played.length > IN_SIGHT && facts.options.slaps.includes("top_bottom") ? played[0] : null;
  return section(zone, say("pile"), [
    el(
      "div.pile",
      { dataset: { zone: "pile", still: "" } },
      first ? el("span.pile-first", {}, cardEl(first, "pile")) : null,
      ...shown.map((code) => cardEl(code, "pile")),
      shown.length ? null : el("span.playing-card-place", { "aria-hidden": "true" }),
    ),
    el("p.pile-note", {}, facts.burned ? say("burned", { n: facts.burned }) : ""),
  ]);
}

/**
 * The state of the hand: a duel, or its winner. Otherwise the place stays empty.
 * @param {Table<ArmaniFacts>} table
 */
function hand({ store, facts, el }) {
  const { duel, winning, turn } = facts;
  const text =
    winning !== null
      ? say("winning", { name: store.called(winning) })
      : duel && turn !== null
        ? say(duel.chances === 1 ? "duel_1" : "duel", { name: store.called(turn), n: duel.chances })
        : "";
  return el(
    "p.duel",
    { dataset: { winning: String(winning !== null) } },
    text,
    duel && winning === null ? el("span.duel-chances", { "aria-hidden": "true" }, "◆".repeat(duel.chances)) : null,
  );
}

/**
 * The highest bet so far, large, with its player.
 * @param {Table<ArmaniFacts>} table
 */
function bets({ store, facts, el }) {
  const { bettor } = facts;
  if (bettor === null) return el("p.bet-top", {}, el("span", {}, say("no_bet")));
  return el(
    "p.bet-top",
    {},
    el("strong", {}, String(facts.bets[bettor].at(-1))),
    el("span", {}, `${capital(say("highest_bet"))}: ${store.nameFor(bettor)}`),
  );
}

/** @param {Table<ArmaniFacts>} table */
function fans({ store, view, facts, section, spread, el }) {
  const choosing = view.moves.some((move) => move.startsWith("take:"));
  return [0, 1].map((side) => {
    const zone = store.zone(`fan:${side}`);
    const label = say("fan", { mark: SIDE_MARKS[side] });
    const cards = zone.cards ?? [];
    const words = [
      (facts.teams?.[side] ?? []).map(store.nameFor).join(", "),
      countOf(zone.count),
      pointsOf(facts.stage1?.[side] ?? 0),
      say("face_cards", { n: cards.filter((code) => FACE_CARDS.includes(code[0])).length }),
      ...(cards.includes("QS") ? [say("queen_counts")] : []),
    ];
    const note = el("p.fan-note", {}, sideMark(side), ` ${words.join(" · ")}`);
    return section(zone, label, [
      note,
      spread(zone, {
        tag: choosing && side !== facts.power ? "button" : "span",
        reach: choosing && side !== facts.power,
      }),
    ]);
  });
}

/** @param {string | undefined} code */
const rankOf = (code) => code?.[0];
/** @param {string | undefined} code */
const isRoyal = (code) => code !== undefined && "KQ".includes(code[0]);
/**
 * The cards that make a pattern, by its name: positions from the newest card, from 1.
 * @type {Record<string, (cards: string[]) => number[] | false>}
 */
const PATTERNS = {
  pair: (cards) => rankOf(cards.at(-1)) === rankOf(cards.at(-2)) && [1, 2],
  sandwich: (cards) => cards.length > 2 && rankOf(cards.at(-1)) === rankOf(cards.at(-3)) && [1, 3],
  top_bottom: (cards) => cards.length > 1 && rankOf(cards.at(-1)) === rankOf(cards[0]) && [1, cards.length],
  marriage: (cards) =>
    isRoyal(cards.at(-1)) && isRoyal(cards.at(-2)) && rankOf(cards.at(-1)) !== rankOf(cards.at(-2)) && [1, 2],
  queen_of_spades: (cards) => cards.at(-1) === "QS" && [1],
  run: (cards) => cards.length > 2 && [1, 2, 3],
};

/**
 * Cards that show a pattern, if few are played and its name alone says little.
 * @type {Record<string, string[]>}
 */
const EXAMPLES = { pair: ["7S", "7H"], sandwich: ["7S", "4C", "7H"] };

/**
 * The names of patterns, with a small picture of each if there is room for them.
 * @param {string[]} patterns
 * @param {El} el
 */
const named = (patterns, el) =>
  patterns.flatMap((name, at) => {
    const example = patterns.length <= 2 && EXAMPLES[name];
    const picture = example ? [" ", el("span.signs-small", { "aria-hidden": "true" }, ...example.map(sign))] : [];
    return [at ? ", " : "", say(name), ...picture];
  });

/**
 * A fact that stays the same during a match; small windows show it elsewhere.
 * @param {Found} fact
 */
function rule(fact) {
  fact.classList.add("mark--rule");
  return fact;
}

/**
 * Highlight the pattern that was slapped.
 * @param {Table<ArmaniFacts>} table
 */
function light({ store, facts }) {
  const played = store.zone("pile").cards.slice(facts.burned);
  const found = facts.options.slaps.map((name) => PATTERNS[name]?.(played) ?? false).find((places) => places) || [1];
  const codes = found.map((back) => played.at(-back));
  const pile = document.querySelector("#felt .pile");
  pile?.classList.add("is-judged");
  for (const card of pile?.querySelectorAll(".playing-card") ?? [])
    card.classList.toggle("is-lit", codes.includes(card.dataset.card ?? ""));
}

/** @type {Layout<ArmaniFacts>} */
const layout = {
  /** Show a right slap before the pile is collected. */
  light(table, events) {
    if (events.some(({ kind, data }) => kind === "slap" && data.right)) light(table);
  },
  /** Modules that only games with slaps need. */
  slaps: { makeSlap, showVerdict },
  marks({ view, facts, store, mark, el }) {
    const highest = facts.bettor === null ? null : facts.bets[facts.bettor].at(-1);
    return [
      mark(
        facts.final_lap ? say("final_lap") : say(view.phase),
        isPlaying(view) && view.phase === "stage2" && !facts.final_lap
          ? say("stage2_card", { n: facts.flips2, total: facts.options.stage2_flips || 2600 })
          : "",
      ),
      highest === null || view.phase === "stage2" || view.phase === "bets"
        ? null
        : mark(capital(say("highest_bet")), `${highest} · ${store.nameFor(facts.bettor ?? 0)}`),
      facts.stage1
        ? mark(
            say("stage1_points"),
            ...facts.stage1.flatMap((points, side) => [sideMark(side), ` ${points}${side ? "" : " "}`]),
          )
        : null,
      facts.final
        ? mark(
            say("final_lap"),
            ...facts.final.flatMap((points, side) => [sideMark(side), ` ${points}${side ? "" : " "}`]),
          )
        : null,
      facts.to_take ? mark(say("take_left"), facts.to_take) : null,
      facts.own_draw?.length ? mark(say("own_draw"), ...facts.own_draw.map(sign)) : null,
      isPlaying(view) ? rule(mark(say("may_slap"), ...named(facts.options.slaps, el))) : null,
    ];
  },
  centre(table) {
    const { view, store } = table;
    if (view.phase === "bets") return [bets(table)];
    if (isPlaying(view)) return [pile(table), hand(table)];
    if (view.phase === "over" && !store.zone("fan:0").count) return [pile(table)];
    return fans(table);
  },
  /** A seat's bets and other facts, while they matter. */
  chips({ store, view, facts, el }, seat) {
    const chips = [];
    const { handicap } = store.players[seat];
    if (handicap)
      chips.push(
        el("li.chip.chip--word", { title: say("handicap_full", { ms: handicap }) }, say("handicap", { ms: handicap })),
      );
    if (view.phase === "bets") {
      const bets = facts.bets[seat];
      if (facts.folded[seat]) chips.push(el("li.chip.chip--word", {}, say("folded")));
      else if (bets.length) chips.push(el("li.chip.chip--bet", {}, say("bet_of", { n: bets.at(-1) })));
    }
    if (facts.dealer === seat) chips.push(el("li.chip.chip--word", {}, say("dealer")));
    if (store.asleep?.includes(seat))
      chips.push(el("li.chip.chip--word", { title: say("asleep_full") }, `☾ ${say("asleep")}`));
    const locked = facts.lockout[seat];
    if (locked > 1 && isPlaying(view))
      chips.push(
        el(
          "li.chip.chip--locked",
          { title: say(locked === 1 ? "slap_locked_1" : "slap_locked", { n: locked }) },
          el("span", { "aria-hidden": "true" }, `⊘ ${locked}`),
          el("span.visually-hidden", {}, say("locked_for", { cards: countOf(locked) })),
        ),
      );
    return chips;
  },
  /** Only the cards of the two stages can be slapped. */
  hasSlaps: isPlaying,
  attempt: ({ view }, code) => (view.phase === "take" ? `take:${code}` : null),
  /** Folding can't be undone. */
  isFinal: ({ verb }) => verb === "fold",
  asksNumber: ({ phase }) => phase === "bets",
  numberLabel: () => say("your_bet"),
  hasPoints: ({ facts }) => facts.stage1 !== null,
  task: ({ view }) =>
    ({ bets: say("your_bet_task"), choose: say("choose_task"), take: say("take_task"), dealers: say("dealers_task") })[
      view.phase
    ],
};
export default layout;
