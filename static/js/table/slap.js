/** The slap control: always there, always the same, whatever lies on the table. */

import { newId } from "../connect.js";
import { targetOf } from "./el.js";
import { say } from "./words.js";

/**
 * As much of a table's store as the control reads.
 * @typedef {Pick<Store, "card" | "you" | "status"> & { view: { facts: { lockout: number[], options: { slaps: string[] } }, moves: string[] } }} SlapStore
 */

const noKeys = matchMedia("(hover: none)");
/** Where a space is a space, or opens and ticks what the player has opened on purpose. */
const KEEPS_SPACE = "textarea, select, input:not([type=radio], [type=checkbox]), [open].menu, dialog[open]";

/**
 * @param {Found} button
 * @param {SlapStore} store
 * @param {(message: Intent) => boolean} send
 */
export function makeSlap(button, store, send) {
  const note = button.querySelector(".slap-note");
  /**
   * When each card was painted here, by its version.
   * @type {Map<number, number>}
   */
  const painted = new Map();
  /** @type {number | null} */
  let pressed = null;

  /** @param {string} text */
  const show = (text) => {
    note.textContent = text;
  };
  /** Without a keyboard there is no key to name; what may be slapped is said instead. */
  const hint = () =>
    noKeys.matches ? store.view.facts.options.slaps.map((name) => say(name)).join(", ") : say("slap_hint");

  /** @param {Event} event */
  function press(event) {
    const { card, you } = store;
    if (you === null || store.status !== "running") return;
    button.classList.add("is-down");
    setTimeout(() => button.classList.remove("is-down"), 150);
    const locked = store.view.facts.lockout[you];
    if (card === null || (!store.view.moves.includes("slap") && !locked)) {
      show(say("slap_nothing"));
      return;
    }
    if (locked || pressed === card) return;
    const at = painted.get(card);
    if (send({ t: "slap", id: newId(), v: card, r: at === undefined ? null : Math.max(0, event.timeStamp - at) })) {
      pressed = card;
      show(say("slap_sent"));
    }
  }

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    press(event);
  });
  // A screen reader presses with a click that no pointer began.
  button.addEventListener("click", (event) => {
    if (event.detail === 0) press(event);
  });
  // While slaps are open the space bar slaps, whatever was pressed last: only what is typed into keeps it, and an open menu.
  let isTaken = false;
  document.addEventListener("keydown", (event) => {
    if (event.code !== "Space" || event.ctrlKey || event.altKey || event.metaKey || button.hidden) return;
    if (targetOf(event).closest(KEEPS_SPACE)) return;
    event.preventDefault();
    isTaken = true;
    if (!event.repeat) press(event);
  });
  document.addEventListener("keyup", (event) => {
    // A button in focus would click when the key comes up.
    if (event.code === "Space" && isTaken) event.preventDefault();
    isTaken = false;
  });

  return {
    /** After each drawing: when its card came on the screen, and what the control has to say. */
    drawn() {
      const { card, you, view } = store;
      if (card !== null && !painted.has(card)) {
        requestAnimationFrame(() => {
          painted.set(card, performance.now());
          if (painted.size > 8) painted.delete(Math.min(...painted.keys()));
        });
      }
      const cards = you === null ? 0 : view.facts.lockout[you];
      // Whoever has just slapped rightly is kept from slapping until the next card comes, as everybody is.
      const locked = card === null && cards === 1 ? 0 : cards;
      button.classList.toggle("is-locked", locked > 0);
      button.setAttribute("aria-disabled", String(locked > 0));
      if (pressed !== card || card === null)
        show(locked === 1 ? say("slap_locked_1") : locked ? say("slap_locked", { n: locked }) : hint());
    },
    /**
     * What was refused cost nothing, and is said so. Too early was not meant for this card, whose press is still to be had.
     * @param {string} code
     * @param {string} reason
     */
    refused(code, reason) {
      if (code === "early") pressed = null;
      show(reason);
    },
  };
}
