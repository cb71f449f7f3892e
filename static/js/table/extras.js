/** What a table has beside its cards and moves. It comes when those stand, so that nobody waits for it with a move. */

import { makeAttention } from "./attention.js";
import { makeCard } from "./cards.js";
import { makeCatchUp } from "./catch_up.js";
import { makeDrag } from "./drag.js";
import { byId, el, targetOf } from "./el.js";
import { makeLog } from "./log.js";
import { makeReports } from "./reports.js";
import { makeScores } from "./scores.js";
import { awaitPress, play, soundOf } from "./sounds.js";
import { amountsOf } from "./words.js";

/** A moment of the game that all should notice stays large over the felt so long, in ms. */
const STAYS = 3200;
let hidden = 0;

/**
 * Show a moment: a title, what it means, and cards that belong to it.
 * @param {Moment} moment
 */
function showMoment({ title, text = "", cards = [], tone = "" }) {
  const felt = document.getElementById("felt");
  const place = document.getElementById("moment") ?? el("div.moment-place", { id: "moment", "aria-hidden": "true" });
  if (!place.isConnected) felt.after(place);
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
 * @param {Layout} options.layout - of the game; its `moment` may say what everybody should notice
 * @param {number | null} options.seen - the version up to which a player who comes back has seen the match
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
    icon: page.dataset.turnIcon ?? "",
    image: page.dataset.image ?? "",
  });
  const catchUp = makeCatchUp(byId("catch-up"), store);
  makeDrag(byId("hand"), picker, render);
  awaitPress();
  for (const choice of document.querySelectorAll("#log-filter [name=log-filter]"))
    choice.addEventListener("change", () => log.filter(choice.value));
  log.catchUp(store.log);
  // Where cards fall all the time nobody wants to read first.
  if (seen !== null && !layout.hasSlaps?.(store.view)) catchUp.since(seen);

  /**
   * The cards of a line of the log that is looked at, large beside it and marked where they lie.
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
   * A card on the felt that is looked at shows the line that tells of it.
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

  /** The end: its scripts come with the first move, or when all is over. */
  async function drawResult() {
    const { makeResult } = await import("./result.js");
    result ??= makeResult({ page, store, deals: scores.rows, title, wasOver, amountOf: amountsOf(layout) });
    result.draw();
  }

  return {
    /**
     * The story begins anew, with a whole view.
     * @param {Line[]} lines
     */
    begun(lines) {
      log.catchUp(lines);
      scores.reset();
    },
    /**
     * Take in what has happened.
     * @param {number} version
     * @param {GameEvent[]} events
     * @param {{ isAhead: boolean }} how - whether the table is still to show it
     */
    heard(version, events, how) {
      log.add(version, events, how);
      catchUp.heard(version, events);
      scores.heard(version, events);
      if (!result) drawResult().catch(() => undefined);
    },
    /**
     * The table shows it: lines of the log, moments of the game, and a sound.
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
    /** After each drawing. */
    async drawn() {
      if (result) result.draw();
      else if (store.status === "over") await drawResult().catch(() => undefined);
    },
    /**
     * Whether it is this player's turn now.
     * @param {boolean} isMine
     */
    turned: (isMine) => attention.turn(isMine),
  };
}
