/** What the end of a match changes on the page besides the table. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("armed");
const { makeResult } = await import("../../static/js/table/result.js");

const RESULT = `<details class="resign"></details><details id="resign" class="resign"></details>
  <section id="result" hidden><h2 id="result-title"></h2><p id="result-sentence"></p>
  <form><button id="rematch"></button></form><p id="rematch-said"></p><figure id="result-chart"></figure>
  <ol id="result-places"></ol></section><code id="seed">7</code><h2 data-when-over="Chat">Spectator chat</h2>
  <input data-when-over="To everyone" placeholder="To spectators">`;

/** @param {{ wasOver?: boolean, rematch?: object }} options */
function makeEnd({ wasOver = false, rematch = null } = {}) {
  const page = document.getElementById("table");
  page.innerHTML = RESULT;
  page.querySelector("#result").focus = () => undefined;
  page.querySelector("#rematch").form ??= page.querySelector("form");
  const store = {
    you: 0,
    status: "over",
    outcome: { reason: "out", ranking: [[0], [1]], points: [1, 0] },
    reasons: ["all cards", "no cards"],
    players: [{ name: "Ada" }, { name: "Ben" }],
    names: ["Ada", "Ben"],
    nameFor: (seat) => ["You", "Ben"][seat],
    view: { seats: [{ team: null }, { team: null }] },
    rematch,
  };
  const result = makeResult({ page, store, deals: () => [], title: "", wasOver, amountOf: String });
  return { page, store, result };
}

/** @param {() => void} act - Returns the events for other modules that it causes. */
function heard(act) {
  const types = [];
  const hear = ({ type, detail }) => types.push(detail?.t ?? type);
  for (const type of ["ending", "talk"]) document.addEventListener(type, hear);
  act();
  for (const type of ["ending", "talk"]) document.removeEventListener(type, hear);
  return types;
}

test("the end takes offers away and opens the chat of players and spectators to each other, once", () => {
  const { page, result } = makeEnd();
  assert.deepEqual(heard(result.draw), ["ending", "talk_again"]);
  assert.equal(page.querySelectorAll(".resign").length, 0);
  assert.equal(page.querySelector("h2[data-when-over]").textContent, "Chat");
  assert.equal(page.querySelector("input").getAttribute("placeholder"), "To everyone");
  assert.deepEqual(heard(result.draw), []);
});

test("the reason that is the headline isn't repeated under its player's name", () => {
  const { page, result } = makeEnd();
  result.draw();
  assert.equal(page.querySelector("#result-sentence").textContent, "all cards");
  assert.deepEqual(
    [...page.querySelectorAll(".result-why")].map(({ textContent }) => textContent),
    ["no cards"],
  );
});

test("the reason of a team is said once", () => {
  const { page, store, result } = makeEnd();
  store.outcome.ranking = [
    [0, 2],
    [1, 3],
  ];
  store.outcome.points = [66, 54, 66, 54];
  store.reasons = ["66 of 120", "54 of 120", "66 of 120", "54 of 120"];
  store.players = ["Ada", "Ben", "Chidi", "Grace"].map((name) => ({ name }));
  store.view.seats = [0, 1, 0, 1].map((team) => ({ team }));
  result.draw();
  assert.deepEqual(
    [...page.querySelectorAll("#result-places li")].map((row) => row.querySelector(".result-why")?.textContent ?? ""),
    ["", "", "", "54 of 120"],
  );
});

test("a page of a finished match has nothing to load again", () => {
  assert.deepEqual(heard(makeEnd({ wasOver: true }).result.draw), []);
});

test("when the offer of a rematch is over, no one is marked as ready", (t) => {
  t.mock.timers.enable({ apis: ["setInterval"] });
  const { page, result } = makeEnd({
    rematch: { status: "open", agreed: [0], asked: [1], end: performance.now() + 60_000, seconds: 60 },
  });
  result.draw();
  const button = page.querySelector("#rematch");
  assert.ok(page.querySelector(".result-ready"));
  t.mock.method(performance, "now", () => Number.MAX_SAFE_INTEGER);
  t.mock.timers.tick(1000);
  assert.equal(page.querySelector(".result-ready"), null);
  assert.equal(button.hasAttribute("aria-disabled"), false);
  assert.notEqual(page.querySelector("#rematch-said").textContent, "");
});
