/**
 * A move waits a moment before it goes, so that it can be taken back: nobody has seen it yet.
 *
 * It is kept in this browser, goes at once when the page is hidden or left, and goes at the next visit if the browser
 * died meanwhile; its request id makes it count once, however often it is sent.
 */

import { newId } from "../connect.js";

/** How long a move can be taken back, in milliseconds. */
const TIME = 3000;

/**
 * @param {object} options
 * @param {string} options.name - of the match
 * @param {string} options.form - address to which a move is posted when the page goes
 * @param {Store} options.store
 * @param {(message: MoveIntent) => void} options.send - hands a move to the line
 * @param {() => boolean} options.isHolding - whether moves are held at all
 * @param {(move: string) => void} options.gone - told when a held move has been sent
 */
export function makeHold({ name, form, store, send, isHolding, gone }) {
  const KEY = `armani.held.${name}`;
  /** @type {MoveIntent | null} */
  let held = null;
  let timer = 0;

  const keep = () => {
    try {
      if (held) localStorage.setItem(KEY, JSON.stringify({ ...held, you: store.you }));
      else localStorage.removeItem(KEY);
    } catch {
      // No storage: it still goes when the page is hidden.
    }
  };

  function forget() {
    clearTimeout(timer);
    const message = held;
    held = null;
    keep();
    return message;
  }

  function release() {
    const message = forget();
    if (!message) return null;
    send(message);
    gone(message.move);
    return message;
  }

  function leave() {
    const message = release();
    const token = document.querySelector("[name=csrfmiddlewaretoken]")?.value;
    if (!message || !token) return;
    // The socket may die with the page before it has spoken; a request that outlives the page does not.
    const body = new URLSearchParams({
      csrfmiddlewaretoken: token,
      id: message.id,
      v: String(message.v),
      move: message.move,
    });
    fetch(form, { method: "POST", body, keepalive: true, headers: { Accept: "application/json" } }).catch(
      () => undefined,
    );
  }

  document.addEventListener("visibilitychange", () => document.hidden && leave());
  addEventListener("pagehide", leave);

  return {
    /**
     * Send a move, or hold it. Says whether it is held.
     * @param {string} move
     */
    submit(move) {
      /** @type {MoveIntent} */
      const message = { t: "move", id: newId(), v: store.version, move };
      if (!isHolding()) {
        send(message);
        return false;
      }
      held = message;
      keep();
      timer = setTimeout(release, TIME);
      return true;
    },
    heldMove: () => held?.move ?? null,
    takeBack: forget,
    release,
    /** What a browser that died had not sent yet. */
    resume() {
      try {
        const { you, ...message } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
        localStorage.removeItem(KEY);
        if (message.move && you === store.you && store.status === "running") send(message);
      } catch {
        // Nothing that can be read: nothing is due.
      }
    },
  };
}
