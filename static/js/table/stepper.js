/** A number between two bounds: a bet, or how deep to take from the pile. */

import { el } from "./el.js";
import { moveLabel, say } from "./words.js";

/**
 * @param {object} options
 * @param {Layout} options.layout - of the game
 * @param {Table} options.table - of the renderer
 * @param {(move: string) => void} options.why - asks the server which rule forbids a number
 * @param {(text: string, tone: string) => void} options.explain - shows the effect of the number
 */
export function makeStepper({ layout, table, why, explain }) {
  /** @type {number | null} */
  let number = null;
  /** Whether the player has set it: before that, nothing is lifted or explained. */
  let isTouched = false;
  /** @type {Candidate[]} */
  let open = [];
  let relabel = () => undefined;
  /** What was drawn last, and for what. It stays while that is the same: a new field would drop what is selected in it. */
  let drawn = { key: "", element: el("div"), refresh: () => {} };

  return {
    reset() {
      number = null;
      isTouched = false;
    },
    /**
     * The move with the set number, if it is legal.
     * @param {Candidate[]} among
     */
    chosen: (among) => among.find((parsed) => parsed.number === number) ?? null,
    /**
     * Set the number from outside.
     * @param {number} n
     */
    choose(n) {
      if (open.some((parsed) => parsed.number === n)) {
        number = n;
        isTouched = true;
        relabel();
      } else if (open.length) why(`${open[0].verb}:${n}`);
    },
    /** The digit being typed begins the number, wherever the focus was. */
    type() {
      const input = document.getElementById("stepper");
      input?.focus({ preventScroll: true });
      input?.select();
    },
    /**
     * @param {Candidate[]} moves
     * @param {boolean} isSending
     */
    draw(moves, isSending) {
      open = moves;
      const values = open.map((parsed) => parsed.number ?? 0);
      const [least, most] = [Math.min(...values), Math.max(...values)];
      // A number being typed stays: the 1 of a 12 may be no legal move, and the table may be drawn between the digits.
      if (!isTouched) number = Math.min(most, Math.max(least, number ?? least));
      const { verb } = open[0];
      const isOnlyWay = table.view.moves.length === open.length;
      const key = JSON.stringify([open.map(({ move }) => move), isOnlyWay, isSending]);
      if (key === drawn.key) {
        drawn.refresh();
        return drawn.element;
      }
      const input = el("input.stepper-number", {
        type: "number",
        id: "stepper",
        min: String(least),
        max: String(most),
        value: String(number),
        inputMode: "numeric",
        dataset: { focus: "stepper" },
      });
      const go = el(`button.button${isOnlyWay ? ".primary" : ""}`, {
        type: "button",
        ...(isSending ? { "aria-disabled": "true" } : {}),
        dataset: { act: "number", focus: "number" },
      });
      /**
       * The moves with a larger number, or a smaller one.
       * @param {number} by
       */
      const further = (by) => open.filter((parsed) => ((parsed.number ?? 0) - (number ?? 0)) * by > 0);
      /** @param {boolean} isShown */
      const label = (isShown) => {
        const parsed = open.find((each) => each.number === number);
        go.disabled = !parsed;
        go.textContent = parsed ? moveLabel(parsed.move, table.store.names) : say("number");
        // For a lesson, which marks what to press for its move.
        go.dataset.makes = parsed?.move ?? "";
        for (const [button, by] of steps)
          button.dataset.leads = further(by)
            .map(({ move }) => move)
            .join(" ");
        if (!isShown) return;
        layout.numberShown?.(verb, number ?? 0);
        const text = parsed && layout.numberSaid?.(table, verb, number ?? 0);
        if (text) explain(text, "info");
      };
      relabel = () => {
        input.value = String(number);
        label(true);
      };
      /**
       * Step to the next legal number.
       * @param {number} by
       * @param {string} name
       * @param {string} word
       */
      const step = (by, name, word) => {
        const button = el(
          "button.button.step",
          { type: "button", "aria-label": word, dataset: { focus: name } },
          by < 0 ? "−" : "+",
        );
        button.addEventListener("click", () => {
          const numbers = further(by).map((parsed) => parsed.number ?? 0);
          isTouched = true;
          if (numbers.length) number = by > 0 ? Math.min(...numbers) : Math.max(...numbers);
          relabel();
        });
        return button;
      };
      const [less, more] = [step(-1, "less", say("less")), step(1, "more", say("more"))];
      /** @type {[Found, number][]} */
      const steps = [
        [less, -1],
        [more, 1],
      ];
      input.addEventListener("input", () => {
        isTouched = true;
        number = Math.round(Number(input.value));
        label(true);
      });
      input.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && !go.disabled) go.click();
      });
      const refresh = () => {
        if (Number(input.value) !== number) input.value = String(number);
        label(isTouched);
      };
      refresh();
      const element = el(
        "div.stepper",
        {},
        el("label", { htmlFor: "stepper" }, layout.numberLabel?.(verb) ?? say("number")),
        el("div.stepper-row", {}, less, input, more, go),
      );
      drawn = { key, element, refresh };
      return element;
    },
  };
}
