/** The parts of a table besides cards and moves. They are loaded last, so that no player waits for them with a move. */

import { makeAttention } from "./attention.js";
import { makeCard } from "./cards.js";
import { makeCatchUp } from "./catch_up.js";
import { makeDrag } from "./drag.js";
import { byId, el, targetOf } from "./el.js";
import { makeLog } from "./log.js";
import { makeReports } from "./reports.js";
import { makeScores } from "./scores.js";
import { awaitPress, play, soundOf } from "./sounds.js";
import { showIncomplete } from "./status.js";
import { amountsOf } from "./words.js";

/** How long an important moment stays over the felt, in ms. */
const STAYS = 3200;
let hidden = 0;

/**
 * Show a moment: its title, its meaning, and its cards.
 * @param {Moment} moment
 */
function showMoment({ title, text = "", cards = [], tone = "" }) {
  const felt = document.getElementById("felt");
  const place = document.getElementById("moment") ?? el("div.moment-place", { id: "moment", "aria-hidden": "true" });
  if (!place.isConnected) felt.append(place);
  const made = el(
    "div.moment",
    { dataset: { tone } },
    el("p.moment-title", {}, title),
    text ? el("p.moment-text", {}, text) : null,
    cards.length ? el("div.moment-cards", {}, ...cards.map((card) => makeCard(card))) : null,
  );
  place.replaceChildren(made);
  clearTimeout(hidden);
  hidden = setTimeout(() => made.remove(), STAYS);
}

/**
 * @param {object} options
 * @param {Found} options.page
 * @param {Store} options.store
 * @param {Render} options.render
 * @param {Picker} options.picker
 * @param {Layout} options.layout - of the game; its `moment` returns moments that everyone should notice
 * @param {number | null} options.seen - the last version that a returning player has seen
 */
export function makeExtras({ page, store, render, picker, layout, seen }) {
  const log = makeLog(byId("log"), { you: () => store.you, show: showCards });
  makeReports(byId("log"), store, page.dataset.aiMoves ?? "", page.dataset.report);
  const scores = makeScores(byId("scores-button"), byId("scores"), store);
  const { title } = document;
  const wasOver = store.status === "over";
  /** @type {ReturnType<typeof import("./result.js").makeResult> | null} */
  let result = null;
  const attention = makeAttention({
    title,
    icon: page.dataset.icon ?? "",
    turnIcon: page.dataset.turnIcon ?? "",
    image: page.dataset.image ?? "",
  });
  const catchUp = makeCatchUp(byId("catch-up"), store, () => !layout.hasSlaps?.(store.view));
  makeDrag(byId("hand"), picker, render);
  awaitPress();
  for (const choice of document.querySelectorAll("#log-filter [name=log-filter]"))
    choice.addEventListener("change", () => log.filter(choice.value));
  log.catchUp(store.log);
  if (seen !== null) catchUp.since(seen);

  /**
   * Show the cards of a line of the log, large beside it, and highlighted on the table.
   * @param {string[]} codes
   * @param {Element | null} line
   */
  function showCards(codes, line) {
    const box = byId("log-cards");
    box.replaceChildren(...codes.map((code) => makeCard(code)));
    box.hidden = codes.length === 0;
    for (const [key, card] of render.cards())
      card.classList.toggle("is-spotted", line !== null && codes.includes(key.split("#")[0]));
  }

  /**
   * Mark the newest line of the log that names the card under the pointer.
   * @param {Event} event
   */
  const lookBack = (event) => {
    const card =
      event.type === "pointerout" || event.type === "focusout" ? null : targetOf(event).closest(".playing-card");
    const code = card?.dataset.card ?? "";
    const told = [...document.querySelectorAll("#log li[data-cards]")];
    const newest = code && told.findLast((line) => line.dataset.cards?.split(" ").includes(code));
    for (const line of told) line.classList.toggle("is-pointed-at", line === newest);
    if (newest) log.reveal(newest);
  };
  for (const type of ["pointerover", "pointerout", "focusin", "focusout"])
    byId("felt").addEventListener(type, lookBack);

  /** The result: its scripts are loaded with the first move, or when the match is over. */
  async function drawResult() {
    const { makeResult } = await import("./result.js");
    result ??= makeResult({ page, store, deals: scores.rows, title, wasOver, amountOf: amountsOf(layout) });
    result.draw();
  }

  return {
    /**
     * Start again from a snapshot.
     * @param {LogLine[]} lines
     */
    begun(lines) {
      log.catchUp(lines);
      catchUp.begun(lines);
      scores.reset();
    },
    reopened: catchUp.reopened,
    /**
     * Add new events.
     * @param {number} version
     * @param {GameEvent[]} events
     * @param {{ isAhead: boolean }} how - whether the table will show them later
     */
    add(version, events, how) {
      log.add(version, events, how);
      catchUp.add(version, events);
      scores.add(version, events);
      // If it can't be loaded, that is tried again, and said, when the match is over.
      if (!result) drawResult().catch(() => undefined);
    },
    /**
     * The table shows these events now: show their lines and moments, and play a sound.
     * @param {GameEvent[]} events
     */
    announce(events) {
      log.shown(events);
      const moments = events
        .map((event) => layout.moment?.(render.table, event) ?? null)
        .filter((moment) => moment !== null);
      const last = moments.at(-1);
      if (last) showMoment(last);
      play(soundOf(events));
    },
    /** Called after each drawing. */
    async drawn() {
      if (result) result.draw();
      else if (store.status === "over") await drawResult().catch(showIncomplete);
    },
    /**
     * Note whether it is this player's turn.
     * @param {boolean} isMine
     */
    turned: (isMine) => attention.turn(isMine),
  };
}
