/**
 * The waiting room follows the table: who sits down, who leaves, and the start.
 *
 * The socket only says that something changed; what it is now is read from the page itself, so there is one place
 * that draws seats: the server. Without a socket the page is read every few seconds.
 */

import { connect } from "../table/socket.js";

const POLL = 8000;
/** A table at which nobody has looked for a day is closed; an open page looks this often. */
const ATTEND = 3600_000;
const room = document.querySelector("[data-waiting-room]");
const said = document.querySelector("[data-room-said]");
let poll = 0;
let asked = 0;

/** Read the page again and change what is different; a table that has begun is loaded as a page of its own. */
async function refresh() {
  const mine = ++asked;
  const answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" }).catch(() => null);
  if (!answer || answer.status >= 500) {
    if (!poll) setTimeout(refresh, POLL); // Told once, it is tried until it is read.
    return;
  }
  const text = await answer.text();
  if (mine !== asked) return;
  // Not taken apart here: a table has style in itself, which is for its own content security policy.
  if (!text.includes("data-waiting-room")) {
    location.reload();
    return;
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  for (const part of document.querySelectorAll("[data-room-part]")) {
    const fresh = page.querySelector(`[data-room-part="${part.dataset.roomPart}"]`);
    if (fresh.textContent === part.textContent) continue;
    const hadFocus = part.contains(document.activeElement);
    part.replaceWith(fresh);
    if (hadFocus) fresh.focus();
  }
  room.dataset.shows = page.querySelector("[data-waiting-room]").dataset.shows;
  const news = page.querySelector("[data-room-said]").textContent;
  if (said.textContent !== news) said.textContent = news;
}

function receive(message) {
  if (message.t === "news") document.dispatchEvent(new Event("news"));
  if (message.t.startsWith("talk")) document.dispatchEvent(new CustomEvent("talk", { detail: message }));
  if (message.t === "reload" || message.t === "snapshot") refresh();
}

function changed(state) {
  document.body.dataset.line = state;
  if (state === "open") {
    clearInterval(poll);
    poll = 0;
  } else poll ||= setInterval(refresh, POLL); // One that runs is not set back by each vain try.
}

if (room) {
  connect(room.dataset.socket, { receive, changed });
  setInterval(refresh, ATTEND);
}
