/** Legal moves in the picker's form: the cards that a move uses, and its target. */

import { codesIn } from "./words.js";

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
