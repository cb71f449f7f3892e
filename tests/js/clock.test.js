import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("armed");
mock.timers.enable({ apis: ["Date", "setInterval"], now: 1_000_000 });
const { absenceOf, clockOf, missedBy, setClock, startClocks } = await import("../../static/js/table/clock.js");

const store = (clock, rules = { by_hours: false, cap: 300 }) => ({
  clock: rules,
  clocks: [{ seat: 0, bank: 65, due: null, missed: 0, autopilot: false, offered: false, ...clock }],
  status: "running",
  you: 0,
});
const time = (box) => box.querySelector(".seat-clock-time").textContent;

test("a live clock that stands shows what is left in minutes and seconds", () => {
  assert.equal(time(clockOf(store({}), 0)), "1:05");
});

test("a slow clock shows days, hours or minutes", () => {
  const slow = (bank) => time(clockOf(store({ bank }, { by_hours: true, cap: 0 }), 0));
  assert.equal(slow(3 * 86_400), "3 days");
  assert.equal(slow(5 * 3600), "5 h");
  assert.equal(slow(90), "2 min");
});

test("a clock that runs by hours says until when, in the reader's own time", () => {
  const box = clockOf(store({ due: 1000 + 3600 }, { by_hours: true, cap: 0 }), 0);
  assert.match(time(box), /^until /);
  assert.ok(box.title);
  // With 24 hours, as in emails.
  assert.match(time(box), / \d\d:\d\d$/);
  assert.doesNotMatch(`${time(box)} ${box.title}`, /[ap]m/i);
  const far = clockOf(store({ due: 1000 + 20 * 86_400 }, { by_hours: true, cap: 0 }), 0);
  assert.match(time(far), /\d/);
});

test("there is no clock without one, for nobody's seat, and after the end", () => {
  assert.equal(clockOf({ ...store({}), clock: null }, 0), null);
  assert.equal(clockOf(store({}), 1), null);
  assert.equal(clockOf({ ...store({}), status: "over" }, 0), null);
});

test("a running clock ticks by the server's time, and its owner is told once when little is left", () => {
  startClocks();
  setClock(2000);
  const box = clockOf(store({ due: 2030 }), 0);
  document.body.append(box);
  const said = document.body.querySelector("p[role=status]");
  assert.equal(time(box), "0:30");
  mock.timers.tick(12_000);
  assert.equal(time(box), "0:18");
  assert.ok(box.classList.contains("is-low"));
  const told = said.textContent;
  assert.match(told, /\d+ seconds left/);
  mock.timers.tick(3_000);
  assert.equal(said.textContent, told);
  mock.timers.tick(60_000);
  assert.equal(time(box), "0:00");
});

test("a live clock that runs is a ring round the face, too: what is left of the time that the turn began with", () => {
  setClock(2000);
  const seat = document.createElement("div");
  seat.className = "seat";
  const box = clockOf(store({ bank: 40, due: 2040 }), 0);
  seat.append(box);
  document.body.append(seat);
  mock.timers.tick(10_000);
  assert.ok(seat.classList.contains("is-timed"));
  assert.equal(Number(seat.style.getPropertyValue("--left")).toFixed(2), "0.75");
});

test("who is away, and for whom a stand-in has played, is said", () => {
  assert.equal(absenceOf(store({}), 0), null);
  assert.equal(absenceOf(store({}), 3), null);
  assert.equal(absenceOf(store({ autopilot: true }), 0), "away: autoplay is on");
  assert.equal(absenceOf(store({ offered: true }), 0), "seat offered");
  assert.equal(missedBy(store({})), null);
  assert.match(missedBy(store({ missed: 1 })), /autoplay made a safe move/);
  assert.match(missedBy(store({ missed: 2, autopilot: true })), /Autoplay is playing for you/);
});
