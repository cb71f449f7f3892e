import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

makePage("rummy-500");
const { missing, parse, wants } = await import("../../static/js/table/moves.js");

test("each kind of move says which cards it needs and what it aims at", () => {
  const shape = (move) => {
    const { needs, target, number } = parse(move);
    return [needs, target, number];
  };
  assert.deepEqual(shape("bet:12"), [[], null, 12]);
  assert.deepEqual(shape("take:3"), [[], "discard", 3]);
  assert.deepEqual(shape("take:QS"), [["QS"], null, null]);
  assert.deepEqual(shape("dealer:2"), [[], "seat:2", null]);
  assert.deepEqual(shape("draw"), [[], "stock", null]);
  assert.deepEqual(shape("snow"), [[], "stock", null]);
  assert.deepEqual(shape("lay:5x2"), [["#5", "#5"], "centre", null]);
  assert.deepEqual(shape("lay:RJ=5C@3"), [["RJ"], "meld:3", null]);
  assert.deepEqual(shape("swap:3C@1"), [["3C"], "seat:1", null]);
  assert.deepEqual(shape("meld:3C4C5C"), [["3C", "4C", "5C"], "melds", null]);
  assert.deepEqual(shape("play:AS/H"), [["AS"], "centre", null]);
  assert.deepEqual(shape("discard:3C"), [["3C"], "discard", null]);
  assert.deepEqual(shape("keep:3C"), [["3C"], null, null]);
  assert.deepEqual(shape("pass"), [[], null, null]);
  assert.deepEqual(missing(parse("lay:Xx2"), ["RJ"]), ["#X"]);
  assert.equal(missing(parse("discard:3C"), ["4C"]), null);
  assert.equal(wants(["#5"], "5H"), true);
});
