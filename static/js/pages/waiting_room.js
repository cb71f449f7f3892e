/**
 * The waiting room follows the table: players who sit down or leave, and the start.
 *
 * The socket only says that something changed; the new seats come from the page itself, so that only the server renders
 * seats. Without a socket the page is loaded every few seconds.
 */

import { connect, tell } from "../connect.js";
import { makeReader } from "../fragment.js";
import { offerToShare } from "../share.js";

const POLL = 8000;
/** An open page calls this often, because a table is closed when no player has looked at it for a day. */
const ATTEND = 3600_000;
const room = document.querySelector("[data-waiting-room]");
const said = document.querySelector("[data-room-said]");
let poll = 0;
const readAgain = makeReader();

/** Load the page and replace what differs; once the match has begun, load the table's page. */
async function refresh() {
  const { status, text, isOld } = await readAgain(location.href);
  if (!status || status >= 500) {
    if (!poll) setTimeout(refresh, POLL); // The socket says it once, so retry until it works.
    return;
  }
  if (isOld) return;
  // Don't parse it: a table's page has inline styles that only its own security policy allows.
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
  if (message.t === "news") tell(new Event("news"));
  if (message.t.startsWith("talk")) tell(new CustomEvent("talk", { detail: message }));
  if (message.t === "reload" || message.t === "snapshot") refresh();
}

/** @param {ConnectionState} state */
function changed(state) {
  document.body.dataset.connection = state;
  if (state === "open") {
    clearInterval(poll);
    poll = 0;
  } else poll ||= setInterval(refresh, POLL); // A running timer isn't restarted by each failed try.
}

/**
 * The host of a quick match plays AI players if no one joins in time, unless they would rather wait.
 * @param {Found} form
 */
function playInTime(form) {
  const [countdown, seconds, wait, play] = ["[data-countdown]", "[data-seconds]", "[data-wait]", "[name=level]"].map(
    (which) => form.querySelector(which),
  );
  const end = performance.now() + Number(form.dataset.aiAfter) * 1000;
  const timer = setInterval(tick, 1000);
  function tick() {
    const left = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    seconds.textContent = String(left);
    if (left) return;
    clearInterval(timer);
    play.click();
  }
  countdown.hidden = wait.hidden = false;
  wait.addEventListener("click", () => {
    clearInterval(timer);
    form.remove();
    history.replaceState(null, "", location.pathname);
  });
  tick();
}

offerToShare(document);

const inTime = document.querySelector("[data-ai-after]");
if (inTime) playInTime(inTime);
if (room) {
  connect(room.dataset.socket ?? "", { receive, changed });
  setInterval(refresh, ATTEND);
}
