/** The log, in sentences. The list is a live region: new lines are read out. */

import { sign } from "./cards.js";
import { el, targetOf } from "./el.js";
import { withoutRepeats } from "./last_move.js";

const LONGEST = 200;
/** Events that end something: a trick, a hand, a deal, a round. */
const MILESTONES = new Set([
  "stage",
  "trick",
  "deal",
  "deal_over",
  "round_over",
  "collect",
  "over",
  "match_over",
  "taken",
  "stored",
  "stopped",
  "final",
  "lose",
  "eliminated",
  "out",
  "showdown",
  "blocked",
]);
const CODE = /^(?:[A2-9TJQK][CDHS]|[RB]J)$/;
/**
 * Fields of an event that name another seat.
 * @type {("victim" | "claimer" | "taker" | "winner" | "by")[]}
 */
const SEATS = ["victim", "claimer", "taker", "winner", "by"];

/**
 * The cards that an event names.
 * @param {EventData} data
 * @returns {string[]}
 */
export function cardsOf(data) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {unknown} value */
  const look = (value) => {
    if (typeof value === "string" && CODE.test(value)) found.add(value);
    else if (Array.isArray(value)) value.forEach(look);
    else if (value && typeof value === "object") Object.values(value).forEach(look);
  };
  look(data);
  return [...found];
}

/**
 * Whether an event is a seat's own, or concerns it.
 * @param {Pick<GameEvent, "seat" | "data">} event
 * @param {number | null} you
 */
export function touches({ seat, data }, you) {
  if (you === null) return false;
  const places = [data.source, data.target].flat();
  return (
    seat === you ||
    SEATS.some((name) => data[name] === you) ||
    places.some(
      (place) => typeof place === "string" && /^(hand|store|stack|deck|won):/.test(place) && place.endsWith(`:${you}`),
    )
  );
}

/**
 * A sentence with signs for its cards.
 * @param {Pick<GameEvent, "text" | "data">} event
 */
export function sentence({ text, data }) {
  const codes = new Set(cardsOf(data));
  return text.split(/(\b[A-Z0-9]{2}\b)/).map((word) => (codes.has(word) ? sign(word) : word));
}

/**
 * @param {Found} list - inside the box that scrolls and is a live region
 * @param {object} [options]
 * @param {() => number | null} [options.you] - the seat for the filter "mine"
 * @param {(codes: string[], line: Element | null) => void} [options.show] - shows a line's cards, or none
 */
