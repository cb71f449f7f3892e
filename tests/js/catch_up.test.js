/** Players who come back are told what happened meanwhile, also when their connection has to open again first. */

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("normal-cards");
const { makeCatchUp } = await import("../../static/js/table/catch_up.js");
const { ABSENCE } = await import("../../static/js/table/seen.js");
const { el } = await import("../../static/js/table/el.js");

const chip = el("button", { id: "catch-up-chip", hidden: true });
const box = el(
  "dialog",
  {},
  el("h2"),
  el("ol"),
  el("p.catch-up-now"),
  el("div.catch-up-cards"),
  el("button", { dataset: { catch: "play" } }),
);
document.body.append(chip, box);
const store = { you: 0, version: 3, log: [], view: {} };
let isHidden = false;
Object.defineProperty(document, "hidden", { get: () => isHidden });
let hasTime = true;
const catchUp = makeCatchUp(box, store, () => hasTime);

/** @param {boolean} hidden */
function look(hidden) {
  isHidden = hidden;
  document.dispatchEvent(new Event("visibilitychange"));
}
const played = (v) => catchUp.add(v, [{ kind: "play", seat: 1, text: `Ben plays ${v}.`, data: {} }]);

mock.timers.enable({ apis: ["Date"] });

beforeEach(() => {
  catchUp.begun([]);
  store.version = 3;
  chip.hidden = hasTime = true;
  look(true);
  mock.timers.tick(ABSENCE + 1);
});

test("what came while the page was hidden is listed on the return", () => {
  played(4);
  played(5);
  look(false);
  assert.equal(chip.hidden, false);
});

test("what comes after a return over a connection that had to open again is listed, too", () => {
  look(false);
  assert.equal(chip.hidden, true);
  mock.timers.tick(6000);
  catchUp.reopened();
  played(4);
  played(5);
  assert.equal(chip.hidden, false);
  assert.match(chip.textContent, /2/);
});

test("the same holds if the whole match is sent again", () => {
  look(false);
  catchUp.reopened();
  catchUp.begun([4, 5, 6].map((v) => ({ v, kind: "play", seat: 1, text: `Ben plays ${v}.`, data: {} })));
  assert.equal(chip.hidden, false);
});

test("what happens before the player's eyes after a return isn't listed", () => {
  look(false);
  played(4);
  played(5);
  mock.timers.tick(60_000);
  catchUp.reopened();
  played(6);
  assert.equal(chip.hidden, true);
});

test("nothing is listed while cards are turned, since there is no time to read", () => {
  hasTime = false;
  played(4);
  played(5);
  look(false);
  assert.equal(chip.hidden, true);
});
