/** The texts of the page, translated by the server. */

/** @type {Words} */
let words = JSON.parse(document.getElementById("words").textContent ?? "");

/**
 * Use the texts of another game.
 * @param {Words} others
 */
export function useWords(others) {
  words = others;
}

/** How long the table is shown as it was before an event, by kind, in ms: the server waits as long. */
export const rests = () => words.rests;

/**
 * The coach's sentences for players in their first matches; null for others.
 * @type {[string[], string][] | null}
 */
const coach = JSON.parse(document.getElementById("coach")?.textContent ?? "null");
export const isCoached = coach !== null;

/** @type {Record<string, string>} */
export const SUIT_SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
/**
 * Hollow for the red one, as on its face.
 * @type {Record<string, string>}
 */
const JOKER_SIGNS = { RJ: "☆", BJ: "★" };
export const SIDE_MARKS = ["▲", "●"];

/**
 * A template with its values. `{name:* wins|You win}` has words for other players, with the name for the star, and
 * words for the reader; see `Name` of the rules.
 * @param {string} template
 * @param {object} values
 */
const fill = (template, values) =>
  template.replace(/\{(\w+)(?::([^|{}]*)\|([^{}]*))?\}/g, (whole, name, others, reader) => {
    const value = Object(values)[name] ?? whole;
    if (others === undefined) return String(value);
    return value.isReader ? reader : others.replace("*", () => String(value));
  });

/**
 * A value for a template with words for its reader.
 * @param {string} name
 * @param {boolean} isReader
 */
export const called = (name, isReader) => ({ isReader, toString: () => name });

/**
 * The text with that name, with its `{values}`.
 * @param {string} name
 * @param {object} [values]
 * @returns {string}
 */
export const say = (name, values = {}) => fill(words.texts[name] ?? name, values);

/**
 * The text with that name, if the game has one.
 * @param {string} name
 * @returns {string}
 */
export const sayIfAny = (name) => words.texts[name] ?? "";

/**
 * What to ask a player with these legal moves; undefined if the game has no words for it.
 * @param {string[]} offered
 */
export const promptOf = (offered) => sentenceFor(words.prompts, offered);

/**
 * The coach's sentence for these moves, and its text with the cards of the largest move that it mentions.
 * @param {string[]} offered
 * @param {object} facts - a sentence with "?penalty" requires that fact
 */
export function coachOf(offered, facts) {
  const known = Object.entries(facts).flatMap(([name, fact]) => (fact ? [name] : []));
  const sentence = sentenceFor(coach ?? [], offered, known);
  return sentence ? { sentence, text: withCards(sentence, offered) } : undefined;
}

/**
 * @param {string} sentence
 * @param {string[]} offered
 */
export function withCards(sentence, offered) {
  const moves = offered
    .filter((move) => /^(meld|lay):/.test(move))
    .map((move) => split(move.slice(move.indexOf(":") + 1), "@"))
    .map(([what, n]) => ({ cards: codesIn(what).map(cardSign), n }))
    .filter(({ n }) => sentence.includes("{n}") === (n !== undefined));
  if (!moves.length) return sentence;
  const { cards, n } = moves.reduce((most, each) => (each.cards.length > most.cards.length ? each : most));
  return fill(sentence, { cards: cards.join(" "), n });
}

/**
 * @param {[string[], string][]} sentences
 * @param {string[]} offered
 * @param {string[]} [facts]
 */
function sentenceFor(sentences, offered, facts = []) {
  const verbs = new Set([...offered.map((move) => split(move, ":")[0]), ...facts.map((name) => `?${name}`)]);
  return sentences.find(([needed]) => needed.every((verb) => verbs.has(verb)))?.[1];
}

/**
 * "the queen of spades"; for a joker in a meld, the joker and its card.
 * @param {string | null} code
 */