export function makeLog(list, { you = () => null, show = () => undefined } = {}) {
  const box = /** @type {Found} */ (list.parentElement);
  let newest = -1;
  /** Whether the reader is at the end of the log, and new lines should scroll into view. */
  let follows = true;
  /** @type {Found | null} */
  let looked = null;
  /**
   * Lines that were read out already, and become visible when the table shows their event.
   * @type {Map<GameEvent, Found>}
   */
  const ahead = new Map();
  /** The last scroll position of the end: if the box has shrunk since then, the reader has not scrolled. */
  let end = 0;
  /** Whether new lines will scroll into view with the next frame. */
  let isDue = false;
  /** Whether the next scroll event is about the log's own scrolling to its end. */
  let isOwn = false;
  box.addEventListener("scroll", () => {
    // Not measured then: at the start of a frame that makes the browser lay out the page twice.
    if (!isDue && !isOwn) follows = box.scrollTop >= end || box.scrollHeight - box.scrollTop - box.clientHeight < 30;
    isOwn = false;
  });

  const toEnd = () => {
    isDue = false;
    const was = box.scrollTop;
    box.scrollTop = box.scrollHeight;
    end = box.scrollTop;
    if (end !== was) isOwn = true;
  };
  /** Scroll in the next frame, which has to lay out the page in any case. */
  const keepUp = () => {
    if (!follows || isDue) return;
    isDue = true;
    requestAnimationFrame(toEnd);
  };

  /** @param {Found | null} line */
  function look(line) {
    if (looked === line) return;
    looked?.classList.remove("is-looked-at");
    looked = line;
    line?.classList.add("is-looked-at");
    show(line?.dataset.cards?.split(" ") ?? [], line);
    list.dispatchEvent(new CustomEvent("look", { detail: line }));
  }

  list.addEventListener(
    "pointerover",
    (event) => event.pointerType === "mouse" && look(targetOf(event).closest("li[data-cards]")),
  );
  list.addEventListener("pointerleave", () => look(null));
  list.addEventListener("click", (event) => {
    const line = targetOf(event).closest("li[data-cards]");
    look(line === looked && event.pointerType !== "mouse" ? null : line);
  });
  box.addEventListener("blur", () => look(null));
  box.addEventListener("keydown", (event) => {
    if (!["ArrowUp", "ArrowDown", "Home", "End", "Escape"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "Escape") return look(null);
    const lines = [...list.querySelectorAll("li:not(.is-ahead)")].filter((line) => line.offsetParent);
    const at = lines.indexOf(/** @type {Found} */ (looked));
    /** @type {Record<string, number>} */
    const steps = {
      ArrowUp: at < 0 ? lines.length - 1 : at - 1,
      ArrowDown: at < 0 ? lines.length - 1 : at + 1,
      Home: 0,
      End: lines.length - 1,
    };
    const to = steps[event.key];
    const line = lines[Math.min(lines.length - 1, Math.max(0, to))];
    look(line ?? null);
    line?.scrollIntoView({ block: "nearest" });
  });

  // A closed log is read out, but isn't in the tab order.
  const side = box.closest("[popover]");
  const reach = () => {
    box.tabIndex = box.clientHeight > 1 && (!side || side.clientHeight > 1) ? 0 : -1;
  };
  new ResizeObserver(() => {
    reach();
    if (follows) toEnd();
  }).observe(box);
  side?.addEventListener("toggle", reach);

  return {
    /**
     * Add the sentences of one version.
     * @param {number} version
     * @param {GameEvent[]} events
     * @param {{ isAhead?: boolean }} [how] - whether the table will show them later
     */
    add(version, events, { isAhead = false } = {}) {
      newest = Math.max(newest, version);
      for (const event of withoutRepeats(events)) {
        if (!event.text) continue;
        const line = lineOf(version, event, you());
        list.append(line);
        if (!isAhead) continue;
        line.classList.add("is-ahead", "visually-hidden");
        ahead.set(event, line);
      }
      while (list.children.length > LONGEST) list.firstElementChild?.remove();
      keepUp();
    },
    /**
     * The table now shows events whose lines were added before.
     * @param {GameEvent[]} events
     */
    shown(events) {
      for (const event of events) {
        ahead.get(event)?.classList.remove("is-ahead", "visually-hidden");
        ahead.delete(event);
      }
      keepUp();
    },
    /**
     * Start with these lines, or add the missing ones.
     * @param {LogLine[]} lines
     */
    catchUp(lines) {
      if (newest < 0) list.replaceChildren();
      const before = newest;
      // An entry that isn't a move has the version of the move before it, which the reader may know already.
      /** @param {LogLine} line */
      const isNew = ({ v, kind, text }) =>
        v === before &&
        kind === "incident" &&
        ![...list.children].some((shown) => shown.dataset.v === String(v) && shown.textContent === text);
      const fresh = lines.filter((line) => line.v > before || before < 0 || isNew(line));
      for (const v of new Set(fresh.map((line) => line.v)))
        this.add(
          v,
          fresh.filter((line) => line.v === v),
        );
      toEnd();
    },
    /**
     * Scroll the log to a line, and nothing but the log.
     * @param {Found} line
     */
    reveal(line) {
      const { top, bottom } = box.getBoundingClientRect();
      const there = line.getBoundingClientRect();
      if (there.top < top) box.scrollTop += there.top - top;
      else if (there.bottom > bottom) box.scrollTop += there.bottom - bottom;
    },
    /**
     * Show all lines, the reader's own ("mine"), or the milestones.
     * @param {string} which
     */
    filter(which) {
      list.dataset.filter = which;
      follows = true;
      toEnd();
    },
  };
}

/**
 * A line of the log, with signs for its cards.
 * @param {number} version
 * @param {GameEvent} event
 * @param {number | null} you
 */
export function lineOf(version, event, you = null) {
  const line = el("li", { dataset: { v: String(version), kind: event.kind } }, ...sentence(event));
  if (event.seat !== null && event.seat !== undefined) line.dataset.seat = String(event.seat);
  if (touches(event, you)) line.dataset.mine = "";
  if (MILESTONES.has(event.kind)) line.dataset.milestone = "";
  const codes = cardsOf(event.data);
  if (codes.length) line.dataset.cards = codes.join(" ");
  return line;
}
