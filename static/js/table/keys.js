/** Cards with the keyboard: one of them is in the tab order, arrow keys move to the others. */

const touchable = () => [...document.querySelectorAll("#table button.playing-card")];

/** Put one card into the tab order: the focused one, otherwise a chosen or usable one. */
export function rove() {
  const held = touchable();
  const current =
    held.find((card) => card === document.activeElement) ??
    held.find((card) => card.classList.contains("is-chosen")) ??
    held.find((card) => card.classList.contains("is-usable")) ??
    held[0];
  for (const card of held) card.tabIndex = card === current ? 0 : -1;
}

/**
 * Move the focus from `card` to where an arrow key, Home or End points.
 * @param {Found} card
 * @param {string} key
 */
export function arrow(card, key) {
  const held = touchable();
  const at = held.indexOf(card);
  /** @type {Record<string, number>} */
  const steps = {
    ArrowRight: at + 1,
    ArrowLeft: at - 1,
    Home: 0,
    End: held.length - 1,
    ArrowDown: below(held, card, 1),
    ArrowUp: below(held, card, -1),
  };
  const to = steps[key];
  const next = held[(to + held.length) % held.length];
  for (const other of held) other.tabIndex = other === next ? 0 : -1;
  next?.focus();
}

/**
 * The nearest card of the next row down or up; the same card if there is none.
 * @param {Found[]} held
 * @param {Found} card
 * @param {number} way
 */
function below(held, card, way) {
  const here = card.getBoundingClientRect();
  const far = held
    .map((other, at) => ({ at, rect: other.getBoundingClientRect() }))
    .filter(({ rect }) => (rect.top - here.top) * way > here.height * 0.25)
    .map(({ at, rect }) => ({ at, score: Math.abs(rect.top - here.top) * 3 + Math.abs(rect.left - here.left) }))
    .sort((one, other) => one.score - other.score);
  return far[0]?.at ?? held.indexOf(card);
}
