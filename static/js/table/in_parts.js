/** Draw a move in parts. In one task, all the work would keep a press waiting for several times as long. */

/**
 * Call back in a task of its own. If the browser can tell tasks apart, a "user-blocking" one comes before a frame that is
 * due, others after it.
 * @param {() => void} done
 * @param {"user-visible" | "user-blocking"} priority
 */
const soon = (done, priority) =>
  "scheduler" in window ? window.scheduler.postTask(done, { priority }) : setTimeout(done);

/**
 * A drawing starts with what is said, in the task of its own message. The cards come in the task after the next frame,
 * then room is made for them, then they are moved to their places, at the latest just before they are painted. Between
 * these parts, tasks of their own have the browser work out styles and layout: the next frame would do so, too, but it
 * has enough to do without that.
 * @template What
 * @param {Found} page
 * @param {object} parts
 * @param {(what: What) => void} parts.seats - draws what is said
 * @param {(what: What) => void} parts.cards - draws the cards
 * @param {() => void} parts.places - makes room for the cards
 * @param {(what: What) => void} parts.done - moves the cards to their places; called once all is drawn and has its size
 */
export function makeDrawing(page, { seats, cards, places, done }) {
  /**
   * A drawing that isn't complete.
   * @type {{ what: What, hasCards: boolean, hasPlaces: boolean } | null}
   */
  let drawing = null;
  /** The number of drawings that began. */
  let begun = 0;

  // Animations depend on styles, so asking for them brings the styles up to date, but not the layout.
  const style = () => void document.getAnimations();
  const layOut = () => void page.offsetHeight;

  /**
   * Do the parts one after the other, each in a task of its own, unless the next drawing begins.
   * @param {(() => void)[]} work
   */
  async function inTasks(...work) {
    const mine = begun;
    for (const part of work) {
      await new Promise((begin) => soon(() => begin(null), "user-blocking"));
      if (begun !== mine) return;
      part();
    }
  }

  function drawCards() {
    if (!drawing || drawing.hasCards) return;
    drawing.hasCards = true;
    // Asked for first: the slap control then notes when its card appears after the card has its place.
    requestAnimationFrame(complete);
    inTasks(style, layOut, makeRoom, complete, style);
    cards(drawing.what);
  }

  function makeRoom() {
    if (!drawing || drawing.hasPlaces) return;
    drawing.hasPlaces = true;
    places();
  }

  /** Draw what is missing, and give the cards their places. */
  function complete() {
    if (!drawing) return;
    drawCards();
    makeRoom();
    const { what } = drawing;
    drawing = null;
    done(what);
  }

  return {
    complete,
    drawCards,
    lacksCards: () => drawing !== null && !drawing.hasCards,
    /**
     * @param {What} what
     * @param {boolean} isInParts - or else the cards are drawn at once, and all of it if the page is hidden
     */
    draw(what, isInParts) {
      complete();
      begun += 1;
      drawing = { what, hasCards: false, hasPlaces: false };
      seats(what);
      if (isInParts && !document.hidden) {
        inTasks(style, layOut);
        requestAnimationFrame(() => soon(drawCards, "user-visible"));
      } else drawCards();
      if (document.hidden) complete();
    },
  };
}
