/**
 * A move waits a moment before it is sent, so that the player can undo it: no one has seen it yet.
 *
 * The browser stores it. It is sent at once when the page is hidden or left, and at the next visit if the browser was
 * killed; because of its request id it counts once, however often it is sent.
 */

import { newId } from "../connect.js";
import { el } from "./el.js";
import { say } from "./words.js";

/** How long a move can be undone, in milliseconds. */
const TIME = 3000;

/**
 * @param {object} options
 * @param {string} options.name - of the match
 * @param {string} options.form - URL for posting a move when the page is left
 * @param {Store} options.store
 * @param {(message: MoveIntent) => void} options.send - sends a move over the socket
 * @param {() => boolean} options.isHolding - whether moves are held
 * @param {(move: string) => void} options.gone - called when a held move has been sent
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
      // No storage: the move is still sent when the page is hidden.
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
    // The socket may close with the page before it sends; this request outlives the page.
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
     * Send a move, or hold it. Returns whether it is held.
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
    /** Send the move of a browser that was killed before it was sent. */
    resume() {
      try {
        const { you, ...message } = JSON.parse(localStorage.getItem(KEY) ?? "{}");
        localStorage.removeItem(KEY);
        if (message.move && you === store.you && store.status === "running") send(message);
      } catch {
        // Nothing readable is stored: nothing to send.
      }
    },
  };
}

/**
 * The held move, the time left to take it back, and the buttons for both ways.
 * @param {string} label - of the move
 */
export const drawHeld = (label) =>
  el(
    "div.held",
    {},
    el("p.control-question", {}, label),
    el(
      "div.control-buttons",
      { role: "group" },
      el(
        "button.button.primary",
        { type: "button", dataset: { act: "back", focus: "back" } },
        el("kbd.key", { "aria-hidden": "true" }, "Esc"),
        say("take_back"),
      ),
      el("button.button", { type: "button", dataset: { act: "now", focus: "now" } }, say("play_now")),
    ),
    el("span.held-time", { "aria-hidden": "true" }),
  );