export function cardName(code) {
  if (code === null) return words.texts.face_down;
  const [card, standsFor] = code.split("=");
  if (!standsFor) return words.cards[card] ?? card;
  return say("joker_as", {
    joker: words.cards[card],
    card: standsFor.endsWith("*") ? rankSign(standsFor[0]) : words.cards[standsFor],
  });
}
/** @param {string} suit */
export const suitName = (suit) => words.suits[suit];
/** @param {string} rank */
export const rankSign = (rank) => (rank === "T" ? "10" : rank === "X" ? words.texts.joker : rank);
/**
 * "10♠"; for a joker a star.
 * @param {string} code
 */
export const cardSign = (code) => JOKER_SIGNS[code] ?? rankSign(code[0]) + SUIT_SIGNS[code[1]];
/** Matches any card's name, as it appears in sentences. */
const named = () => new RegExp(Object.values(words.cards).join("|"), "g");
/** Longer lists of cards are replaced by their number. */
const FEW = 6;

/**
 * A sentence for reading in passing: "10♠" for "the 10 of spades", and the number of cards for a long list.
 * @param {string} text
 */
export function inSigns(text) {
  const name = `(?:${named().source})`;
  const list = new RegExp(`${name}(?:.{1,6}?${name}){${FEW},}`, "g");
  const codes = new Map(Object.entries(words.cards).map(([code, said]) => [said, code]));
  return text
    .replace(list, (cards) => countOf(cards.match(named())?.length ?? 0))
    .replace(named(), (said) => {
      const code = codes.get(said) ?? "";
      return code[1] === "J" ? said : cardSign(code);
    });
}
/** @param {number} n */
export const countOf = (n) => (n === 0 ? words.texts.no_cards : n === 1 ? words.texts.card_1 : say("cards", { n }));
/**
 * "1 point", "35 points"; beside a separate number, the word alone.
 * @param {number} n
 * @param {number | string} [shown]
 */
export const pointsOf = (n, shown = n) => say(n === 1 ? "points_1" : "points", { n: shown });
/**
 * The unit of a number of points, as short as it can be said.
 * @param {number} n
 */
export const unitOf = (n) => say(n === 1 ? "points_short_1" : "points_short", { n: "" });
/**
 * The function that words a seat's score: in points or, in games that count cards, in cards.
 * @param {Layout} layout
 */
export const amountsOf = ({ countsCards }) => (countsCards ? countOf : pointsOf);
/**
 * "A" for Ada, "GO" for Guest Otter 48: the letters of a badge, as in the pages' templates.
 * @param {string} name
 */
export const initials = (name) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0))
    .join("")
    .toUpperCase();
/** @param {string} text */
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * The label of a move's button.
 * @param {string} move
 * @param {string[]} names
 */
export function moveLabel(move, names) {
  if (move in words.moves) return words.moves[move];
  const [verb, rest = ""] = split(move, ":");
  if (`${verb}#` in words.moves) {
    const [card, suit] = split(rest, "/");
    const [, rank, n] = rest.match(/^(.)x(\d+)$/) ?? [];
    if (suit) return fill(words.moves[`${verb}#`], { card: cardName(card), suit: words.suits[suit] });
    if (rank) return fill(words.moves[`${verb}#`], { n, rank: words.ranks[rank][n === "1" ? 0 : 1] });
    if (/^\d+$/.test(rest)) return fill(words.moves[`${verb}#`], { n: rest });
  }
  const [what, target = rest] = split(rest, "@");
  const listed = listing(codesIn(what).map(cardName));
  return verb in words.moves
    ? fill(words.moves[verb], { card: listed, cards: listed, n: target, name: names[Number(target)] })
    : move;
}

/**
 * `a`, `a and b` or `a, b and c`.
 * @param {string[]} items
 */
const listing = (items) =>
  items.length < 2 ? items.join() : say("listing", { first: items.slice(0, -1).join(", "), last: items.at(-1) ?? "" });

/**
 * The cards of a list without separators, jokers with the card they replace: `3CRJ=4C5C`.
 * @param {string} text
 * @returns {string[]}
 */
export const codesIn = (text) => text.match(/[RB]J=..|[RB]J|../g) ?? [];

/**
 * @param {string} text
 * @param {string} mark
 * @returns {[string, string | undefined]}
 */
function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
