/** The strip's status: who the match waits for, who is away, and the connection. */

import { missedBy } from "./clock.js";
import { byId } from "./el.js";
import { coachOf, inSigns, promptOf, say } from "./words.js";

/** How long the strip says that the connection is back, in milliseconds. */
const BACK = 2500;
/** How often the coach repeats a sentence; after that, the short prompt is enough. */
const COACHED = 3;

/**
 * Say that a part of the page hasn't loaded: without it, the table can still be played.
 * @param {unknown} error
 */
export function showIncomplete(error) {
  console.error(error);
  byId("incomplete").hidden = false;
}

/**
 * @param {object} options
 * @param {Found} options.page
 * @param {Store} options.store
 * @param {Layout} options.layout
 * @param {() => { text: string, isMine: boolean } | null | undefined} options.watching - at a turn-based slap point
 * @param {(isMine: boolean) => void} options.turned - called with whose turn it is after each drawing
 */
export function makeStatus({ page, store, layout, watching, turned }) {
  let waitingTimer = 0;
  /** Whether the connection was lost since it last opened. */
  let wasLost = false;
  /**
   * The versions at which the coach has said a sentence.
   * @type {Map<string, Set<number>>}
   */
  const saidAt = new Map();

  /**
   * The coach's sentence; undefined if it was said often enough in earlier turns.
   * @param {boolean} isMine
   */
  function coached(isMine) {
    const { view, version } = store;
    const found = isMine || view.moves.includes("slap") ? coachOf(view.moves, view.facts) : undefined;
    if (!found || !isMine) return found ? found.text : undefined; // slaps leave no time to read another one
    const versions = saidAt.get(found.sentence) ?? new Set();
    if (versions.size < COACHED) versions.add(version);
    saidAt.set(found.sentence, versions);
    return versions.has(version) ? found.text : undefined;
  }

  /**
   * What the player has to do, or who the table waits for.
   * @param {boolean} isMine
   * @param {string | undefined} watched
   */
  function sentence(isMine, watched) {
    const { view, names, you, lesson } = store;
    if (store.status === "over") return say("over");
    if (watched) return watched;
    if (lesson?.say) return lesson.say;
    const full = coached(isMine);
    if (full) return full;
    if (isMine) return layout.task?.(store) ?? promptOf(view.moves) ?? say("your_turn");
    const waited = view.to_move.filter((seat) => seat >= 0);
    if (you !== null && waited.length === 1 && waited[0] === you) return say("your_card");
    const text = waitsFor(waited.map((seat) => names[seat]));
    if (you === null) return say("watching", { text });
    return view.seats[you].out ? say("you_are_out", { text }) : text;
  }

  /** @param {string[]} awaited - names of players */
  function waitsFor(awaited) {
    if (!awaited.length) return say("table_turn");
    return awaited.length > 1 ? say("choosing", { names: awaited.join(", ") }) : say("turn_of", { name: awaited[0] });
  }

  function drawTurn() {
    const { view, you, status } = store;
    const isForced = view.moves.length > 0 && view.moves.every((move) => move === "flip" || move === "slap");
    const mine = status === "running" && you !== null && view.to_move.includes(you) && !isForced;
    const watched = watching();
    const isMine = watched ? watched.isMine : mine || store.lesson?.move === "slap";
    byId("status").textContent = sentence(isMine, watched?.text);
    byId("turn-sign").hidden = !mine; // a slap in a lesson isn't a turn
    page.classList.toggle("is-my-turn", isMine);
    turned(isMine);
  }

  /** A table for two waits for its missing player: who that is, and for how long at most. */
  function drawWaiting() {
    const banner = byId("waiting");
    if (!banner) return;
    clearInterval(waitingTimer);
    const { waiting } = store;
    banner.hidden = !waiting;
    if (!waiting) return;
    byId("waiting-said").textContent = say("waiting_for", { name: store.names[waiting.seat] });
    const tick = () => {
      const n = Math.max(0, Math.ceil(((waiting.end ?? 0) - performance.now()) / 1000));
      byId("waiting-left").textContent = say("waiting_left", { n });
    };
    tick();
    waitingTimer = setInterval(tick, 1000);
  }

  /** Tell a player that autoplay has played for them. */
  function drawMissed() {
    const text = missedBy(store);
    const box = byId("missed");
    if (box.textContent !== (text ?? "")) box.textContent = text ?? "";
    box.hidden = text === null;
  }

  /** A seat is offered only until someone takes it over, its player returns, or the match ends. */
  function drawOffers() {
    const box = document.querySelector(".seat-offers");
    if (!box) return;
    const isOffered = (/** @type {number} */ seat) =>
      store.status === "running" && store.clocks.some((clock) => clock.seat === seat && clock.offered);
    const forms = [...box.querySelectorAll("form")];
    for (const form of forms) form.hidden = !isOffered(Number(form.querySelector("[name=seat]")?.value));
    box.hidden = forms.every((form) => form.hidden);
  }

  /** Everything that depends on who is here, and on whether the match is played live. */
  function drawPace() {
    const people = store.players.filter((player) => player.kind === "person");
    const all = people.every((player) => player.online === true);
    document.body.dataset.present = all ? "all" : "some";
    document.dispatchEvent(new Event("present"));
    const speed = store.slow ? "slow" : "live";
    for (const field of document.querySelectorAll("#settings [data-speed]"))
      field.hidden = field.dataset.speed !== speed;
  }

  return {
    /** Called after each drawing. */
    drawn() {
      drawMissed();
      drawTurn();
      drawWaiting();
      drawPace();
      drawOffers();
    },
    drawTurn,
    /**
     * Say what the table is showing, while no move is possible.
     * @param {string} text
     */
    say(text) {
      if (text) byId("status").textContent = inSigns(text);
    },
    drawWaiting,
    /**
     * The state of the connection has changed.
     * @param {ConnectionState} state
     */
    connection(state) {
      const banner = byId("connection");
      document.body.dataset.connection = state;
      banner.hidden = state === "open" && !wasLost;
      banner.dataset.state = state;
      if (state !== "open") banner.textContent = say(state === "signed_out" ? "signed_out" : "lost");
      else if (wasLost) {
        banner.textContent = say("back");
        setTimeout(() => {
          banner.hidden = banner.dataset.state === "open";
        }, BACK);
      }
      wasLost = state !== "open";
    },
  };
}
