import assert from "node:assert/strict";
import { test } from "node:test";
import { stepsOf } from "../../static/js/table/steps.js";
import { data } from "./page.js";

const zone = (id, cards, count = cards?.length) => ({ id, owner: null, count, cards, note: "" });
const view = (...zones) => ({ zones, moves: ["play:AC"], to_move: [0], facts: {} });
const lying = ({ zones }) => Object.fromEntries(zones.map(({ id, cards, count }) => [id, cards ?? count]));
const event = (kind, seat, details = {}) => ({ kind, seat, data: details, text: kind });

test("without a rest a message is one step, with the view as it is then", () => {
  const after = view(zone("trick", ["AC"]));
  const play = event("play", 0, { card: "AC", source: "hand:0", target: "trick" });
  assert.deepEqual(stepsOf(view(zone("trick", [])), after, [play], { trick: 900 }), [
    { rest: 0, events: [play], view: after },
  ]);
});

test("a trick lies full before it goes, and the draws follow one by one", () => {
  const before = view(
    zone("hand:0", ["AC", "4C"]),
    zone("hand:1", null, 2),
    zone("trick", ["7C"]),
    zone("taken:0", null, 0),
    zone("stock", null, 9),
  );
  const after = view(zone("trick", []));
  const events = [
    event("play", 0, { card: "AC", source: "hand:0", target: "trick" }),
    event("trick", 0, { cards: ["7C", "AC"], source: "trick", target: "taken:0" }),
    event("draw", 0, { cards: 1, source: "stock", target: "hand:0" }),
    event("drawn", 0, { card: "KD" }),
    event("draw", 1, { cards: 1, source: "stock", target: "hand:1" }),
  ];
  const steps = stepsOf(before, after, events, { trick: 900, draw: 200 });
  assert.deepEqual(
    steps.map(({ rest }) => rest),
    [0, 900, 200, 200],
  );
  assert.deepEqual(lying(steps[0].view), {
    "hand:0": ["4C"],
    "hand:1": 2,
    trick: ["7C", "AC"],
    "taken:0": 0,
    stock: 9,
  });
  assert.deepEqual(lying(steps[1].view), { "hand:0": ["4C"], "hand:1": 2, trick: [], "taken:0": 2, stock: 9 });
  assert.deepEqual(lying(steps[2].view), { "hand:0": ["4C", "KD"], "hand:1": 2, trick: [], "taken:0": 2, stock: 8 });
  assert.equal(steps[3].view, after);
  assert.deepEqual(steps[0].view.moves, [], "nobody moves on what is not so any more");
  assert.deepEqual(lying(before)["hand:0"], ["AC", "4C"], "what was is left as it was");
});

test("a drawn card comes at once to its place in the sorted hand", () => {
  const before = view(zone("hand:0", ["2C", "5C", "KS"]), zone("hand:1", null, 2), zone("stock", null, 9));
  const after = view(zone("hand:0", ["2C", "5C", "JD", "KS"]), zone("hand:1", null, 3), zone("stock", null, 7));
  const events = [
    event("draw", 0, { cards: 1, source: "stock", target: "hand:0" }),
    event("drawn", 0, { card: "JD" }),
    event("draw", 1, { cards: 1, source: "stock", target: "hand:1" }),
  ];
  const [first] = stepsOf(before, after, events, { draw: 200 });
  assert.deepEqual(lying(first.view)["hand:0"], ["2C", "5C", "JD", "KS"]);
});

test("cards of several seats go from where each lay", () => {
  const before = view(zone("battleground:0", ["4C"]), zone("battleground:1", ["5C"]), zone("deck:1", null, 3));
  const taken = event("taken", 1, {
    cards: ["4C", "5C"],
    source: ["battleground:0", "battleground:1"],
    target: "deck:1",
  });
  const [, step] = stepsOf(before, view(), [event("turned", null), taken, event("note", null)], {
    taken: 900,
    note: 1,
  });
  assert.deepEqual(lying(step.view), { "battleground:0": [], "battleground:1": [], "deck:1": 5 });
});

test("a message without events is its view", () => {
  const after = view();
  assert.deepEqual(stepsOf(view(), after, [], {}), [{ rest: 0, events: [], view: after }]);
});

for (const [slug, { words, messages }] of Object.entries(data))
  test(`in ${slug} every message of a match ends in its view, with each event shown once and in order`, () => {
    assert.ok(messages.length > 20);
    for (const { before, after, events } of messages) {
      const steps = stepsOf(before, after, events, words.rests);
      assert.equal(steps.at(-1).view, after);
      assert.deepEqual(
        steps.flatMap((step) => step.events),
        events,
      );
      for (const { view: shown } of steps)
        for (const { id, count, cards } of shown.zones)
          assert.ok(count >= 0 && (cards === null || cards.length === count), id);
    }
  });
