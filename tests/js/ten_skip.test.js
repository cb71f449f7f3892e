import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

makePage("ten-skip");
const { default: layout } = await import("../../static/js/table/games/ten-skip.js");

test("where nothing has been claimed no button speaks of a challenge", () => {
  const table = { view: { phase: "turn" }, facts: { notice: null } };
  assert.deepEqual(layout.standing?.(table) ?? [], []);
});

test("a claim puts the others on notice, and its own player is told so", () => {
  const store = {
    you: 0,
    called: (/** @type {number} */ seat) => ({ isReader: seat === 0, toString: () => "Ben" }),
  };
  const moment = (/** @type {number} */ seat) =>
    layout.moment?.({ store }, { kind: "claim", seat, data: {}, text: "" });
  assert.equal(moment(0)?.title, "The others are on notice!");
  assert.equal(moment(0)?.text, "You claim a ten-skip hand.");
  assert.equal(moment(1)?.title, "You’re on notice!");
  assert.equal(moment(1)?.text, "Ben claims a ten-skip hand.");
});
