/** The clocks of the seats: the time left, and the deadline in the reader's own time. seats.js draws the seats. */

import { el } from "./el.js";
import { say } from "./words.js";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** A live clock is marked from here on, and its player is warned once. */
const LOW = 20 * SECOND;

/** How much this browser's clock is behind the server's, in ms. */
let behind = 0;
const now = () => Date.now() + behind;
// Deadlines as in emails, with 24 hours.
const language = document.documentElement.lang === "en" ? "en-GB" : document.documentElement.lang;
const until = new Intl.DateTimeFormat(language || "en-GB", {
  weekday: "short",
  day: "numeric",
  month: "short",
  hour: "numeric",
  minute: "2-digit",
});

const soon = new Intl.DateTimeFormat(language || "en-GB", {
  weekday: "short",
  hour: "numeric",
  minute: "2-digit",
});

/**
 * Synchronize with the server's time, which messages contain.
 * @param {number} seconds
 */
export function setClock(seconds) {
  if (seconds) behind = seconds * SECOND - Date.now();
}

/**
 * The time left, in words short enough for a seat.
 * @param {number} length - in ms
 * @param {boolean} isLive
 */
function left(length, isLive) {
  const rest = Math.max(0, length);
  if (isLive) {
    const seconds = Math.ceil(rest / SECOND);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  }
  if (rest >= 2 * DAY) return say("clock_days", { n: Math.floor(rest / DAY) });
  if (rest >= 2 * HOUR) return say("clock_hours", { n: Math.floor(rest / HOUR) });
  return say("clock_minutes", { n: Math.ceil(rest / MINUTE) });
}

/**
 * The clock of a seat; null if there is none. It ticks by itself while it is on the page.
 * @param {Store} store
 * @param {number} seat
 * @returns {Found | null}
 */
export function clockOf(store, seat) {
  const clock = store.clocks?.find((each) => each.seat === seat);
  if (!store.clock || !clock || store.status !== "running" || store.isReplay) return null;
  const isLive = !store.clock.by_hours;
  const isRunning = clock.due !== null;
  const box = el(`span.seat-clock${isRunning ? ".is-running" : ""}`, {
    role: "timer",
    dataset: {
      live: String(isLive),
      bank: String(Math.max(1, (clock.bank ?? 0) * SECOND)),
      ...(isRunning ? { due: String((clock.due ?? 0) * SECOND) } : {}),
      ...(seat === store.you ? { mine: "" } : {}),
    },
  });
  box.append(
    el("span.visually-hidden", {}, `${say(isRunning && !isLive ? "clock_due" : "clock_left")} `),
    el("span.seat-clock-time", {}, left((clock.bank ?? 0) * SECOND, isLive)),
  );
  if (isRunning && !isLive) box.title = until.format((clock.due ?? 0) * SECOND);
  if (isRunning) show(box);
  return box;
}

/**
 * A note about a seat whose player is away; null for others.
 * @param {Store} store
 * @param {number} seat
 * @returns {string | null}
 */
export function absenceOf(store, seat) {
  const clock = store.clocks?.find((each) => each.seat === seat);
  if (!clock || store.status !== "running" || store.isReplay) return null;
  if (clock.offered) return say("seat_offered");
  return clock.autopilot ? say("autopilot") : null;
}

/**
 * A sentence for a player whose turn autoplay has played; null for others.
 * @param {Store} store
 * @returns {string | null}
 */
export function missedBy(store) {
  const mine = store.clocks?.find((each) => each.seat === store.you);
  if (!mine?.missed || store.status !== "running" || store.isReplay) return null;
  return say(mine.autopilot ? "missed_autopilot" : "missed_one");
}

/** @type {Found | null} */
let said = null;

/**
 * Update a running clock.
 * @param {Found} box
 */
export function show(box) {
  const rest = Number(box.dataset.due) - now();
  const isLive = box.dataset.live === "true";
  // A slow clock stops at night, so its deadline says more than the time left.
  box.querySelector(".seat-clock-time").textContent = isLive
    ? left(rest, true)
    : say("clock_until", { time: (rest < 6 * DAY ? soon : until).format(Number(box.dataset.due)) });
  const isLow = isLive && rest < LOW;
  if (
    isLow &&
    said &&
    !box.classList.contains("is-low") &&
    "mine" in box.dataset &&
    said.dataset.due !== box.dataset.due
  ) {
    said.dataset.due = box.dataset.due;
    said.textContent = say("clock_low", { n: Math.max(0, Math.ceil(rest / SECOND)) });
  }
  box.classList.toggle("is-low", isLow);
  // The same as a ring around the face: the share of this turn's time that is left.
  const seat = box.closest(".seat");
  seat?.classList.toggle("is-timed", isLive);
  seat?.style.setProperty("--left", String(Math.max(0, Math.min(1, rest / Number(box.dataset.bank)))));
}

/** Start all clocks on the page. */
export function startClocks() {
  said = document.body.appendChild(el("p.visually-hidden", { role: "status" }));
  setInterval(() => {
    for (const box of document.querySelectorAll(".seat-clock.is-running")) show(box);
  }, SECOND);
}
