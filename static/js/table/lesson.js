/**
 * A lesson at the table: its sentence is read out, its cards are highlighted, and at its end it offers what comes next.
 */

import { byId } from "./el.js";

/**
 * @param {object} options
 * @param {Store} options.store
 * @param {() => Map<string, Found>} options.cards - visible card elements, by key
 */
export function makeLesson({ store, cards }) {
  let told = "";
  const sheet = new CSSStyleSheet();
  document.adoptedStyleSheets.push(sheet);

  /** @param {LessonNow} lesson */
  function light({ lit, move }) {
    for (const [key, card] of cards()) card.classList.toggle("is-lit", lit.includes(key.split("#")[0]));
    byId("slap")?.classList.toggle("is-lit", move === "slap");
    // The picker keeps unchanged buttons, so don't touch any: a style rule marks the right one.
    // A move with a number: the button that makes it, or the one that leads to its number.
    const places = ["data-move=", "data-makes=", "data-leads~="]
      .map((which) => `#controls [${which}"${CSS.escape(move)}"]`)
      .join();
    sheet.replaceSync(move ? `${places} { outline: 3px solid var(--lit); outline-offset: 3px; }` : "");
  }

  return {
    /**
     * After each drawing; `isLast` if nothing is left to show, so that the end comes after the last move.
     * @param {boolean} isLast
     */
    drawn(isLast) {
      const { lesson } = store;
      if (!lesson) return;
      light(lesson);
      byId("lesson-count").textContent = `${Math.min(lesson.step + 1, lesson.steps)} / ${lesson.steps}`;
      byId("lesson-steps").hidden = lesson.is_over;
      if (lesson.say !== told) {
        told = lesson.say;
        byId("lesson-said").textContent = told;
      }
      const end = byId("lesson-end");
      if (!lesson.is_over || !isLast || !end.hidden) return;
      byId("lesson-end-text").textContent = lesson.say;
      end.hidden = false;
      end.focus({ preventScroll: true });
    },
  };
}
