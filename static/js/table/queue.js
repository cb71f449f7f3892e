/** What has happened is shown one thing after the other, and never late for long. No clock and no page in here. */

/** How far the page may be behind, in milliseconds, apart from rests that the server waits for. */
export const MOST_BEHIND = 2500;
/** A rest as long as this is one for which the server waits: it is cut short by its viewer only. */
export const HELD = 4000;

/**
 * @param {object} hooks
 * @param {(steps: Step[]) => void} hooks.show - shows what is due: one step, or several at once
 * @param {(step: Step) => void} hooks.begin - told when a rest begins: what is seen until the step is shown
 * @param {() => number} hooks.now - the time in milliseconds
 * @param {(done: () => void, pause: number) => () => void} hooks.wait - calls back later; gives what stops it
 */
export function makeQueue({ show, begin, now, wait }) {
  /** @type {(Step & { at: number })[]} */
  let steps = [];
  /** @type {(() => void) | null} */
  let stop = null;
  /** Until when a rest holds for which nobody is late. */
  let heldUntil = 0;

  /** Show the first step, and those after it that need no rest; then wait for the next. */
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
     * Take in what has happened, in order.
     * @param {Step[]} more
     */
    push(more) {
      steps.push(...more.map((step) => ({ ...step, at: now() })));
      go();
    },
    /** Show all of it at once. */
    flush() {
      stop?.();
      stop = null;
      heldUntil = 0;
      const due = steps;
      steps = [];
      if (due.length) show(due);
    },
    isBusy: () => steps.length > 0,
    /** What will be shown when nothing waits any more; null if nothing does. */
    last: () => steps.at(-1)?.shown ?? null,
  };
}
