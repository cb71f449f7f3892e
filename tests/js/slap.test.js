/** A slap is measured from the painting of its own card. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("armani");
const paints = [];
globalThis.requestAnimationFrame = (paint) => paints.push(paint);
const { makeSlap } = await import("../../static/js/table/slap.js");
const { el } = await import("../../static/js/table/el.js");

test("a new run measures its cards anew, though they have the numbers of the last run", () => {
  const button = el("button", {}, el("span.slap-note"));
  document.body.append(button);
  const facts = { lockout: [0], options: { slaps: ["pair"] } };
  const store = { card: null, you: 0, status: "running", view: { facts, moves: ["slap"] } };
  const sent = [];
  const slap = makeSlap(button, store, (message) => sent.push(message));
  function slapAt(late) {
    store.card = 1;
    slap.drawn();
    for (const paint of paints.splice(0)) paint();
    const event = new Event("pointerdown", { cancelable: true });
    Object.defineProperty(event, "timeStamp", { value: performance.now() + late });
    Object.assign(event, { button: 0 });
    button.dispatchEvent(event);
  }
  slapAt(300);
  slap.reset();
  slapAt(400);
  assert.equal(sent.length, 2);
  assert.ok(sent[1].r >= 400 && sent[1].r < 500, `${sent[1].r} ms`);
  store.status = "over";
});

test("a slap that couldn't be stored can be made again, and its refusal is told from that of a move", () => {
  const button = el("button", {}, el("span.slap-note"));
  document.body.append(button);
  const facts = { lockout: [0], options: { slaps: ["pair"] } };
  const store = { card: 1, you: 0, status: "running", view: { facts, moves: ["slap"] } };
  const sent = [];
  const slap = makeSlap(button, store, (message) => sent.push(message));
  const press = () =>
    button.dispatchEvent(Object.assign(new Event("pointerdown", { cancelable: true }), { button: 0 }));
  press();
  press();
  assert.equal(sent.length, 1);
  assert.deepEqual([slap.isMine(sent[0].id), slap.isMine("another"), slap.isMine(null)], [true, false, false]);
  slap.refused("unavailable", "Try again.");
  press();
  assert.equal(sent.length, 2);
  store.status = "over";
});

test("the space bar is left to the page where there is nothing to slap any more", () => {
  const button = el("button", {}, el("span.slap-note"));
  document.body.append(button);
  const facts = { lockout: [0], options: { slaps: ["pair"] } };
  const store = { card: null, you: 0, status: "over", view: { facts, moves: [] } };
  makeSlap(button, store, () => {});
  function isTaken() {
    const event = new Event("keydown", { bubbles: true, cancelable: true });
    Object.assign(event, { code: "Space" });
    document.body.dispatchEvent(event);
    return event.defaultPrevented;
  }
  assert.equal(isTaken(), false);
  store.status = "running";
  assert.equal(isTaken(), true);
});
