/**
 * The line to the server: comes back by itself, and sends again what was not answered.
 *
 * It says what the page shows: every element with `data-mark` is one mark, whose value `data-shows` follows what is
 * shown. When the line stands, the server has told what differs from what is stored, so nothing need be read by chance.
 */

const FIRST_WAIT = 300;
/** A server that was restarted has everybody back within five seconds; one that is away for over a minute may wait. */
const LONGEST_WAIT_AT_FIRST = 3_000;
const TRIES_AT_FIRST = 20;
const LONGEST_WAIT = 10_000;
const ACK_EVERY = 5_000;
/** How often and how soon a move is sent again that could not be stored just now. */
const RETRIES = 5;
const RETRY_AFTER = 1_500;
/** Silence after which the line counts as dead: the server pings every four seconds. */
const LONGEST_SILENCE = 15_000;
/** Close codes after which coming back is no use: no such match, and logged out. */
/** @type {Record<number, LineState>} */
const FINAL = { 4404: "gone", 4401: "signed_out" };

/**
 * Milliseconds until the next try, with jitter, so that a restarted server is not met by everybody at once.
 * @param {number} tries - in vain so far
 * @param {number} chance - from 0 to 1
 */
export function pauseAfter(tries, chance) {
  const longest = tries < TRIES_AT_FIRST ? LONGEST_WAIT_AT_FIRST : LONGEST_WAIT;
  return Math.min(longest, FIRST_WAIT * 2 ** tries) * (0.5 + chance);
}

/**
 * @param {string} path - of the socket
 * @param {object} hooks
 * @param {() => number} [hooks.version] - the newest version that the page has, where it follows a match
 * @param {(message: any) => void} hooks.receive - takes every message but pings
 * @param {(state: LineState) => void} hooks.changed
 * @param {boolean} [hooks.isPinged] - whether the server pings here, so that silence means a dead line
 */
export function connect(path, { version, receive, changed, isPinged = true }) {
  /**
   * Moves without an answer, by id: the same id again counts once.
   * @type {Map<string, Asked>}
   */
  const waiting = new Map();
  /**
   * How often each of them could not be stored, by id.
   * @type {Map<string, number>}
   */
  const failures = new Map();
  /** @type {WebSocket | null} */
  let socket = null;
  let tries = 0;
  let heard = 0;
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
    heard = Date.now();
    mine.addEventListener("open", () => {
      tries = 0;
      changed("open");
      for (const message of waiting.values()) say(message);
    });
    mine.addEventListener("message", ({ data }) => {
      heard = Date.now();
      const message = JSON.parse(data);
      if (message.t === "ping") say({ t: "pong", n: message.n });
      else {
        if (message.t === "rejected" && message.code === "unavailable") resend(message.id);
        else if (message.t === "ok" || message.t === "rejected") answered(message.id);
        if (message.t === "moved" && message.entry.id) answered(message.entry.id);
        receive(message);
        // A whole view does not say which move led to it.
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
    if (isPinged && socket && Date.now() - heard > LONGEST_SILENCE) drop();
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
     * Send a message that is answered, now or when the line is back.
     * @param {Asked} message
     */
    ask(message) {
      waiting.set(message.id, message);
      say(message);
    },
    /** Send a message that is worth nothing later. Says whether it went. */
    send: say,
    isWaiting: () => waiting.size > 0,
  };
}

/** A name for a request, also where `crypto.randomUUID` is missing because the page came by plain HTTP. */
export const newId = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
