/** The slap control: always there, always the same, whatever lies on the table. */

import { el } from "./render.js";
import { newId } from "./socket.js";
import { say } from "./words.js";

/** How long a verdict stays, unless the next card comes. */
const VERDICT_STAYS = 4000;

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
  let hide = 0;

  const show = (text) => {
    note.textContent = text;
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
      const locked = you === null ? 0 : view.facts.lockout[you];
      button.classList.toggle("is-locked", locked > 0);
      button.setAttribute("aria-disabled", String(locked > 0));
      if (pressed !== card || card === null) show(locked === 1 ? say("slap_locked_1") : locked ? say("slap_locked", { n: locked }) : say("slap_hint"));
    },
    /** The line may have been slow: what was refused cost nothing, and is said so. */
    refused: show,
    pending(seats) {
      place().replaceChildren(el("p.verdict-pending", {}, say("slap_pending", { names: seats.map((seat) => store.names[seat]).join(", ") })));
    },
    verdict({ slaps }) {
      const best = slaps.find(({ result }) => result === "won");
      const card = el(
        "div.verdict",
        { role: "status" },
        el("p.verdict-title", {}, best ? say("verdict_won", { name: store.names[best.seat] }) : say("verdict_none")),
        el("ol.verdict-slaps", { role: "list" }, ...slaps.map((slap) => el("li", { dataset: { result: slap.result } }, el("strong", {}, store.names[slap.seat]), el("span.verdict-time", { title: say("reaction_full", slap) }, say("reaction", { ms: slap.reaction })), el("span", {}, say(slap.result)), el("small", {}, say("reaction_full", slap))))),
      );
      place().replaceChildren(card);
      clearTimeout(hide);
      hide = setTimeout(() => card.remove(), VERDICT_STAYS);
    },
  };
}

/** Verdicts lie over the felt, beside the stack, and cover no control. */
function place() {
  return document.getElementById("verdict") ?? document.getElementById("felt").parentElement.insertBefore(el("div.verdict-place", { id: "verdict" }), document.getElementById("felt").nextSibling);
}
