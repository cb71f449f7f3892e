import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

makePage("armed");
const { sentenceOf, withoutRepeats } = await import("../../static/js/table/last_move.js");

const event = (kind, seat, text, data = {}) => ({ kind, seat, text, data });

test("what all hear of a draw is left out where its player hears which card it is", () => {
  const own = [event("draw", 0, "Ada draws."), event("drawn", 0, "Ada draws the ace.")];
  const others = [event("draw", 1, "Ben draws.")];
  assert.deepEqual(
    withoutRepeats([...own, ...others]).map(({ text }) => text),
    ["Ada draws the ace.", "Ben draws."],
  );
});

test("a battle that is turned is told without the card that was laid face down for it", () => {
  const told = [
    event("laid", 1, "Ben lays a card face down."),
    event("turned", null, "Ada turns a 2, Ben turns a 3."),
    event("taken", 1, "Ben takes both."),
  ];
  assert.equal(sentenceOf(told), "Ada turns a 2, Ben turns a 3. Ben takes both.");
  assert.equal(sentenceOf(told.slice(0, 1)), "Ben lays a card face down.");
});

test("cards are signs, but for jokers; a list of many is their number", () => {
  const said = (text) => sentenceOf([event("taken", 1, text)]);
  const wins = "Ben wins the 3 of clubs, the 10 of hearts, the red joker";
  assert.equal(said(`${wins} and the queen of spades.`), "Ben wins 3♣, 10♥, the red joker and Q♠.");
  const more = "the 4 of clubs, the 5 of clubs, the 6 of clubs";
  assert.equal(
    said(`${wins}, ${more} and shuffles them into their stock.`),
    "Ben wins 3♣, 10♥, the red joker, 4♣, 5♣, 6♣ and shuffles them into their stock.",
  );
  assert.equal(said(`${wins}, ${more} and the queen of spades.`), "Ben wins 7 cards.");
});
