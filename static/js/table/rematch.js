/** A rematch with one press by each player: everyone sees who wants it, and it begins when all do. */

import { el } from "./el.js";
import { play } from "./sounds.js";
import { say } from "./words.js";

/**
 * @param {Found} box - of the result
 * @param {Store} store
 * @param {string} title - of the page
 * @param {() => void} redraw - the whole result
 */
export function makeRematch(box, store, title, redraw) {
  const button = box.querySelector("#rematch");
  const said = box.querySelector("#rematch-said");
  let timer = 0;
  /** Whether this player waits for the others on this page, and who had agreed at the last drawing. */
  let isWaiting = false;
  let known = "";

  const names = (/** @type {number[]} */ seats) => seats.map((seat) => store.names[seat]).join(", ");
  const isAgreed = (/** @type {number | null} */ seat) =>
    seat !== null && (store.rematch?.agreed.includes(seat) ?? false);
  /** @param {string} text */
  function setText(text) {
    if (said.textContent !== text) said.textContent = text;
  }

  function tick() {
    const end = store.rematch?.end ?? null;
    const left = Math.ceil(((end ?? 0) - performance.now()) / 1000);
    if (end !== null && left <= 0) return expire();
    const waits = { names: names(store.rematch?.asked ?? []), n: left };
    if (isAgreed(store.you)) button.textContent = say(end === null ? "rematch_waits" : "rematch_waits_for", waits);
  }

  function expire() {
    clearInterval(timer);
    const wasMine = isAgreed(store.you);
    store.rematch = null;
    isWaiting = false;
    redraw();
    setText(wasMine ? say("rematch_gone") : "");
  }

  function draw() {
    if (!button) return;
    clearInterval(timer);
    const { rematch } = store;
    const wanted = rematch?.agreed.filter((seat) => seat !== store.you) ?? [];
    document.title = title;
    button.removeAttribute("aria-disabled");
    if (!rematch) {
      button.textContent = say("rematch");
      known = "";
    } else if (rematch.status !== "open") {
      button.textContent = say("rematch_go");
      setText("");
      if (isWaiting && rematch.status === "running") location.assign(rematch.url);
    } else {
      timer = setInterval(tick, 1000);
      isWaiting = isAgreed(store.you);
      if (isWaiting) {
        button.setAttribute("aria-disabled", "true");
        setText("");
      } else {
        button.textContent = say("rematch");
        const text = say(wanted.length > 1 ? "rematch_wanted_more" : "rematch_wanted", { names: names(wanted) });
        setText(text);
        document.title = `● ${text}`;
        if (known !== String(wanted)) play("turn");
      }
      known = String(wanted);
      tick();
    }
  }

  button?.form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    // Without a socket the page wouldn't notice the other players; the waiting room loads itself again until they come.
    if (document.body.dataset.connection !== "open") return;
    event.preventDefault();
    if (button.getAttribute("aria-disabled") === "true") return;
    button.setAttribute("aria-disabled", "true");
    const { action } = button.form;
    const answer = await fetch(action, {
      method: "POST",
      body: new FormData(button.form),
      headers: { Accept: "application/json" },
    }).catch(() => null);
    const { url, status, reason } = (await answer?.json().catch(() => null)) ?? {};
    if (answer?.ok && status !== "open") location.assign(url);
    else if (!answer?.ok) {
      button.removeAttribute("aria-disabled");
      setText(reason ?? say("report_failed"));
    }
  });

  return {
    draw,
    /**
     * The mark beside the name of a player who wants a rematch.
     * @param {number} seat
     */
    mark: (seat) =>
      store.rematch?.status === "open" && isAgreed(seat)
        ? el("span.result-ready", {}, `✓ ${say("rematch_ready")}`)
        : null,
  };
}
