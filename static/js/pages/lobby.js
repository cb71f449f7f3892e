/**
 * The lobby follows the tables. The socket only says that something changed; what it is now is read from the page
 * itself, so there is one place that draws rows: the server. Without a socket the page is read now and then.
 */

import { connect } from "../connect.js";
import { makeReader } from "../fragment.js";
import { focused } from "../table/el.js";

const POLL = 20_000;
/** So that not all browsers ask in the same moment. */
const SPREAD = 1200;
const said = document.querySelector("[data-lobby-said]");
const tables = document.querySelector("[data-mark=lobby]");
let poll = 0;
let soon = 0;
const readAgain = makeReader();

/** Read the page again, perhaps at another address, and change what is different. */
async function refresh(url = location.href) {
  const { page, isOld } = await readAgain(url);
  if (isOld) return;
  if (!page) {
    if (!poll) setTimeout(changed, POLL); // Told once, it is tried until it is read.
    return;
  }
  for (const part of document.querySelectorAll("[data-lobby-part]")) {
    const fresh = page.querySelector(`[data-lobby-part="${part.dataset.lobbyPart}"]`);
    if (!fresh || fresh.textContent === part.textContent) continue;
    // Whoever is about to press something there finds it again in the new rows.
    const pressed = part.contains(focused()) ? focused()?.closest("form, a") : null;
    const held = pressed?.getAttribute(pressed.matches("form") ? "action" : "href");
    part.replaceWith(fresh);
    if (held) fresh.querySelector(`[action="${CSS.escape(held)}"] button, [href="${CSS.escape(held)}"]`)?.focus();
  }
  tables.dataset.shows = page.querySelector("[data-mark=lobby]").dataset.shows;
  const news = page.querySelector("[data-lobby-said]").textContent;
  if (said.textContent !== news) said.textContent = news;
}

function changed() {
  clearTimeout(soon);
  if (!document.hidden) soon = setTimeout(() => refresh(), Math.random() * SPREAD);
}

/** @param {Message} message */
function receive(message) {
  if (message.t === "news") document.dispatchEvent(new Event("news"));
  else changed();
}

/** @param {LineState} state */
function lineChanged(state) {
  document.body.dataset.line = state;
  if (state === "open") {
    clearInterval(poll);
    poll = 0;
  } else poll ||= setInterval(changed, POLL);
}

/**
 * Filters come and go with the number of tables.
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
