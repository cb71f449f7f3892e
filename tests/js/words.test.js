import assert from "node:assert/strict";
import { test } from "node:test";
import { data, makePage } from "./page.js";

makePage("rummy-500");
const words = await import("../../static/js/table/words.js");

for (const [slug, { names, labels, words: its }] of Object.entries(data)) {
  test(`every move of ${slug} has the label that the server gives it`, () => {
    words.useWords(its);
    const wrong = Object.entries(labels).filter(([move, label]) => words.moveLabel(move, names) !== label);
    assert.deepEqual(wrong, []);
    assert.ok(Object.keys(labels).length > 5);
    assert.deepEqual(words.rests(), its.rests);
  });
}

test("words have their values, and what has no words is said as it is called", () => {
  words.useWords(data["rummy-500"].words);
  assert.equal(words.say("cards", { n: 3 }), "3 cards");
  assert.equal(words.say("no such words"), "no such words");
  assert.equal(words.countOf(0), "no cards");
  assert.equal(words.countOf(1), "1 card");
  assert.equal(words.countOf(2), "2 cards");
  assert.equal(words.pointsOf(1), "1 point");
  assert.equal(words.pointsOf(-5), "-5 points");
  assert.equal(words.pointsOf(1, ""), " point");
  assert.equal(words.unitOf(0), " pts");
  assert.equal(words.unitOf(1), " pt");
  assert.equal(words.capital("stock"), "Stock");
});

test("cards have names and signs, jokers too", () => {
  words.useWords(data["rummy-500"].words);
  const { cardName, cardSign, suitName, codesIn } = words;
  assert.equal(cardName("QS"), "the queen of spades");
  assert.equal(cardName(null), "a card face down");
  assert.match(cardName("RJ=5C"), /red joker as the 5 of clubs/);
  assert.match(cardName("RJ=5*"), /as 5$/);
  assert.equal(cardSign("TD"), "10♦");
  assert.equal(cardSign("BJ"), "★");
  assert.equal(cardSign("RJ"), "☆");
  assert.equal(suitName("H"), "hearts");
  assert.deepEqual(codesIn("3CRJ=4C5CBJ"), ["3C", "RJ=4C", "5C", "BJ"]);
});

test("a player is asked what the moves at hand allow", () => {
  words.useWords(data["rummy-500"].words);
  const { promptOf } = words;
  assert.ok(promptOf(["draw:stock", "draw:discard"]) ?? promptOf(["draw:stock", "take:1"]));
  assert.equal(promptOf([]), undefined);
});

test("a name has words for others and for its reader", () => {
  words.useWords(data.armed.words);
  const won = (/** @type {boolean} */ isReader) =>
    words.say("battle_to", { one: 9, other: 13, name: words.called("A$&", isReader) });
  assert.equal(won(false), "9 against 13: A$& won the battle");
  assert.equal(won(true), "9 against 13: you won the battle");
});

test("the coach names the largest meld, and the card that fits one on the table", () => {
  words.useWords(data["basic-rummy"].words);
  const moves = ["meld:5H6H7H", "meld:5H6H7H8H", "lay:TD@2", "discard:5H"];
  assert.equal(words.withCards("Meld {cards}.", moves), "Meld 5♥ 6♥ 7♥ 8♥.");
  assert.equal(words.withCards("Add {cards} to meld {n}.", moves), "Add 10♦ to meld 2.");
  assert.equal(words.withCards("Draw.", ["draw:stock"]), "Draw.");
});
