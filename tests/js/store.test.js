import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

makePage("armed");
const { makeStore } = await import("../../static/js/table/store.js");

const view = (phase) => ({ phase, zones: [{ id: "stock", cards: null, count: 3 }] });
const snapshot = (changes = {}) => ({
  t: "snapshot",
  v: 4,
  you: 0,
  now: 0,
  status: "running",
  players: [
    { seat: 0, name: "Ada", kind: "person", online: false },
    { seat: 1, name: "Ben", kind: "person", online: true },
    { seat: 2, name: "Cleo", kind: "ai", online: true },
  ],
  view: view("begun"),
  log: [],
  scores: [],
  ...changes,
});
const moved = (v, changes = {}) => ({
  t: "moved",
  v,
  card: null,
  now: 0,
  status: "running",
  view: view(`after ${v}`),
  events: [],
  ...changes,
});

test("at first the page knows only of its own player that they are here", () => {
  const store = makeStore(snapshot());
  assert.deepEqual(
    store.players.map(({ online }) => online),
    [true, null, true],
  );
  assert.deepEqual(store.names, ["Ada", "Ben", "Cleo"]);
});

test("moves are taken in order, each once, and a hole is noticed", () => {
  const store = makeStore(snapshot());
  assert.equal(store.take(moved(5, { card: 5 })), "moved");
  assert.equal(store.card, 5);
  assert.equal(store.take(moved(5)), null);
  assert.equal(store.take(moved(7)), "gap");
  assert.equal(store.version, 5);
  assert.equal(store.view.phase, "after 5");
  assert.equal(store.zone("stock").count, 3);
});

test("a move ends a pause, and may end the match", () => {
  const store = makeStore(snapshot({ waiting: { seat: 1, seconds: 9 } }));
  store.take(moved(5, { status: "over", outcome: { reason: "out" }, reasons: ["a", "b", "c"] }));
  assert.equal(store.waiting, null);
  assert.equal(store.outcome.reason, "out");
  assert.deepEqual(store.reasons, ["a", "b", "c"]);
});

test("a whole view is taken unless moves have overtaken it", () => {
  const store = makeStore(snapshot());
  assert.equal(store.take(snapshot({ v: 3, view: view("old") })), null);
  assert.equal(store.take(snapshot({ v: 4, view: view("again"), live: true })), "snapshot");
  assert.equal(store.view.phase, "again");
  assert.equal(store.isLive, true);
});

test("who is here is told of people; AI players always are", () => {
  const store = makeStore(snapshot());
  assert.equal(store.take({ t: "presence", online: [1] }), null);
  assert.deepEqual(
    store.players.map(({ online }) => online),
    [false, true, true],
  );
  assert.equal(store.take({ t: "ok" }), null);
});

test("a pause and an offer of a rematch end at one time, however often they are drawn", (t) => {
  t.mock.method(performance, "now", () => 1000);
  const store = makeStore(snapshot({ waiting: { seat: 1, seconds: 9 }, rematch: { seconds: 60 } }));
  assert.equal(store.waiting.end, 10_000);
  assert.equal(store.rematch.end, 61_000);
  assert.equal(store.take({ t: "waiting", waiting: { seat: 1, seconds: 4 } }), null);
  assert.equal(store.waiting.end, 5000);
  store.take({ t: "waiting", waiting: null });
  assert.equal(store.waiting, null);
  store.take(snapshot({ rematch: { seconds: null } }));
  assert.equal(store.rematch.end, null);
});
