/**
 * The lobby follows the tables. The socket only says that something changed; what it is now is read from the page
 * itself, so there is one place that draws rows: the server. Without a socket the page is read now and then.
 */

import { connect } from "../table/socket.js";

const POLL = 20_000;
/** So that not all browsers ask in the same moment. */
const SPREAD = 1200;
const form = document.querySelector("[data-lobby-filter]");
const said = document.querySelector("[data-lobby-said]");
const tables = document.querySelector("[data-mark=lobby]");
let poll = 0;
let soon = 0;
let asked = 0;

/** Read the page again, perhaps at another address, and change what is different. */
async function refresh(url = location.href) {
  const mine = ++asked;
  const answer = await fetch(url, { headers: { Accept: "text/html" } }).catch(() => null);
  if (mine !== asked) return;
  if (!answer?.ok) {
    if (!poll) setTimeout(changed, POLL); // Told once, it is tried until it is read.
    return;
  }
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const part of document.querySelectorAll("[data-lobby-part]")) {
    const fresh = page.querySelector(`[data-lobby-part="${part.dataset.lobbyPart}"]`);
    if (!fresh || fresh.textContent === part.textContent) continue;
    // Whoever is about to press something there finds it again in the new rows.
    const held = part.contains(document.activeElement) ? document.activeElement.closest("form, a")?.getAttribute(document.activeElement.closest("form") ? "action" : "href") : null;
    part.replaceWith(fresh);
    if (held) fresh.querySelector(`[action="${CSS.escape(held)}"] button, [href="${CSS.escape(held)}"]`)?.focus();
  }
  document.querySelector("[data-any-table]").replaceWith(page.querySelector("[data-any-table]"));
  tables.dataset.shows = page.querySelector("[data-mark=lobby]").dataset.shows;
  const news = page.querySelector("[data-lobby-said]").textContent;
  if (said.textContent !== news) said.textContent = news;
}

function changed() {
  clearTimeout(soon);
  if (!document.hidden) soon = setTimeout(refresh, Math.random() * SPREAD);
}

function receive(message) {
  if (message.t === "news") document.dispatchEvent(new Event("news"));
  else changed();
}

function lineChanged(state) {
  document.body.dataset.line = state;
  if (state === "open") {
    clearInterval(poll);
    poll = 0;
  } else poll ||= setInterval(changed, POLL);
}

if (form) {
  form.querySelector("[data-needless]").hidden = true;
  form.addEventListener("change", () => {
    const url = new URL(form.action);
    for (const [name, value] of new FormData(form)) if (value) url.searchParams.set(name, value);
    history.replaceState(null, "", url);
    refresh(url);
  });
  document.addEventListener("visibilitychange", changed);
  connect("/ws/lobby/", { receive, changed: lineChanged, isPinged: false });
}
