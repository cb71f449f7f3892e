/**
 * The socket to the server: it reconnects by itself, and sends unanswered messages again.
 *
 * The URL tells the server what the page shows: each element with `data-mark` is one mark, with its value in
 * `data-shows`. The server then sends everything that differs from what is stored, so the page never has to guess.
 */

const FIRST_WAIT = 300;
/** After a restart everyone is back within five seconds; after more than a minute, pages may wait longer. */
const LONGEST_WAIT_AT_FIRST = 3_000;
const TRIES_AT_FIRST = 20;
const LONGEST_WAIT = 10_000;
const ACK_EVERY = 5_000;
/** How often, and after how long, a move is sent again that the server could not store. */
const RETRIES = 5;
const RETRY_AFTER = 1_500;
/** The connection counts as lost after this silence: the server sends something every ten seconds at the latest. */
const LONGEST_SILENCE = 15_000;
/** Close codes after which reconnecting is useless: no such match, and logged out. */
/** @type {Record<number, ConnectionState>} */
const FINAL = { 4404: "gone", 4401: "signed_out" };

/**
 * Milliseconds until the next try, at random, so that browsers don't all reconnect to a restarted server at once.
 * @param {number} tries - failed ones so far
 * @param {number} chance - from 0 to 1
 */
export function pauseAfter(tries, chance) {
  const longest = tries < TRIES_AT_FIRST ? LONGEST_WAIT_AT_FIRST : LONGEST_WAIT;
  return Math.min(longest, FIRST_WAIT * 2 ** tries) * (0.5 + chance);
}

/**
 * Tell the page's other scripts what came over its socket. One that runs later finds the event's type in `data-told`
 * of the body, and then asks the server; who is present, the body says itself.
 * @param {Event} event
 */
export function tell(event) {
  const { dataset } = document.body;
  if (!dataset.told?.includes(event.type)) dataset.told = `${dataset.told ?? ""} ${event.type}`;
  document.dispatchEvent(event);
}

/**
 * @param {string} path - of the socket
 * @param {object} hooks
 * @param {() => number} [hooks.version] - the newest version on the page, if it follows a match
 * @param {(message: any) => void} hooks.receive - takes every message but pings and what only ends a silence
 * @param {(state: ConnectionState) => void} hooks.changed
 * @param {boolean} [hooks.isPinged] - whether the server pings this socket, so that silence means a lost connection
 */
export function connect(path, { version, receive, changed, isPinged = true }) {
  /**
   * Unanswered moves, by id: the server counts an id once, however often it is sent.
   * @type {Map<string, Asked>}
   */
  const waiting = new Map();
  /**
   * How often the server could not store each of them, by id.
   * @type {Map<string, number>}
   */
  const failures = new Map();
  /** @type {WebSocket | null} */
  let socket = null;
  let tries = 0;
  let lastMessage = 0;
  let acked = -1;
  let timer = 0;

  /** @param {Asked | Said} message */
  const say = (message) => {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  };

  /** @param {string} id */
  function answered(id) {
    waiting.delete(id);
    failures.delete(id);
  }

  /** @param {string} id */
  function resend(id) {
    const count = (failures.get(id) ?? 0) + 1;
    if (!waiting.has(id) || count > RETRIES) return answered(id);
    failures.set(id, count);
    setTimeout(
      () => {
        const message = waiting.get(id);
        if (message) say(message);
      },
      RETRY_AFTER * count * (0.5 + Math.random()),
    );
  }

  function open() {
    clearTimeout(timer);
    const url = new URL(path, location.href);
    url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
    for (const { dataset } of document.querySelectorAll("[data-mark]"))
      url.searchParams.set(dataset.mark ?? "", dataset.shows ?? "");
    if (version) url.searchParams.set("since", String(version()));
    const mine = new WebSocket(url);
    socket = mine;
    lastMessage = Date.now();
    mine.addEventListener("open", () => {
      tries = 0;
      changed("open");
      for (const message of waiting.values()) say(message);
    });
    mine.addEventListener("message", ({ data }) => {
      lastMessage = Date.now();
      const message = JSON.parse(data);
      if (message.t === "ping") say({ t: "pong", n: message.n });
      else if (message.t !== "alive") {
        if (message.t === "rejected" && message.code === "unavailable") resend(message.id);
        else if (message.t === "ok" || message.t === "rejected") answered(message.id);
        if (message.t === "moved" && message.entry.id) answered(message.entry.id);
        receive(message);
        // A snapshot doesn't say which moves it includes.
        if (message.t === "snapshot") for (const unanswered of waiting.values()) say(unanswered);
      }
    });
    mine.addEventListener("close", ({ code }) => {
      if (socket !== mine) return;
      socket = null;
      if (code in FINAL) changed(FINAL[code]);
      else {
        changed("lost");
        later();
      }
    });
  }

  function later() {
    timer = setTimeout(open, pauseAfter(tries++, Math.random()));
  }

  function drop() {
    const old = socket;
    socket = null;
    old?.close();
    changed("lost");
    later();
  }

  setInterval(() => {
    if (isPinged && socket && Date.now() - lastMessage > LONGEST_SILENCE) drop();
    else if (version && version() !== acked && say({ t: "ack", v: version() })) acked = version();
  }, ACK_EVERY);
  addEventListener("online", () => {
    if (!socket) open();
  });
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && !socket) open();
  });
  open();

  return {
    /**
     * Send a message that needs an answer, now or when the socket is open again.
     * @param {Asked} message
     */
    ask(message) {
      waiting.set(message.id, message);
      say(message);
    },
    /** Send a message that is useless later. Returns whether it was sent. */
    send: say,
    /** Whether a message has no answer yet. */
    isAsking: () => waiting.size > 0,
    /**
     * Whether a message will be sent again until it is answered.
     * @param {string | null} id
     */
    isWaiting: (id) => id !== null && waiting.has(id),
  };
}

/** A random request id; `crypto.randomUUID` is missing on pages served by plain HTTP. */
export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
