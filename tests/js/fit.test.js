import assert from "node:assert/strict";
import { test } from "node:test";
import { largest } from "../../static/js/table/fit.js";

/**
 * Look for the size with everything up to ``limit`` fitting.
 * @param {number} limit
 * @param {number} least
 * @param {number} most
 * @param {number | null} hint
 */
function search(limit, least, most, hint) {
  /** @type {number[]} */
  const tried = [];
  const found = largest(
    (size) => {
      tried.push(size);
      return size <= limit;
    },
    least,
    most,
    hint,
  );
  return { found, tried };
}

test("the largest size that fits is found, whatever the hint", () => {
  const [least, most] = [20, 96];
  for (let limit = least - 1; limit <= most; limit += 1) {
    for (const hint of [null, least - 1, least, 50, most - 1, most, most + 5, 3]) {
      const { found, tried } = search(limit, least, most, hint);
      assert.equal(found, limit);
      assert.ok(
        tried.every((size) => size >= least && size <= most),
        `${tried}`,
      );
      assert.ok(tried.length <= 14, `${tried}`);
      assert.equal(new Set(tried).size, tried.length);
    }
  }
});

test("what is as it was last time takes two tries, one at either end", () => {
  assert.deepEqual(search(60, 20, 96, 60).tried, [61, 60]);
  assert.deepEqual(search(96, 20, 96, 96).tried, [96]);
  assert.deepEqual(search(19, 20, 96, 19).tried, [20]);
});

test("without a hint the usual size comes first, and then the least", () => {
  assert.deepEqual(search(96, 20, 96, null).tried, [96]);
  assert.deepEqual(search(19, 20, 96, null).tried, [96, 20]);
});
