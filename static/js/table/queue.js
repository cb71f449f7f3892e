/** Show events one after the other, but never late for long. Pure: without clock and page. */

/** How far the page may be behind, in ms, apart from rests that the server waits for. */
export const MOST_BEHIND = 2500;
/** The server waits for a rest of this length; only the viewer can cut it short. */
export const HELD = 4000;

/**
 * @param {object} hooks
 * @param {(steps: Step[]) => void} hooks.show - shows what is due: one step, or several at once
 * @param {(step: Step) => void} hooks.begin - called when a rest begins, before the step is shown
 * @param {() => number} hooks.now - the time in milliseconds
 * @param {(done: () => void, pause: number) => () => void} hooks.wait - calls back later; returns what cancels it
 */
export function makeQueue({ show, begin, now, wait }) {
  /** @type {(Step & { at: number })[]} */
  let steps = [];
  /** @type {(() => void) | null} */
  let stop = null;
  /** The end of a rest that doesn't count as being behind. */
  let heldUntil = 0;

  /** Show the first step, and those after it without a rest; then wait for the next. */
  function advance() {
    stop = null;
    let n = 1;
    while (n < steps.length && steps[n].rest === 0) n += 1;
    show(steps.splice(0, n));
    go();
  }

  function go() {
    if (stop || !steps.length) return;
    const [step] = steps;
    const isHeld = step.rest >= HELD;
    const latest = Math.max(step.at, heldUntil) + MOST_BEHIND;
    const pause = isHeld ? step.rest : Math.max(0, Math.min(step.rest, latest - now()));
    if (pause === 0) return advance();
    if (isHeld) heldUntil = now() + pause;
    stop = wait(advance, pause);
    begin(step);
  }

  return {
    /**
     * Add steps, in order.
     * @param {Step[]} more
     */
    push(more) {
      steps.push(...more.map((step) => ({ ...step, at: now() })));
      go();
    },
    /** Show all steps at once. */
    flush() {
      stop?.();
      stop = null;
      heldUntil = 0;
      const due = steps;
      steps = [];
      if (due.length) show(due);
    },
    isBusy: () => steps.length > 0,
    /** What the last waiting step will show; null if none waits. */
    last: () => steps.at(-1)?.shown ?? null,
  };
}
