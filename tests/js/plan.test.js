/** Planned cards at a live table are played one after the other, and none is lost. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("armed");
const { makePlan } = await import("../../static/js/table/plan.js");
const { el } = await import("../../static/js/table/el.js");

let sent = [];
let isBusy = false;
const store = {
  you: 0,
  status: "running",
  view: { moves: [] },
  zone: () => ({ cards: ["2C", "3C", "4C"] }),
};
const box = el("div");
document.body.append(box);
const plan = makePlan({
  box,
  name: "m",
  store,
  moveOf: (code) => `play:${code}`,
  signs: (codes) => codes.map((code) => el("span", {}, code)),
  submit(move) {
    sent.push(move);
    isBusy = true;
  },
  isBusy: () => isBusy,
  changed: () => undefined,
});
const press = (name) => box.querySelector(`[data-focus="${name}"]`).dispatchEvent(new Event("click"));

beforeEach(() => {
  plan.drawn();
  if (plan.isOpen()) press("off");
  [sent, isBusy, store.view] = [[], false, { moves: [] }];
  press("making");
  for (const code of ["2C", "3C", "4C"]) plan.touched(code);
  press("on");
});

test("while a planned move has no answer, no redraw takes the next card out of the plan", () => {
  store.view = { moves: ["play:2C"] };
  plan.drawn();
  plan.drawn();
  assert.deepEqual(sent, ["play:2C"]);
  assert.equal(plan.position("3C"), 1);
  isBusy = false;
  plan.drawn();
  assert.deepEqual(sent, ["play:2C", "play:3C"]);
});

test("the button that stops the plan stays the same while cards are played", () => {
  const stop = box.querySelector('[data-focus="off"]');
  store.view = { moves: ["play:2C"] };
  plan.drawn();
  assert.deepEqual(sent, ["play:2C"]);
  assert.equal(box.querySelector('[data-focus="off"]'), stop);
});
