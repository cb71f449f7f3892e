/** Drag a card of the hand onto the table, or to another place in the hand; a right click asks what it can do. */

import { targetOf } from "./el.js";
import { FAR } from "./press.js";

/**
 * @param {Found} hand
 * @param {Picker} picker
 * @param {Render} render
 */
export function makeDrag(hand, picker, render) {
  /** @type {{ card: Found, id: number, x: number, y: number, moved: boolean } | null} */
  let held = null;
  let dragged = false;

  // The click after a drag isn't a touch.
  hand.addEventListener("click", (event) => dragged && event.stopPropagation(), { capture: true });
  hand.addEventListener("pointerdown", (event) => {
    const card = targetOf(event).closest("button.playing-card");
    if (!card || event.button !== 0) return;
    held = { card, id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
  });
  addEventListener("pointermove", (event) => {
    if (held?.id !== event.pointerId) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    if (!held.moved) {
      if (Math.hypot(x, y) < FAR) return;
      picker.lifted(held.card.dataset.key ?? "");
    }
    held.moved = true;
    held.card.classList.add("is-dragged");
    document.body.classList.add("is-dragging");
    held.card.style.translate = `${x}px ${y}px`;
  });
  /** @param {PointerEvent} event */
  const drop = (event) => {
    if (held?.id !== event.pointerId) return;
    const { card, moved } = held;
    held = null;
    if (!moved) return;
    card.classList.remove("is-dragged");
    document.body.classList.remove("is-dragging");
    card.style.translate = "";
    picker.lifted(null);
    dragged = true;
    setTimeout(() => {
      dragged = false;
    });
    if (event.type === "pointercancel") return;
    const key = card.dataset.key ?? "";
    const { left, right, top } = hand.getBoundingClientRect();
    if (event.clientY > top && event.clientX > left && event.clientX < right) {
      render.place(key, placeAt(hand, card, event));
      return;
    }
    card.hidden = true;
    const under = document.elementFromPoint(event.clientX, event.clientY);
    card.hidden = false;
    // Beside the felt, as on the log over it, nothing is played.
    if (!under?.closest("#felt")) return;
    picker.dropped(key, under.closest("[data-target]")?.dataset.target ?? null);
    render.arrange();
  };
  // Also a long press, and the menu key.
  hand.addEventListener("contextmenu", (event) => {
    const card = targetOf(event).closest("button.playing-card");
    if (!card) return;
    event.preventDefault();
    if (!held?.moved) picker.asked(card.dataset.key ?? "");
  });
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", drop);
  // With the keyboard: shift and an arrow key.
  hand.addEventListener("keydown", (event) => {
    const way = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
    const card = targetOf(event).closest("button.playing-card");
    if (!event.shiftKey || !way || !card) return;
    event.preventDefault();
    const at = [...hand.querySelectorAll("button.playing-card")].indexOf(card);
    render.place(card.dataset.key ?? "", Math.max(0, at + way));
  });
}

/**
 * The index where a card is dropped: before or after the nearest other card.
 * @param {Found} hand
 * @param {Found} card
 * @param {PointerEvent} event
 */
function placeAt(hand, card, { clientX, clientY }) {
  const others = [...hand.querySelectorAll("button.playing-card")].filter((other) => other !== card);
  let best = { distance: Infinity, at: 0 };
  for (const [at, other] of others.entries()) {
    const { left, top, width, height } = other.getBoundingClientRect();
    const distance = Math.abs(clientX - left - width / 2) + 2 * Math.abs(clientY - top - height / 2);
    if (distance < best.distance) best = { distance, at: at + (clientX > left + width / 2 ? 1 : 0) };
  }
  return best.at;
}
