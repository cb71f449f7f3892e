/**
 * What happened since this player's last visit, starting with what concerns them.
 *
 * A chip with the number of events opens a list. Buttons, arrow keys or touches step through it, or it plays by itself;
 * each step shows its cards.
 */

import { makeCard } from "./cards.js";
import { el, targetOf } from "./el.js";
import { cardsOf, sentence, touches } from "./log.js";
import { ABSENCE } from "./seen.js";
import { say } from "./words.js";

const MOST = 30;
/** How long a step lasts while the list plays, in ms, and how many cards it shows. */
const PACE = 1800;
const MOST_CARDS = 7;
/** How long after a connection has opened missed events may still come, in ms. */
const ARRIVAL = 3000;
/** @type {Record<string, number>} */
const WAYS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/**
 * @param {Found} box - a list, the scene of a step, and buttons
 * @param {Store} store
 * @param {() => boolean} hasTime - whether there is time to read, because no cards are being turned
 */
export function makeCatchUp(box, store, hasTime) {
  const list = box.querySelector("ol");
  const title = box.querySelector("h2");
  const chip = document.getElementById("catch-up-chip");
  const now = box.querySelector(".catch-up-now");
  const cards = box.querySelector(".catch-up-cards");
  const play = box.querySelector("[data-catch=play]");
  /** The version and the time when the page was hidden. */
  /** @type {{ version: number, at: number } | null} */
  let left = null;
  /** The version that a player had seen before an absence; null once events are their own present again. */
  /** @type {number | null} */
  let back = null;
  /** Until when events count as missed: the connection has just opened again. */
  let arriving = 0;
  let lines = store.log.slice();
  /** The listed events, and the shown one; -1 before the first step. */
  /** @type {LogLine[]} */
  let told = [];
  let at = -1;
  let timer = 0;

  const close = () => box.close();
  box.addEventListener("close", () => {
    stop();
    chip.hidden = true;
    document.querySelector("#hand button[tabindex='0']")?.focus({ preventScroll: true });
  });
  chip.addEventListener("click", () => box.showModal());
  /** @param {number} to */
  function step(to) {
    at = Math.max(0, Math.min(told.length - 1, to));
    const line = told[at];
    for (const [n, item] of [...list.children].entries()) {
      if (n === at) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    list.children[at].scrollIntoView({ block: "nearest" });
    now.replaceChildren(...sentence(line));
    cards.replaceChildren(
      ...cardsOf(line.data)
        .slice(0, MOST_CARDS)
        .map((code) => makeCard(code)),
    );
    if (at === told.length - 1) stop();
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.setAttribute("aria-pressed", "false");
    play.textContent = say("replay_play");
  }
  function playOrPause() {
    if (timer) return stop();
    step(at === told.length - 1 ? 0 : at + 1);
    if (told.length < 2) return;
    timer = setInterval(() => step(at + 1), PACE);
    play.setAttribute("aria-pressed", "true");
    play.textContent = say("replay_pause");
  }
  box.addEventListener("click", (event) => {
    const button = targetOf(event).closest("[data-catch]")?.dataset.catch;
    const item = targetOf(event).closest("li");
    if (button === "close") close();
    else if (button === "play") playOrPause();
    else if (button || item) {
      stop();
      step(item ? [...list.children].indexOf(item) : at + (button === "on" ? 1 : -1));
    }
  });
  box.addEventListener("keydown", (event) => {
    const by = WAYS[event.key];
    if (by) {
      event.preventDefault();
      stop();
      step(at + by);
    }
  });

  /** @param {number} version */
  function show(version) {
    // The player knows their own moves, and a single event is easy to find in the log.
    const missed = lines.filter((line) => line.v > version && line.text && line.seat !== store.you);
    if (missed.length < 2 || store.you === null || !hasTime()) return;
    const mine = missed.filter((line) => touches(line, store.you)).slice(-MOST);
    told = [...mine, ...missed.filter((line) => !touches(line, store.you)).slice(-MOST)];
    chip.textContent = title.textContent = say("away_title", { n: missed.length });
    list.replaceChildren(...told.map((line, n) => el(`li${n < mine.length ? ".is-mine" : ""}`, {}, ...sentence(line))));
    now.replaceChildren();
    cards.replaceChildren();
    at = -1;
    stop();
    chip.hidden = false;
  }

  document.addEventListener("visibilitychange", () => {
    back = null;
    if (document.hidden) left = { version: store.version, at: Date.now() };
    else if (left && Date.now() - left.at > ABSENCE) {
      back = left.version;
      show(back);
    }
  });

  /** What comes right after a connection opens again was missed; the next thing after that is news. */
  function late() {
    if (back === null) return;
    if (Date.now() < arriving) show(back);
    else back = null;
  }

  return {
    /**
     * At the start: list everything after the version that this player last saw (null: first visit).
     * @param {number | null} version
     */
    since(version) {
      if (version !== null && version < store.version) show(version);
    },
    /**
     * Store events for players who come back later.
     * @param {number} version
     * @param {GameEvent[]} events
     */
    add(version, events) {
      lines = [...lines, ...events.map((event) => ({ v: version, ...event }))].slice(-200);
      late();
    },
    /**
     * Start again from a snapshot.
     * @param {LogLine[]} log
     */
    begun(log) {
      lines = log.slice();
      late();
    },
    /** The connection has opened again. */
    reopened() {
      arriving = Date.now() + ARRIVAL;
    },
  };
}
