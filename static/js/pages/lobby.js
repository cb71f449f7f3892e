/**
 * The lobby follows the tables. The socket only says that something changed; the new rows come from the page itself, so
 * that only the server renders rows. Without a socket the page is loaded now and then.
 */

import { connect, tell } from "../connect.js";
import { makeReader } from "../fragment.js";
import { focused } from "../table/el.js";

const POLL = 20_000;
/** A random pause, so that browsers don't all ask at once. */
const SPREAD = 1200;
const said = document.querySelector("[data-lobby-said]");
const tables = document.querySelector("[data-mark=lobby]");
let poll = 0;
let soon = 0;
const readAgain = makeReader();

/** Load the page, perhaps with another URL, and replace what differs. */
async function refresh(url = location.href) {
  const { page, isOld } = await readAgain(url);
  if (isOld) return;
  if (!page) {
    if (!poll) setTimeout(changed, POLL); // The socket says it once, so retry until it works.
    return;
  }
  for (const part of document.querySelectorAll("[data-lobby-part]")) {
    const fresh = page.querySelector(`[data-lobby-part="${part.dataset.lobbyPart}"]`);
    if (!fresh || shown(fresh) === shown(part)) continue;
    // A visitor who is about to press a button finds it focused in the new rows.
    const pressed = part.contains(focused()) ? focused()?.closest("form, a") : null;
    const held = pressed?.getAttribute(pressed.matches("form") ? "action" : "href");
    part.replaceWith(fresh);
    if (held) fresh.querySelector(`[action="${CSS.escape(held)}"] button, [href="${CSS.escape(held)}"]`)?.focus();
  }
  tables.dataset.shows = page.querySelector("[data-mark=lobby]").dataset.shows;
  const news = page.querySelector("[data-lobby-said]").textContent;
  if (said.textContent !== news) said.textContent = news;
}

/**
 * What a visitor reads in a part, and where its links and buttons lead: another table may look the same.
 * @param {Element} part
 */
function shown(part) {
  const ways = [...part.querySelectorAll("[href], [action]")];
  return [part.textContent, ...ways.map((way) => way.getAttribute("href") ?? way.getAttribute("action"))].join("\n");
}

function changed() {
  clearTimeout(soon);
  if (!document.hidden) soon = setTimeout(() => refresh(), Math.random() * SPREAD);
}

/** @param {Message} message */
function receive(message) {
  if (message.t === "news") tell(new Event("news"));
  else changed();
}

/** @param {ConnectionState} state */
function lineChanged(state) {
  document.body.dataset.connection = state;
  if (state === "open") {
    clearInterval(poll);
    poll = 0;
  } else poll ||= setInterval(changed, POLL);
}

/**
 * Filters appear and disappear with the number of tables.
 * @param {Event} event
 */
function setFilters(event) {
  const form = /** @type {HTMLFormElement | null} */ (/** @type {Element} */ (event.target).closest("form"));
  if (!form?.matches("[data-lobby-filter]")) return;
  event.preventDefault();
  const url = new URL(form.action);
  for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, String(value));
  history.replaceState(null, "", url);
  refresh(url.href);
}

if (tables) {
  document.addEventListener("change", setFilters);
  document.addEventListener("submit", setFilters);
  document.addEventListener("visibilitychange", changed);
  connect("/ws/lobby/", { receive, changed: lineChanged, isPinged: false });
}
