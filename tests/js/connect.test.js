/** How soon a page that has lost its line tries again. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { pauseAfter } from "../../static/js/connect.js";

test("the first pauses are short, and each is twice as long as the one before", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((tries) => pauseAfter(tries, 0.5)),
    [300, 600, 1200, 2400],
  );
});

test("a server that has just gone is tried every five seconds at least, for a minute", () => {
  let away = 0;
  for (let tries = 0; away < 60_000; tries++) {
    assert.ok(pauseAfter(tries, 1) <= 5000, `${tries} tries`);
    away += pauseAfter(tries, 1);
  }
});

test("after many tries they come up to ten seconds apart, and at chance", () => {
  assert.equal(pauseAfter(100, 0), 5000);
  assert.equal(pauseAfter(100, 1), 15_000);
});
