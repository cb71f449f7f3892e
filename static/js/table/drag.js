/** A card of the hand can also be dragged onto the table. */

/** Shorter ways are touches. */
const LEAST = 14;

export function makeDrag(hand, picker, render) {
  let held = null;
  let dragged = false;

  // The click that follows a drag is not a touch.
  hand.addEventListener("click", (event) => dragged && event.stopPropagation(), { capture: true });
  hand.addEventListener("pointerdown", (event) => {
    const card = event.target.closest("button.playing-card");
    if (!card || event.button !== 0) return;
    held = { card, id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
  });
  addEventListener("pointermove", (event) => {
    if (held?.id !== event.pointerId) return;
    const [x, y] = [event.clientX - held.x, event.clientY - held.y];
    // Sideways is scrolling or a slip; up is towards the table.
    if (!held.moved && (Math.hypot(x, y) < LEAST || -y < Math.abs(x))) return;
    held.moved = true;
    held.card.classList.add("is-dragged");
    held.card.style.translate = `${x}px ${y}px`;
  });
  const drop = (event) => {
    if (held?.id !== event.pointerId) return;
    const { card, moved } = held;
    held = null;
    if (!moved) return;
    card.classList.remove("is-dragged");
    card.style.translate = "";
    dragged = true;
    setTimeout(() => {
      dragged = false;
    });
    if (event.type === "pointercancel" || event.clientY > hand.getBoundingClientRect().top) return;
    card.hidden = true;
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-target]");
    card.hidden = false;
    picker.dropped(card.dataset.key, under?.dataset.target ?? null);
    render.arrange();
  };
  addEventListener("pointerup", drop);
  addEventListener("pointercancel", drop);
}
