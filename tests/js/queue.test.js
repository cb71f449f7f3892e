import assert from "node:assert/strict";
import { test } from "node:test";
import { HELD, MOST_BEHIND, makeQueue } from "../../static/js/table/queue.js";

/** A queue with a clock of its own: `log` has what was shown and when, `pass` lets time go by. */
function watched() {
  let time = 0;
  let timers = [];
  const log = [];
  const rests = [];
  const queue = makeQueue({
    show: (steps) => log.push([time, steps.map((step) => step.name).join(" ")]),
    begin: (step) => rests.push(step.name),
    now: () => time,
    wait(done, pause) {
      const timer = { at: time + pause, done };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  });
  const pass = (ms) => {
    const until = time + ms;
    for (;;) {
      const [next] = timers.filter(({ at }) => at <= until).sort((one, other) => one.at - other.at);
      if (!next) break;
      timers = timers.filter((timer) => timer !== next);
      time = next.at;
      next.done();
    }
    time = until;
  };
  return { queue, log, rests, pass };
}
const step = (name, rest = 0) => ({ name, rest, shown: { name } });

test("what needs no rest is shown at once, together", () => {
  const { queue, log } = watched();
  queue.push([step("play"), step("note")]);
  assert.deepEqual(log, [[0, "play note"]]);
  assert.equal(queue.isBusy(), false);
  assert.equal(queue.last(), null);
});

test("one thing is shown after the other, each after its rest", () => {
  const { queue, log, rests, pass } = watched();
  queue.push([step("play"), step("trick", 900), step("note"), step("draw", 200), step("draw", 200)]);
  assert.deepEqual(queue.last(), { name: "draw" });
  pass(5000);
  assert.deepEqual(log, [
    [0, "play"],
    [900, "trick note"],
    [1100, "draw"],
    [1300, "draw"],
  ]);
  assert.deepEqual(rests, ["trick", "draw", "draw"]);
});

test("what comes meanwhile waits for its turn", () => {
  const { queue, log, pass } = watched();
  queue.push([step("play"), step("trick", 900)]);
  pass(300);
  queue.push([step("next")]);
  pass(1000);
  assert.deepEqual(log, [
    [0, "play"],
    [900, "trick next"],
  ]);
});

test("a press shows all of it at once, and nothing twice", () => {
  const { queue, log, pass } = watched();
  queue.push([step("play"), step("trick", 900), step("draw", 200)]);
  pass(100);
  queue.flush();
  queue.flush();
  pass(5000);
  assert.deepEqual(log, [
    [0, "play"],
    [100, "trick draw"],
  ]);
});

test("the page is never further behind than it may be", () => {
  const { queue, log, pass } = watched();
  for (let n = 0; n < 5; n += 1) queue.push([step(`play${n}`), step(`trick${n}`, 900)]);
  pass(60_000);
  assert.equal(log.at(-1)[0], MOST_BEHIND);
  assert.match(log.map(([, names]) => names).join(" "), /play0 trick0 play1 trick1 play2 trick2/);
});

test("a long rest is kept whole, and makes nobody late", () => {
  const { queue, log, pass } = watched();
  queue.push([step("last card"), step("new deal", HELD)]);
  pass(3900);
  assert.deepEqual(log, [[0, "last card"]]);
  queue.push([step("play"), step("trick", 900)]);
  pass(60_000);
  assert.deepEqual(log.slice(1), [
    [4000, "new deal play"],
    [4900, "trick"],
  ]);
});

test("a press ends a long rest, and the next one is whole again", () => {
  const { queue, log, pass } = watched();
  queue.push([step("a"), step("deal", HELD)]);
  pass(500);
  queue.flush();
  queue.push([step("b"), step("trick", 900)]);
  pass(5000);
  assert.deepEqual(log, [
    [0, "a"],
    [500, "deal"],
    [500, "b"],
    [1400, "trick"],
  ]);
});
