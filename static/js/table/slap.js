/** The slap control: always there, and always the same, whatever card is on the table. */

import { newId } from "../connect.js";
import { targetOf } from "./el.js";
import { say } from "./words.js";

/**
 * The part of a table's store that the control reads.
 * @typedef {Pick<Store, "card" | "you" | "status"> & { view: { facts: { lockout: number[], options: { slaps: string[] } }, moves: string[] } }} SlapStore
 */

const noKeys = matchMedia("(hover: none)");
/** Elements where the space key types a space, or operates something that the player has opened. */
const KEEPS_SPACE = "textarea, select, input:not([type=radio], [type=checkbox]), [open].menu, dialog[open]";

/**
 * @param {Found} button
 * @param {SlapStore} store
 * @param {(message: Intent) => boolean} send
 */
export function makeSlap(button, store, send) {
  const note = button.querySelector(".slap-note");
  /**
   * When this browser painted each card, by its version.
   * @type {Map<number, number>}
   */
  const painted = new Map();
  /** @type {number | null} */
  let pressed = null;
  /** The id of the last slap. */
  let id = "";

  /** @param {string} text */
  const show = (text) => {
    note.textContent = text;
  };
  /** Without a keyboard there is no key to mention, so the text says what may be slapped. */
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
    id = newId();
    if (send({ t: "slap", id, v: card, r: at === undefined ? null : Math.max(0, event.timeStamp - at) })) {
      pressed = card;
      show(say("slap_sent"));
    }
  }

  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    press(event);
  });
  // Screen readers press with a click that no pointer began.
  button.addEventListener("click", (event) => {
    if (event.detail === 0) press(event);
  });
  // While slaps are open, the space bar slaps, whatever was pressed last; except in text fields and open menus.
  let isTaken = false;
  document.addEventListener("keydown", (event) => {
    if (event.code !== "Space" || event.ctrlKey || event.altKey || event.metaKey || button.hidden) return;
    if (store.status !== "running") return; // a match that ends early may end with its slap control drawn
    if (targetOf(event).closest(KEEPS_SPACE)) return;
    event.preventDefault();
    isTaken = true;
    if (!event.repeat) press(event);
  });
  document.addEventListener("keyup", (event) => {
    // A focused button would click when the key is released.
    if (event.code === "Space" && isTaken) event.preventDefault();
    isTaken = false;
  });

  return {
    /** A new run of the practice room numbers its cards from 1 again. */
    reset() {
      painted.clear();
      pressed = null;
    },
    /** After each drawing: note when the card appeared, and update the control's text. */
    drawn() {
      const { card, you, view } = store;
      if (card !== null && !painted.has(card)) {
        requestAnimationFrame(() => {
          painted.set(card, performance.now());
          if (painted.size > 8) painted.delete(Math.min(...painted.keys()));
        });
      }
      const cards = you === null ? 0 : view.facts.lockout[you];
      // After a right slap, the player can't slap until the next card, like everyone.
      const locked = card === null && cards === 1 ? 0 : cards;
      button.classList.toggle("is-locked", locked > 0);
      button.setAttribute("aria-disabled", String(locked > 0));
      if (pressed !== card || card === null)
        show(locked === 1 ? say("slap_locked_1") : locked ? say("slap_locked", { n: locked }) : hint());
    },
    /**
     * Whether this is the id of the last slap.
     * @param {string | null} asked
     */
    isMine: (asked) => asked === id,
    /**
     * Say why a slap was refused, and that it cost nothing. A slap that came too early, or couldn't be stored, doesn't use
     * up the one for this card.
     * @param {string} code
     * @param {string} reason
     */
    refused(code, reason) {
      if (code === "early" || code === "unavailable") pressed = null;
      show(reason);
    },
  };
}
