/** The words of the page, as the server has translated them. */

const { texts, moves, cards, suits, ranks } = JSON.parse(document.getElementById("words").textContent);

export const SUIT_SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };
export const SIDE_MARKS = ["▲", "●"];

const fill = (template, values) => template.replace(/\{(\w+)\}/g, (whole, name) => String(values[name] ?? whole));

/** The text of that name with its `{values}`. */
export const say = (name, values = {}) => fill(texts[name] ?? name, values);

/** "the queen of spades"; of a joker laid for a card both. */
export function cardName(code) {
  if (code === null) return texts.face_down;
  const [card, standsFor] = code.split("=");
  if (!standsFor) return cards[card] ?? card;
  return `${cards[card]} = ${standsFor.endsWith("*") ? rankSign(standsFor[0]) : cards[standsFor]}`;
}
export const suitName = (suit) => suits[suit];
export const rankSign = (rank) => (rank === "T" ? "10" : rank === "X" ? texts.joker : rank);
/** "10♠", "★" for a joker. */
export const cardSign = (code) => (code[1] === "J" ? "★" : rankSign(code[0]) + SUIT_SIGNS[code[1]]);
export const countOf = (n) => (n === 0 ? texts.no_cards : n === 1 ? texts.card_1 : say("cards", { n }));
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

/** What a move says on its button. */
export function moveLabel(move, names) {
  if (move in moves) return moves[move];
  const [verb, rest = ""] = split(move, ":");
  const [what, target] = split(rest, "@");
  if (verb === "take" && /^\d+$/.test(rest)) return fill(moves["take#"], { n: rest });
  if (verb === "play" && rest.includes("/")) {
    return fill(moves["play#"], { card: cardName(rest.split("/")[0]), suit: suits[rest.split("/")[1]] });
  }
  if (verb === "bet") return fill(moves.bet, { n: rest });
  if (verb === "dealer") return fill(moves.dealer, { name: names[rest] });
  if (verb === "lay" && target === undefined) {
    const [rank, n] = rest.split("x");
    return fill(moves["lay#"], { n, rank: ranks[rank][n === "1" ? 0 : 1] });
  }
  const listed = codesIn(what).map(cardName).join(", ");
  return verb in moves ? fill(moves[verb], { card: listed, cards: listed, n: target, name: names[target] }) : move;
}

/** The cards of a list written without separators, jokers with what they stand for: `3CRJ=4C5C`. */
export const codesIn = (text) => text.match(/[RB]J=..|[RB]J|../g) ?? [];

function split(text, mark) {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
