import assert from "node:assert/strict";
import { test } from "node:test";
import { makeDrawing } from "../../static/js/table/in_parts.js";

/** A page whose tasks and frames begin when the test says so: `log` has what was done, a task or a frame in each row. */
function watched({ hidden = false } = {}) {
  const log = [];
  const [tasks, frames] = [[], []];
  const note = (...words) => log.at(-1).push(words.join(" "));
  const page = {
    get offsetHeight() {
      note("lay out");
      return 0;
    },
  };
  globalThis.document = { hidden, getAnimations: () => note("style") };
  globalThis.window = { scheduler: { postTask: (done) => tasks.push(done) } };
  globalThis.requestAnimationFrame = (done) => frames.push(done);
  const drawing = makeDrawing(page, {
    seats: (what) => note("seats", what),
    cards: (what) => note("cards", what),
    places: () => note("places"),
    done: (what) => note("done", what),
  });
  const begin = (task) => {
    log.push([]);
    task();
    return new Promise(setImmediate);
  };
  return {
    drawing,
    log,
    draw: (what, isInParts = true) => begin(() => drawing.draw(what, isInParts)),
    press: () => begin(() => drawing.drawCards()),
    task: () => begin(() => tasks.shift()?.()),
    frame: () =>
      begin(() => {
        for (const done of frames.splice(0)) done();
      }),
    idle: () => !tasks.length,
  };
}

test("a drawing has a task for each of its parts", async () => {
  const { log, draw, task, frame, drawing, idle } = watched();
  await draw("A");
  await task();
  await task();
  assert.ok(drawing.lacksCards());
  await frame();
  await task();
  assert.ok(!drawing.lacksCards());
  while (!idle()) await task();
  const said = [["seats A"], ["style"], ["lay out"]];
  const shown = [["cards A"], ["style"], ["lay out"], ["places"], ["done A"], ["style"]];
  assert.deepEqual(log, [...said, [], ...shown]);
});

test("what is painted is complete, as soon as it has its cards", async () => {
  const { log, draw, task, frame, idle } = watched();
  await draw("A");
  for (const next of [task, task, frame, task, task, frame]) await next();
  assert.deepEqual(log.slice(4), [["cards A"], ["style"], ["places", "done A"]]);
  while (!idle()) await task();
  const drawn = log.flat().filter((words) => words.endsWith("A") || words === "places");
  assert.deepEqual(drawn, ["seats A", "cards A", "places", "done A"]);
});

test("a press draws the cards, and nothing is drawn twice", async () => {
  const { log, draw, press, task, frame, idle } = watched();
  await draw("A");
  await press();
  await frame();
  while (!idle()) await task();
  assert.deepEqual(log.slice(0, 3), [["seats A"], ["cards A"], ["places", "done A"]]);
  assert.deepEqual([...new Set(log.slice(3).flat())].sort(), ["lay out", "style"]);
});

test("the next drawing completes the one before it, whose tasks are void", async () => {
  const { log, draw, task, frame, idle } = watched();
  await draw("A");
  for (const next of [task, task, frame, task]) await next();
  await draw("B");
  assert.deepEqual(log.slice(5), [["places", "done A", "seats B"]]);
  await frame();
  while (!idle()) await task();
  const drawn = log.slice(6).flat();
  assert.deepEqual(
    drawn.filter((words) => words.endsWith("B")),
    ["cards B", "done B"],
  );
  assert.equal(drawn.filter((words) => words === "places").length, 1);
});

test("all comes at once on a hidden page, and the cards at once where they may be slapped", async () => {
  const hidden = watched({ hidden: true });
  await hidden.draw("A");
  assert.deepEqual(hidden.log, [["seats A", "cards A", "places", "done A"]]);
  const slapped = watched();
  await slapped.draw("A", false);
  await slapped.frame();
  assert.deepEqual(slapped.log, [
    ["seats A", "cards A"],
    ["places", "done A"],
  ]);
});
