/** What the strip and the news above the felt say. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("armed");
const { makeStatus } = await import("../../static/js/table/status.js");

const page = document.getElementById("table");
page.insertAdjacentHTML(
  "beforeend",
  `<p id="status"></p><p id="turn-sign"></p><p id="missed"></p><p id="waiting"><span id="waiting-said"></span>
  <span id="waiting-left"></span></p><section class="seat-offers"><form><input name="seat" value="0"></form>
  <form><input name="seat" value="1"></form></section>`,
);

function makeStrip(changes) {
  const store = {
    you: null,
    status: "running",
    version: 1,
    names: ["Ada", "Ben"],
    players: [],
    clocks: [],
    view: { to_move: [0], moves: [], facts: {} },
    ...changes,
  };
  const options = { page, store, layout: {}, watching: () => undefined, turned: () => undefined };
  return { store, status: makeStatus(options) };
}

test("a seat can be taken over only as long as it is offered and the match runs", () => {
  const box = page.querySelector(".seat-offers");
  const shown = () => (box.hidden ? [] : [...box.querySelectorAll("form")].map((form) => !form.hidden));
  const { store, status } = makeStrip({ clocks: [0, 1].map((seat) => ({ seat, offered: true })) });
  status.drawn();
  assert.deepEqual(shown(), [true, true]);
  store.clocks = [{ seat: 1, offered: true }];
  status.drawn();
  assert.deepEqual(shown(), [false, true]);
  store.status = "over";
  status.drawn();
  assert.deepEqual(shown(), []);
});

test("a pause counts down to its end, however often it is drawn", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  let now = 0;
  t.mock.method(performance, "now", () => now);
  const { status } = makeStrip({ waiting: { seat: 1, seconds: 9, end: 9000 } });
  const left = () => document.getElementById("waiting-left").textContent;
  status.drawn();
  const first = left();
  now = 4000;
  status.drawn();
  assert.notEqual(left(), first);
  assert.match(left(), /5/);
});
