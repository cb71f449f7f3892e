/** What a table has beside its cards and moves. It comes when those stand, so that nobody waits for it with a move. */

import { makeAttention } from "./attention.js";
import { makeCard } from "./cards.js";
import { makeCatchUp } from "./catch_up.js";
import { makeDrag } from "./drag.js";
import { makeLog } from "./log.js";
import { showMoment } from "./moments.js";
import { makeReports } from "./reports.js";
import { makeResult } from "./result.js";
import { makeScores } from "./scores.js";
import { play } from "./sounds.js";

const byId = (id) => document.getElementById(id);

/**
 * @param {object} options
 * @param {HTMLElement} options.page
 * @param {object} options.store
 * @param {object} options.render
 * @param {object} options.picker
 * @param {object} options.layout - of the game; its `moment` may say what everybody should notice
 * @param {boolean} options.isBack - whether this player has not seen the newest version that the page came with
 */
export function makeExtras({ page, store, render, picker, layout, isBack }) {
  const log = makeLog(byId("log"), { you: () => store.you, show: showCards });
  makeReports(byId("log"), store, page.dataset.aiMoves, page.dataset.report);
  const result = makeResult(page, store);
  const scores = makeScores(byId("scores-button"), byId("scores"), store);
  const attention = makeAttention({ title: document.title, icon: page.dataset.turnIcon, image: page.dataset.image });
  const catchUp = makeCatchUp(byId("catch-up"), store);
  makeDrag(byId("hand"), picker, render);
  for (const choice of document.querySelectorAll("#log-filter [name=log-filter]")) choice.addEventListener("change", () => log.filter(choice.value));
  log.catchUp(store.log);
  // Where cards fall all the time nobody wants to read first.
  if (isBack && !layout.hasSlaps?.(store.view)) catchUp.since(Number(page.dataset.looked));

  /** The cards of a line of the log that is looked at, large beside it and marked where they lie. */
  function showCards(codes, line) {
    const box = byId("log-cards");
    box.replaceChildren(...codes.map((code) => makeCard(code)));
    box.hidden = codes.length === 0;
    for (const [key, card] of render.cards()) card.classList.toggle("is-spotted", line !== null && codes.includes(key.split("#")[0]));
  }

  return {
    /** The story begins anew, with a whole view. */
    begun(lines) {
      log.catchUp(lines);
      scores.reset();
    },
    /** Take in what has happened. */
    heard(version, events) {
      log.add(version, events);
      catchUp.heard(version, events);
      scores.heard(events);
    },
    /** What is more than a line of the log: moments of the game, and a sound. */
    tell(events) {
      const moments = events.map((event) => layout.moment?.(render.table, event)).filter(Boolean);
      if (moments.length) showMoment(moments.at(-1), (code) => makeCard(code));
      if (events.some(({ data }) => data.cards || data.card)) play("card");
      if (store.status === "over" && store.outcome?.ranking[0].includes(store.you)) play("won");
    },
    /** After each drawing. */
    drawn: () => result.draw(),
    /** Whether it is this player's turn now. */
    turned: (isMine) => attention.turn(isMine),
  };
}
