/** The slap control: always there, always the same, whatever lies on the table. */

import { newId } from "./socket.js";
import { say } from "./words.js";

/**
 * @param {HTMLButtonElement} button
 * @param {object} store
 * @param {(message: object) => boolean} tell
 */
export function makeSlap(button, store, tell) {
  const note = button.querySelector(".slap-note");
  /** When each card was painted here, by its version. */
  const painted = new Map();
  let pressed = null;

  const show = (text) => {
    note.textContent = text;
    note.toggleAttribute("data-hint", text === say("slap_hint"));
  };

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
    if (tell({ t: "slap", id: newId(), v: card, r: at === undefined ? null : Math.max(0, event.timeStamp - at) })) {
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
  document.addEventListener("keydown", (event) => {
    if (event.code !== "Space" || event.repeat || event.ctrlKey || event.altKey || event.metaKey) return;
    const elsewhere = event.target.closest("input, select, textarea, summary, a, button");
    if (elsewhere && elsewhere !== button) return;
    event.preventDefault();
    press(event);
  });
  document.addEventListener("keyup", (event) => {
    // The button would click once more when the key comes up.
    if (event.code === "Space" && event.target === button) event.preventDefault();
  });

  return {
    /** After each drawing: when its card came on the screen, and what the control has to say. */
    drawn() {
      const { card, you, view } = store;
      if (card !== null && !painted.has(card)) {
        requestAnimationFrame(() => {
          painted.set(card, performance.now());
          if (painted.size > 8) painted.delete(painted.keys().next().value);
        });
      }
      const cards = you === null ? 0 : view.facts.lockout[you];
      // Whoever has just slapped rightly is kept from slapping until the next card comes, as everybody is.
      const locked = card === null && cards === 1 ? 0 : cards;
      button.classList.toggle("is-locked", locked > 0);
      button.setAttribute("aria-disabled", String(locked > 0));
      if (pressed !== card || card === null) show(locked === 1 ? say("slap_locked_1") : locked ? say("slap_locked", { n: locked }) : say("slap_hint"));
    },
    /** What was refused cost nothing, and is said so. Too early was not meant for this card, whose press is still to be had. */
    refused(code, reason) {
      if (code === "early") pressed = null;
      show(reason);
    },
  };
}
