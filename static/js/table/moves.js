/** Legal moves in the picker's form: the cards that a move uses, and its target. */

import { codesIn } from "./words.js";

/** The middle of the table, around its piles and melds. */
export const CLOTH = "centre";

/**
 * @param {string} move
 * @param {string} pile - the zone that cards of one rank are played on
 * @returns {Parsed}
 */
export function parse(move, pile = "centre") {
  const colon = move.indexOf(":");
  const verb = colon < 0 ? move : move.slice(0, colon);
  const rest = colon < 0 ? "" : move.slice(colon + 1);
  /** @type {Parsed} */
  const none = { move, verb, needs: [], target: null, number: null };
  switch (verb) {
    case "bet":
      return { ...none, number: Number(rest) };
    case "take":
      return /^\d+$/.test(rest) ? { ...none, number: Number(rest), target: "discard" } : { ...none, needs: [rest] };
    case "dealer":
      return { ...none, target: `seat:${rest}` };
    case "draw":
      return { ...none, target: rest || "stock" };
    case "snow":
      return { ...none, target: "stock" };
    case "lay": {
      const [cards, meld] = rest.split("@");
      if (meld !== undefined) return { ...none, needs: plain(cards), target: `meld:${meld}` };
      const [rank, n] = rest.split("x");
      return { ...none, needs: Array(Number(n)).fill(`#${rank}`), target: pile };
    }
    case "swap": {
      const [card, seat] = rest.split("@");
      return { ...none, needs: [card], target: `seat:${seat}` };
    }
    case "meld":
      return { ...none, needs: plain(rest), target: "melds" };
    case "play":
      return { ...none, needs: [rest.split("/")[0]], target: "centre" };
    case "discard":
      return { ...none, needs: [rest], target: "discard" };
    case "keep":
    case "give":
    case "top":
      return { ...none, needs: [rest] };
    default:
      return none;
  }
}

/**
 * Jokers are touched as jokers, whatever card they replace.
 * @param {string} cards
 */
const plain = (cards) => codesIn(cards).map((code) => code.split("=")[0]);

/**
 * @param {string} need
 * @param {string} code
 */
const fits = (need, code) => need === code || need === `#${code[1] === "J" ? "X" : code[0]}`;

/**
 * What `move` still needs after `chosen`; null if it doesn't use all of those.
 * @param {Parsed} parsed
 * @param {string[]} chosen
 */
export function missing(parsed, chosen) {
  const needs = parsed.needs.slice();
  for (const code of chosen) {
    const at = needs.findIndex((need) => fits(need, code));
    if (at < 0) return null;
    needs.splice(at, 1);
  }
  return needs;
}

/**
 * @param {string[]} needs
 * @param {string} code
 */
export const wants = (needs, code) => needs.some((need) => fits(need, code));

/** @param {string} key - of a card */
export const codeOf = (key) => key.split("#")[0];

/**
 * The moves that use all the chosen cards.
 * @param {Parsed[]} moves
 * @param {string[]} chosen - keys
 */
export const candidatesOf = (moves, chosen) =>
  moves.flatMap((parsed) => {
    const left = missing(parsed, chosen.map(codeOf));
    return left === null ? [] : [{ ...parsed, left }];
  });

/**
 * The chosen cards after the touch of another one; null if no move uses that one now.
 * @param {string} key
 * @param {string[]} chosen - keys
 * @param {Parsed[]} moves
 * @param {boolean} [keepsChoice] - whether several chosen cards stay chosen when this one doesn't fit
 */
export function choiceWith(key, chosen, moves, keepsChoice = false) {
  if (chosen.includes(key)) return chosen;
  if (candidatesOf(moves, chosen).some(({ left }) => wants(left, codeOf(key)))) return [...chosen, key];
  // Where one card is a whole move, touching another one replaces the choice.
  const isUsed = candidatesOf(moves, [key]).length > 0;
  return isUsed && !(chosen.length > 1 && keepsChoice) ? [key] : null;
}

/**
 * Whether a card dropped at a place goes to the target of a move. On the cloth it may go anywhere, between melds to any
 * of them; a card that is played into the middle may be dropped on the pile that lies there.
 * @param {string | null} target
 * @param {string | null} name - of the place; null beside all places
 */
export const isAt = (target, name) =>
  name === null ||
  name === CLOTH ||
  name === target ||
  (name === "melds" && target?.startsWith("meld:")) ||
  (target === CLOTH && !/^(stock|seat|meld)/.test(name));
