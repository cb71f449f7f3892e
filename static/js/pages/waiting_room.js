/**
 * The waiting room follows the table: who sits down, who leaves, and the start.
 *
 * The socket only says that something changed; what it is now is read from the page itself, so there is one place
 * that draws seats: the server. Without a socket the page is read every few seconds.
 */

const POLL = 8000;
/** A table at which nobody has looked for a day is closed; an open page looks this often. */
const ATTEND = 3600_000;
const room = document.querySelector("[data-waiting-room]");
const said = document.querySelector("[data-room-said]");
let wait = 500;
let poll = 0;

/** Read the page again and change what is different; a table that has begun is loaded as a page of its own. */
async function refresh() {
  let answer;
  try {
    answer = await fetch(location.href, { headers: { Accept: "text/html" }, credentials: "same-origin" });
  } catch {
    return; // No line: the next try is on its way.
  }
  if (answer.status >= 500) return;
  const text = await answer.text();
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
  const news = page.querySelector("[data-room-said]").textContent;
  if (said.textContent !== news) said.textContent = news;
}

function listen() {
  const scheme = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(`${scheme}//${location.host}/ws/match/${room.dataset.key}/`);
  socket.addEventListener("open", () => {
    wait = 500;
    clearInterval(poll);
    poll = 0;
    refresh(); // What happened between reading the page and listening.
    document.dispatchEvent(new CustomEvent("talk", { detail: { t: "talk_again" } }));
    document.body.dataset.line = "open";
  });
  socket.addEventListener("message", (event) => {
    const message = JSON.parse(event.data);
    if (message.t === "ping") socket.send(JSON.stringify({ t: "pong", n: message.n }));
    if (message.t === "news") document.dispatchEvent(new Event("news"));
    if (message.t.startsWith("talk")) document.dispatchEvent(new CustomEvent("talk", { detail: message }));
    if (message.t === "reload" || message.t === "snapshot") refresh();
  });
  socket.addEventListener("close", () => {
    document.body.dataset.line = "lost";
    poll ||= setInterval(refresh, POLL); // One that runs is not set back by each vain try.
    setTimeout(listen, wait * (0.5 + Math.random()));
    wait = Math.min(wait * 2, 60000);
  });
}

if (room) {
  listen();
  setInterval(refresh, ATTEND);
}
