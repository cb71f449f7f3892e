import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("armed");
const { makeLastMove, sentenceOf, withoutRepeats } = await import("../../static/js/table/last_move.js");

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

/** The ids of the marked cards of a table with two kings of clubs in the discard pile, and one in a meld. */
function marked() {
  document.getElementById("felt").innerHTML =
    '<i data-zone="discard" id="old"></i><i data-zone="discard" id="new"></i><i data-zone="meld:1" id="melded"></i>';
  document.getElementById("last") ??
    document.getElementById("table").insertAdjacentHTML("beforeend", '<p id="last"></p>');
  const ids = ["old", "new", "melded"];
  const cards = new Map(ids.map((id, n) => [`KC#${n}`, document.getElementById(id)]));
  const store = { you: 0, lesson: null, status: "running", nameFor: () => "Pia", log: [] };
  const lastMove = makeLastMove(store, () => cards);
  const those = () => {
    lastMove.drawn();
    return ids.filter((id) => document.getElementById(id).classList.contains("is-last"));
  };
  return (...messages) => {
    for (const events of messages) {
      lastMove.add(events);
      lastMove.shown(events);
    }
    const live = those();
    store.log = messages.flatMap((events, v) => events.map((each) => ({ ...each, v })));
    lastMove.begun();
    assert.deepEqual(those(), live, "a page loaded later marks the same");
    return live;
  };
}
const discard = event("discard", 1, "Pia discards the king of clubs.", { cards: ["KC"], target: "discard" });
const draw = event("draw", 2, "Tom draws.", { cards: 1, source: "stock", target: "hand:2" });

test("of the same card of two packs, only the one that was played last is marked", () => {
  assert.deepEqual(marked()([discard]), ["new"]);
});

test("a card is marked until another player draws, but a draw that belongs to its own move doesn't count", () => {
  assert.deepEqual(marked()([discard], [draw]), []);
  assert.deepEqual(marked()([discard, draw]), ["new"]);
  assert.deepEqual(marked()([discard], [draw], [discard]), ["new"]);
});
