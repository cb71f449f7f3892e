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
 * and they get their places two tasks later, at the latest just before they are painted. After each of the two the page
 * is laid out in another task: a frame would do so, too, but has enough to do without it.
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

  const layOut = () => void page.offsetHeight;

  /**
   * Do the parts one after the other, each in a task of its own, unless the next drawing begins.
   * @param {(() => void)[]} todo
   */
  async function inTasks(...todo) {
    const begun = drawing;
    for (const part of todo) {
      await new Promise((begin) => soon(() => begin(null), "user-blocking"));
      if (drawing !== begun) return;
      part();
    }
  }

  function drawCards() {
    if (!drawing || drawing.hasCards) return;
    drawing.hasCards = true;
    // Asked for first: the slap control then notes when its card appears after the card has its place.
    requestAnimationFrame(complete);
    inTasks(layOut, makeRoom, complete);
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
     * @param {boolean} isInParts - or else the cards are drawn at once, and all of it if nobody sees the page
     */
    draw(what, isInParts) {
      complete();
      drawing = { what, hasCards: false, hasPlaces: false };
      seats(what);
      if (isInParts && !document.hidden) {
        inTasks(layOut);
        requestAnimationFrame(() => soon(drawCards, "user-visible"));
      } else drawCards();
      if (document.hidden) complete();
    },
  };
}
