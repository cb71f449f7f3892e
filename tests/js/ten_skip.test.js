import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

makePage("ten-skip");
const { default: layout } = await import("../../static/js/table/games/ten-skip.js");

test("where nothing has been claimed no button speaks of a challenge", () => {
  const table = { view: { phase: "turn" }, facts: { notice: null } };
  assert.deepEqual(layout.standing?.(table) ?? [], []);
});
