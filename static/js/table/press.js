/** A press belongs to the card on which it began, even if the hand is drawn again before it ends. */

import { targetOf } from "./el.js";

/** Longer movements are drags. */
export const FAR = 14;

/**
 * Browsers give a click to the element under its end, or to none if the card was placed again meanwhile.
 * @param {(card: Found) => void} touch - handles a press that gets no click
 */
export function makePress(touch) {
  /** @type {{ card: Found, id: number, x: number, y: number } | null} */
  let begun = null;
  /** @type {Found | null} */
  let meant = null;

  function take() {
    const card = meant;
    meant = null;
    return card;
  }

  // On the window and before all other listeners, because one of those may draw the hand again.
  addEventListener(
    "pointerdown",
    (event) => {
      const card = event.button === 0 ? targetOf(event).closest("#hand button.playing-card") : null;
      meant = null;
      begun = card && { card, id: event.pointerId, x: event.clientX, y: event.clientY };
    },
    { capture: true },
  );
  addEventListener("pointermove", (event) => {
    if (begun?.id === event.pointerId && Math.hypot(event.clientX - begun.x, event.clientY - begun.y) >= FAR)
      begun = null;
  });
  // A long press asks what the card can do.
  for (const type of ["pointercancel", "contextmenu"])
    addEventListener(type, () => {
      begun = null;
    });
  addEventListener("pointerup", (event) => {
    if (begun?.id !== event.pointerId) return;
    meant = begun.card;
    begun = null;
    // A mouse clicks at once, a finger a little later.
    if (event.pointerType === "mouse")
      setTimeout(() => {
        const card = take();
        if (card?.isConnected) touch(card);
      });
  });

  return {
    /**
     * The card that a click is meant for; null if no press on the hand led to it.
     * @param {MouseEvent} event
     */
    meantBy: (event) => (event.detail > 0 ? take() : null),
  };
}
