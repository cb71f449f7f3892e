/** Choosing a move by touching cards: everything follows from the list of legal moves. */

import { missing, parse, wants } from "./moves.js";
import { el } from "./render.js";
import { capital, cardName, moveLabel, say } from "./words.js";

/** Buttons offered at once; more are in the list of all moves. */
const MOST_BUTTONS = 12;
const MOST_LISTED = 200;

/**
 * @param {object} options
 * @param {Element} options.controls - where the buttons go
 * @param {Element} options.said - where refusals are explained
 * @param {object} options.store
 * @param {object} options.layout - of the game: may tell `why` a card can't be used
 * @param {() => Map<string, Element>} options.cards - card elements in sight, by key
 * @param {(move: string) => void} options.send
 * @param {() => boolean} options.isDirect - whether one touch plays
 */
export function makePicker({ controls, said, store, layout, cards, send, isDirect }) {
  let moves = [];
  /** Keys of the cards chosen, in the order they were touched. */
  let chosen = [];
  let number = null;
  let sent = null;
  let isListOpen = false;

  const codes = () => chosen.map(codeOf);
  const candidates = () => moves.map((parsed) => ({ ...parsed, left: missing(parsed, codes()) })).filter(({ left }) => left !== null);
  const ready = () => candidates().filter(({ left }) => left.length === 0);
  const numbers = () => ready().filter((parsed) => parsed.number !== null);

  function update({ keep = false } = {}) {
    // Slaps have their own control, and the table asks for its own cards.
    moves = store.view.moves.filter((move) => move !== "slap" && move !== "flip").map(parse);
    sent = null;
    chosen = keep ? chosen.filter((key) => cards().has(key)) : [];
    if (candidates().length === 0) chosen = [];
    number = null;
    paint();
  }

  function paint() {
    const open = candidates();
    // Before a draw no card of the hand is of use, and none needs to be told apart.
    const usesCards = chosen.length > 0 || open.some(({ left }) => left.length > 0);
    for (const [key, card] of cards()) {
      const isButton = card.tagName === "BUTTON";
      if (!isButton) continue;
      const isChosen = chosen.includes(key);
      const usable = isChosen || open.some(({ left }) => wants(left, codeOf(key)));
      card.classList.toggle("is-chosen", isChosen);
      card.classList.toggle("is-usable", usable && moves.length > 0);
      card.classList.toggle("is-useless", !usable && usesCards);
      card.setAttribute("aria-pressed", String(isChosen));
      card.setAttribute("aria-disabled", String(!usable));
    }
    const targets = new Set(ready().map(({ target }) => target));
    for (const place of document.querySelectorAll("[data-target]")) {
      place.classList.toggle("is-target", targets.has(place.dataset.target) && store.you !== null);
    }
    rove();
    paintControls();
  }

  function paintControls() {
    const before = controls.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    // The only move there is needs no card touched first.
    const done = (moves.length === 1 ? candidates() : ready()).filter((parsed) => parsed.number === null);
    const buttons = done.slice(0, MOST_BUTTONS).map((parsed, at) => moveButton(parsed, at, !numbers().length && (done.length === 1 || chosen.length > 0)));
    if (chosen.length) buttons.push(el("button.button.quiet", { type: "button", dataset: { act: "cancel", focus: "cancel" } }, say("cancel")));
    const parts = [];
    if (numbers().length) parts.push(stepper(numbers()));
    if (buttons.length) parts.push(el("div.control-buttons", { role: "group" }, ...buttons));
    if (moves.length > 1 && moves.some(({ needs }) => needs.length)) parts.push(allMoves());
    controls.replaceChildren(...parts);
    controls.classList.toggle("is-sending", sent !== null);
    if (before) controls.querySelector(`[data-focus="${CSS.escape(before)}"]`)?.focus({ preventScroll: true });
  }

  function moveButton(parsed, at, isMain) {
    const key = at < 9 ? el("kbd.key", { "aria-hidden": "true" }, String(at + 1)) : null;
    return el(
      `button.button${isMain && at === 0 ? ".primary" : ""}`,
      { type: "button", disabled: sent !== null, dataset: { move: parsed.move, focus: parsed.move, number: String(at + 1) } },
      key,
      capital(moveLabel(parsed.move, store.names)),
    );
  }

  /** For bets, and for how deep to go into the pile: a number between two bounds. */
  function stepper(open) {
    const values = open.map((parsed) => parsed.number);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    number = Math.min(most, Math.max(least, number ?? least));
    const verb = open[0].verb;
    const label = layout.numberLabel?.(verb) ?? say("number");
    const input = el("input.stepper-number", { type: "number", id: "stepper", min: String(least), max: String(most), value: String(number), inputMode: "numeric", dataset: { focus: "stepper" } });
    const go = el("button.button.primary", { type: "button", disabled: sent !== null, dataset: { act: "number", focus: "number" } });
    const relabel = () => {
      const parsed = open.find((each) => each.number === number);
      go.disabled = !parsed || sent !== null;
      go.textContent = parsed ? moveLabel(parsed.move, store.names) : say("number");
      layout.numberShown?.(verb, number);
    };
    const set = (value) => {
      number = Math.min(most, Math.max(least, value));
      input.value = String(number);
      relabel();
    };
    input.addEventListener("input", () => {
      number = Math.round(Number(input.value));
      relabel();
    });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !go.disabled) go.click();
    });
    relabel();
    const step = (by, name, word) => {
      const button = el("button.button.step", { type: "button", "aria-label": word, dataset: { focus: name } }, by < 0 ? "−" : "+");
      button.addEventListener("click", () => set(number + by));
      return button;
    };
    return el("div.stepper", {}, el("label", { htmlFor: "stepper" }, label), el("div.stepper-row", {}, step(-1, "less", say("less")), input, step(1, "more", say("more")), go));
  }

  /** Every legal move in one numbered list: the surest way for who can't see or point. */
  function allMoves() {
    const list = el("details.more.all-moves", {}, el("summary", { dataset: { focus: "all" } }, say("all_moves", { n: moves.length })));
    list.open = isListOpen;
    list.addEventListener("toggle", () => {
      isListOpen = list.open;
      if (list.open && !list.querySelector("ol")) list.append(listed());
    });
    if (list.open) list.append(listed());
    return list;
  }

  const listed = () =>
    el("ol.move-list", {}, ...moves.slice(0, MOST_LISTED).map(({ move }) => el("li", {}, el("button.button.quiet", { type: "button", disabled: sent !== null, dataset: { move, focus: `list ${move}` } }, capital(moveLabel(move, store.names))))));

  function submit(move) {
    if (sent !== null) return;
    sent = move;
    explain("");
    paint();
    send(move);
  }

  function explain(text, tone = "") {
    said.textContent = text;
    said.dataset.tone = tone;
  }

  /** Touch a card: choose it, put it back, or, with one move left, make that. */
  function touch(key, { direct = isDirect() } = {}) {
    const code = codeOf(key);
    if (chosen.includes(key)) {
      const done = ready();
      if (done.length === 1) submit(done[0].move);
      else {
        chosen = chosen.filter((other) => other !== key);
        paint();
      }
      return;
    }
    if (!moves.length || sent !== null) {
      if (store.status === "running" && store.you !== null) explain(say("cannot_turn"), "warn");
      return;
    }
    if (!candidates().some(({ left }) => wants(left, code))) {
      // Where one card is a whole move, touching another one changes the mind.
      const alone = moves.some((parsed) => missing(parsed, [code]) !== null);
      if (!alone) {
        explain(layout.why?.(store, code) ?? say(chosen.length ? "cannot_with" : "cannot", { card: cardName(code) }), "warn");
        return;
      }
      chosen = [];
    }
    chosen.push(key);
    explain("");
    const done = ready();
    if (direct && done.length === 1 && candidates().length === 1) submit(done[0].move);
    else {
      paint();
      reveal();
    }
  }

  /** What is to be pressed next must not lie below the screen. */
  function reveal() {
    controls.querySelector("[data-move], [data-act]")?.scrollIntoView({ block: "nearest" });
  }

  function target(name) {
    const aimed = ready().filter((parsed) => parsed.target === name && parsed.number === null);
    if (aimed.length === 1) submit(aimed[0].move);
  }

  function cancel() {
    if (!chosen.length) return false;
    chosen = [];
    explain("");
    paint();
    return true;
  }

  /** One card of the hand is in the tab order; arrows lead to the others. */
  function rove() {
    const held = touchable();
    const current = held.find((card) => card === document.activeElement) ?? held.find((card) => card.classList.contains("is-chosen")) ?? held.find((card) => card.classList.contains("is-usable")) ?? held[0];
    for (const card of held) card.tabIndex = card === current ? 0 : -1;
  }

  const touchable = () => [...document.querySelectorAll("button.playing-card")];

  function arrow(card, key) {
    const held = touchable();
    const at = held.indexOf(card);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: held.length - 1, ArrowDown: below(held, card, 1), ArrowUp: below(held, card, -1) }[key];
    const next = held[(to + held.length) % held.length];
    for (const other of held) other.tabIndex = other === next ? 0 : -1;
    next?.focus();
  }

  /** The nearest card of the next row down or up; the same card if there is none. */
  function below(held, card, way) {
    const here = card.getBoundingClientRect();
    const far = held
      .map((other, at) => ({ at, rect: other.getBoundingClientRect() }))
      .filter(({ rect }) => (rect.top - here.top) * way > here.height * 0.25)
      .map(({ at, rect }) => ({ at, score: Math.abs(rect.top - here.top) * 3 + Math.abs(rect.left - here.left) }))
      .sort((one, other) => one.score - other.score);
    return far[0]?.at ?? held.indexOf(card);
  }

  /** Touching a card of the pile chooses how deep to take it. */
  function touchPile(card) {
    const pile = [...document.querySelectorAll('#felt [data-zone="discard"] .playing-card')];
    const depth = pile.length - pile.indexOf(card);
    if (!numbers().some((parsed) => parsed.number === depth)) return;
    number = depth;
    paintControls();
    reveal();
  }

  document.addEventListener("click", (event) => {
    const lain = event.target.closest('#felt [data-zone="discard"] .playing-card');
    if (lain && numbers().some(({ target }) => target === "discard")) {
      touchPile(lain);
      return;
    }
    const button = event.target.closest("[data-move], [data-act], button.playing-card, .is-target");
    if (!button || !document.getElementById("table").contains(button)) return;
    if (button.dataset.move) submit(button.dataset.move);
    else if (button.dataset.act === "cancel") cancel();
    else if (button.dataset.act === "number") {
      const parsed = numbers().find((each) => each.number === number);
      if (parsed) submit(parsed.move);
    } else if (button.matches("button.playing-card")) touch(button.dataset.key);
    else target(button.dataset.target);
  });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
    if (event.key === "Escape" && cancel()) event.preventDefault();
    if (event.target.matches("button.playing-card") && /^Arrow|^Home$|^End$/.test(event.key)) {
      event.preventDefault();
      arrow(event.target, event.key);
    }
    if (/^[1-9]$/.test(event.key)) controls.querySelector(`[data-number="${event.key}"]`)?.click();
  });

  return {
    update,
    reveal,
    /** The card that the move is for goes back to being chosen or free. */
    refused(reason) {
      sent = null;
      explain(reason, "bad");
      paint();
    },
    hasMoves: () => moves.length > 0,
    /** A card dragged onto the table: the move it makes, if it is one. */
    dropped(key, name) {
      if (!chosen.includes(key)) touch(key, { direct: false });
      const done = ready();
      if (done.length === 1) submit(done[0].move);
      else if (name) target(name);
    },
  };
}

const codeOf = (key) => key.split("#")[0];
