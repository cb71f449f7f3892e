/** Every legal move in one numbered list: for players who can't see or point. */

import { el } from "./el.js";
import { say } from "./words.js";

const MOST_LISTED = 200;

/**
 * @param {Found} controls - the place of the list
 * @param {(parsed: Parsed) => string} labelOf
 */
export function makeMoveList(controls, labelOf) {
  let isOpen = false;

  /**
   * @param {Parsed[]} moves
   * @param {Record<string, string>} attributes - of the buttons
   */
  const listed = (moves, attributes) =>
    el(
      "ol.move-list",
      {},
      ...moves.slice(0, MOST_LISTED).map((parsed) => {
        const dataset = { move: parsed.move, focus: `list ${parsed.move}` };
        return el("li", {}, el("button.button.quiet", { type: "button", ...attributes, dataset }, labelOf(parsed)));
      }),
    );

  return {
    /**
     * @param {Parsed[]} moves
     * @param {Record<string, string>} attributes - of the buttons
     */
    draw(moves, attributes) {
      const list = el(
        "details.more.all-moves",
        {},
        el("summary", { dataset: { focus: "all" } }, say("all_moves", { n: moves.length })),
      );
      list.open = isOpen;
      list.addEventListener("toggle", () => {
        isOpen = list.open;
        if (list.open && !list.querySelector("ol")) list.append(listed(moves, attributes));
      });
      if (list.open) list.append(listed(moves, attributes));
      return list;
    },
    /** Open the list over the felt, or close it. */
    open() {
      const list = controls.querySelector(".all-moves");
      if (!list) return;
      list.open = !list.open;
      list.querySelector("summary").focus({ preventScroll: true });
    },
  };
}
