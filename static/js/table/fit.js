/** Everything in the middle of the table is in sight at once: melds become smaller first, then all the cards. */

import { layOut } from "./spread.js";

/** Halvings until a size is found: exact to less than a pixel. */
const STEPS = 6;
/** No card of a meld is narrower than this, in pixels; no other card smaller than this part of its usual size. */
const LEAST_MELD = 24;
/** When all is over the result needs room, and nobody has to read a meld for a move. */
const LEAST_AT_END = 14;
const LEAST = 0.4;

/**
 * Give the cards in the middle the largest size at which all of them lie inside it.
 * @param {Element} centre
 */
export function fit(centre) {
  const melds = centre.querySelector(".melds");
  /**
   * @param {string} name
   * @param {number} value
   */
  const set = (name, value) => centre.style.setProperty(name, String(value));
  /** @param {Element} box */
  const holds = (box) => box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth;
  const lay = () => {
    for (const box of centre.querySelectorAll(".spread")) if (box.tableRows) layOut(box);
  };
  const fits = (box = centre) => {
    lay();
    // A card on its way reaches out of the middle, and takes no room there.
    centre.classList.add("is-measured");
    const held = holds(box);
    centre.classList.remove("is-measured");
    return held;
  };
  /**
   * @param {string} name
   * @param {number} least
   * @param {Element} box
   */
  const search = (name, least, box = centre) => {
    let [low, high] = [least, 1];
    for (let step = 0; step < STEPS; step += 1) {
      const middle = (low + high) / 2;
      set(name, middle);
      if (fits(box)) low = middle;
      else high = middle;
    }
    set(name, low);
    return fits(box);
  };
  centre.classList.remove("is-tight", "has-drawer");
  set("--shrink", 1);
  set("--meld-shrink", 1);
  if (fits()) return;
  const meld = melds?.querySelector(".playing-card");
  const least = meld && Math.min(1, (centre.closest(".is-over") ? LEAST_AT_END : LEAST_MELD) / meld.offsetWidth);
  if (meld && search("--meld-shrink", least)) return;
  if (meld) centre.classList.add("is-tight");
  if (meld && search("--meld-shrink", least)) return;
  if (meld && !centre.closest(".is-over")) {
    // Too many to be read: they fold into a drawer, and are sized as they lie when it is open.
    const wasOpen = centre.classList.contains("is-open");
    centre.classList.add("has-drawer", "is-open");
    search("--meld-shrink", least / 2, melds);
    centre.classList.toggle("is-open", wasOpen);
    if (fits()) return;
  }
  search("--shrink", LEAST);
}
