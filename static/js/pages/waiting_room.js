/**
 * The waiting room follows the table: who sits down, who leaves, and the start.
 *
 * The socket only says that something changed; what it is now is read from the page itself, so there is one place
 * that draws seats: the server. Without a socket the page is read every few seconds.
 */

import { connect } from "../connect.js";
import { makeReader } from "../fragment.js";

const POLL = 8000;
/** A table at which nobody has looked for a day is closed; an open page looks this often. */
const ATTEND = 3600_000;
const room = document.querySelector("[data-waiting-room]");
const said = document.querySelector("[data-room-said]");
let poll = 0;
const readAgain = makeReader();

/** Read the page again and change what is different; a table that has begun is loaded as a page of its own. */
async function refresh() {
  const { status, text, isOld } = await readAgain(location.href);
  if (!status || status >= 500) {
    if (!poll) setTimeout(refresh, POLL); // Told once, it is tried until it is read.
    return;
  }
  if (isOld) return;
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

/** @param {Message} message */
function receive(message) {
  if (message.t === "news") document.dispatchEvent(new Event("news"));
  if (message.t.startsWith("talk")) document.dispatchEvent(new CustomEvent("talk", { detail: message }));
  if (message.t === "reload" || message.t === "snapshot") refresh();
}

/** @param {LineState} state */
function changed(state) {
  document.body.dataset.line = state;
  if (state === "open") {
    clearInterval(poll);
    poll = 0;
  } else poll ||= setInterval(refresh, POLL); // One that runs is not set back by each vain try.
}

/** The device's own way to pass a link on, where it has one. */
for (const button of document.querySelectorAll("[data-share]")) {
  const link = { title: button.dataset.title, url: button.dataset.share };
  button.hidden = !navigator.canShare?.(link);
  // Whoever changes their mind has closed the sheet, and nothing is wrong.
  button.addEventListener("click", () => navigator.share(link).catch(() => undefined));
}

if (room) {
  connect(room.dataset.socket ?? "", { receive, changed });
  setInterval(refresh, ATTEND);
}
