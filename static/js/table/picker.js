/** Choose a move by touching cards; everything follows from the list of legal moves. */

import { el, focused, targetOf } from "./el.js";
import { drawHeld } from "./hold.js";
import { arrow, rove } from "./keys.js";
import { makeMoveList } from "./move_list.js";
import { CLOTH, candidatesOf, choiceWith, codeOf, isAt, parse, wants } from "./moves.js";
import { makePress } from "./press.js";
import { makeStepper } from "./stepper.js";
import { capital, moveLabel, say } from "./words.js";

/** The most buttons; more moves are in the list of all moves. */
const MOST_BUTTONS = 12;

/**
 * @param {object} options
 * @param {Found} options.controls - the place of the buttons
 * @param {Found} options.said - the line for the effect of a choice, and for refusals
 * @param {Table} options.table - of the renderer: the store, and functions that draw
 * @param {Layout} options.layout - of the game; its `attempt`, `preview`, `question`, `option`, `choices`, `standing`,
 *   `numberLabel`, `numberShown` and `numberSaid` may add to a choice
 * @param {() => Cards} options.cards - visible card elements, by key
 * @param {Hold} options.hold
 * @param {(move: string) => void} options.why - asks the server which rule forbids a move
 * @param {() => boolean} options.isDirect - whether one touch plays
 * @param {() => boolean} options.hasHints - whether playable cards are marked before any touch
 * @param {() => boolean} options.isUnanswered - whether the server hasn't answered a move yet
 * @param {(key: string) => boolean} options.touched - whether the plan handles the touch of a card
 */
export function makePicker({
  controls,
  said,
  table,
  layout,
  cards,
  hold,
  why,
  isDirect,
  hasHints,
  isUnanswered,
  touched,
}) {
  const { store } = table;
  /** @type {Parsed[]} */
  let moves = [];
  /** @type {string[]} - keys of the chosen cards, in the order of touching */
  let chosen = [];
  /** @type {string | null} - key of the card being dragged */
  let lifted = null;
  /** @type {string | null} */
  let sent = null;
  /**
   * Keys of cards touched while a move was being sent: they are chosen when it is made.
   * @type {Set<string>}
   */
  const early = new Set();
  /** Whether the page moves the focus, not the player. */
  let isFocusing = false;
  const stepper = makeStepper({ layout, table, why, explain });
  const list = makeMoveList(controls, (parsed) => labelOf(parsed));

  const codes = () => chosen.map(codeOf);
  const candidates = (choice = chosen) => candidatesOf(moves, choice);
  const ready = (choice = chosen) => candidates(choice).filter(({ left }) => left.length === 0);
  /** Moves that differ in a number; a single one is a button like any other. */
  const numbers = () =>
    layout.choosesNumber?.(table) === false ? [] : ready().filter((parsed) => parsed.number !== null);
  /** @param {Candidate} parsed */
  const isPressed = (parsed) => parsed.number === null || !numbers().length;
  /**
   * The moves of the buttons: the complete ones, or those that the game makes of the choice.
   * @param {string[]} [choice]
   * @returns {Candidate[]}
   */
  const offered = (choice = chosen) =>
    (choice.length && layout.choices ? layout.choices(candidates(choice)) : ready(choice)).filter(isPressed);
  const isBusy = () => sent !== null || hold.heldMove() !== null;

  /**
   * Take a new view; `isNews` if something has happened in the match, and not only on the page.
   * @param {{ isNews: boolean }} how
   */
  function update({ isNews }) {
    // Other players' moves, such as a sealed choice, leave the chosen cards as they are; only an own move uses them up.
    const isMade = isNews && sent !== null && !isUnanswered();
    if (isMade) sent = null;
    // Slaps have their own control, and the table requests its own cards.
    moves = store.view.moves
      .filter((move) => move !== "slap" && move !== "flip")
      .map((move) => parse(move, layout.pile));
    const held = hold.heldMove();
    if (held !== null && !store.view.moves.includes(held)) hold.takeBack();
    if (hold.heldMove() === null) chosen = isMade ? [] : chosen.filter((key) => cards().get(key)?.tagName === "BUTTON");
    if (candidates().length === 0) chosen = [];
    if (isMade || !moves.length) stepper.reset();
    if (isNews && moves.length && !chosen.length && hold.heldMove() === null) explain("");
    paint();
    if (isMade) touchEarly();
  }

  /** Choose the cards touched while a move was being sent; this never plays them, which would surprise the player. */
  function touchEarly() {
    const keys = [...early];
    early.clear();
    if (!moves.length) return;
    for (const key of keys) if (cards().get(key)?.tagName === "BUTTON") touch(key, { direct: false });
  }

  function paint() {
    const open = candidates();
    // Before a draw no card of the hand is usable, so none is marked.
    const usesCards = chosen.length > 0 || open.some(({ left }) => left.length > 0);
    for (const [key, card] of cards()) {
      if (card.tagName !== "BUTTON") continue;
      const isChosen = chosen.includes(key);
      const usable = isChosen || open.some(({ left }) => wants(left, codeOf(key)));
      card.classList.toggle("is-chosen", isChosen);
      card.classList.toggle("is-usable", usable && moves.length > 0);
      card.classList.toggle("is-hinted", hasHints() && usable && !isChosen && moves.length > 0 && usesCards);
      card.classList.toggle("is-useless", !usable && usesCards);
      card.setAttribute("aria-pressed", String(isChosen));
      card.setAttribute("aria-disabled", String(!usable));
    }
    paintTargets();
    rove();
    if (chosen.length && !isBusy()) preview();
    paintControls();
  }

  /** Mark where the moves go. Places for cards aren't marked until a card is chosen or dragged, even with hints. */
  function paintTargets() {
    const choice = lifted === null ? chosen : choiceWith(lifted, chosen, moves, layout.keepsChoice);
    const aims = choice ? [...ready(choice), ...(choice.length ? offered(choice) : [])] : [];
    const places = [...document.querySelectorAll("[data-target]")];
    const names = new Set(places.map(({ dataset }) => dataset.target));
    // A dragged card whose move has no place of its own goes to the cloth.
    const targets = new Set(
      aims.map(({ target }) => (lifted === null || names.has(target ?? undefined) ? target : CLOTH)),
    );
    for (const place of places)
      place.classList.toggle("is-target", targets.has(place.dataset.target ?? "") && store.you !== null);
  }

  /** What the chosen cards make, before they are played. */
  function preview() {
    const text = layout.preview?.(table, { chosen: codes(), ready: ready(), open: candidates() }) ?? "";
    if (text || said.dataset.tone === "info") explain(text, "info");
  }

  function paintControls() {
    const before = controls.contains(focused()) ? focused()?.dataset.focus : null;
    const parts = hold.heldMove() === null ? choosing() : [holding()];
    // Unchanged buttons stay: replacing one would lose a press that has begun on it. The stepper keeps itself.
    const there = [...controls.children];
    const isSame =
      there.length === parts.length &&
      parts.every((part, at) => part === there[at] || (!part.matches(".stepper") && part.isEqualNode(there[at])));
    if (!isSame) controls.replaceChildren(...parts);
    controls.classList.remove("awaits-number");
    controls.classList.toggle("is-sending", sent !== null);
    if (before) focusOn(controls.querySelector(`[data-focus="${CSS.escape(before)}"]`) ?? next());
    // A button that is removed under the pointer fires no event.
    if (!isSame) aim(controls.contains(focused()) ? focused()?.dataset.aims : undefined);
  }

  /** Where the focus goes when its button has gone: else it would be lost, and the page read from its beginning. */
  const next = () => document.querySelector("#hand button[tabindex='0']") ?? controls.querySelector("button");

  /** @param {Found | null} element */
  function focusOn(element) {
    isFocusing = true;
    element?.focus({ preventScroll: true });
    isFocusing = false;
  }

  /** @param {string | undefined} name - the place that a button aims at */
  function aim(name) {
    for (const place of document.querySelectorAll("[data-target]"))
      place.classList.toggle("is-aimed", name !== undefined && place.dataset.target === name);
  }

  /**
   * Buttons while a move is on its way: they do nothing, but keep the focus, which disabled ones would lose.
   * @returns {Record<string, string>}
   */
  const sending = () => (sent === null ? {} : { "aria-disabled": "true" });

  function choosing() {
    // The only legal move needs no touched card first.
    const done = (moves.length === 1 ? candidates() : offered()).filter(isPressed);
    // Gold marks the only move of the choice; among several it would look like advice.
    const isMain = moves.length === 1 || (chosen.length > 0 && !numbers().length && done.length === 1);
    const buttons = done.slice(0, MOST_BUTTONS).map((parsed, at) => moveButton(parsed, at, isMain));
    if (chosen.length)
      buttons.push(
        el("button.button.quiet", { type: "button", dataset: { act: "cancel", focus: "cancel" } }, say("cancel")),
      );
    else {
      // Buttons of every turn keep their place, enabled or not.
      const order = layout.standing?.(table) ?? [];
      /** @param {Found} button */
      const placeOf = ({ dataset: { move, why: asked } }) => order.indexOf(move ?? asked ?? "") + 1 || order.length + 1;
      buttons.push(...greyed());
      buttons.sort((one, other) => placeOf(one) - placeOf(other));
    }
    const parts = [];
    const question = done.length > 1 && chosen.length ? layout.question?.(table, done) : null;
    if (numbers().length) parts.push(stepper.draw(numbers(), sent !== null));
    if (question) parts.push(el("p.control-question", { id: "question" }, question));
    if (buttons.length)
      parts.push(
        el(
          "div.control-buttons",
          { role: "group", ...(question ? { "aria-labelledby": "question" } : {}) },
          ...buttons,
        ),
      );
    if (moves.length > 1 && moves.some(({ needs }) => needs.length)) parts.push(list.draw(moves, sending()));
    return parts;
  }

  /** Moves of the game without cards that aren't legal now: they say why when pressed. */
  function greyed() {
    if (!moves.length) return [];
    const legal = new Set(store.view.moves);
    return (layout.standing?.(table) ?? [])
      .filter((move) => !legal.has(move))
      .map((move) =>
        el(
          "button.button",
          { type: "button", "aria-disabled": "true", dataset: { why: move, focus: `why ${move}` } },
          labelOf(parse(move)),
        ),
      );
  }

  /**
   * @param {Candidate} parsed
   * @param {number} at
   * @param {boolean} isMain
   */
  function moveButton(parsed, at, isMain) {
    // Where a number is asked for, digits type it; and a move that can't be undone has no key.
    const digit = at < 9 && !numbers().length && !layout.isFinal?.(parsed) ? String(at + 1) : null;
    return el(
      `button.button${isMain ? ".primary" : ""}`,
      {
        type: "button",
        ...sending(),
        dataset: {
          move: parsed.move,
          focus: parsed.move,
          ...(digit ? { number: digit } : {}),
          ...(parsed.target ? { aims: parsed.target } : {}),
        },
      },
      digit && el("kbd.key", { "aria-hidden": "true" }, digit),
      ...[layout.option?.(table, parsed, codes()) ?? labelOf(parsed)].flat(),
    );
  }

  /** @param {Parsed} parsed */
  const labelOf = ({ move }) => capital(moveLabel(move, store.names));

  const holding = () => drawHeld(labelOf(parse(hold.heldMove() ?? "")));

  /** @param {string} move */
  function submit(move) {
    if (isBusy()) return;
    explain("");
    if (!hold.submit(move)) sent = move;
    paint();
    if (hold.heldMove() !== null) controls.querySelector("[data-act=back]")?.focus({ preventScroll: true });
  }

  /**
   * @param {string} text
   * @param {string} [tone]
   */
  function explain(text, tone = "") {
    if (said.textContent !== text) said.textContent = text;
    said.dataset.tone = tone;
  }

  /**
   * Say why no move uses a card now.
   * @param {string} code
   */
  function refuse(code) {
    if (store.status !== "running" || store.you === null) return;
    const attempt = moves.length ? layout.attempt?.(table, code, codes()) : null;
    if (attempt) why(attempt);
    else explain(say(!moves.length ? "cannot_turn" : chosen.length ? "cannot_with" : "cannot"), "warn");
  }

  /**
   * Touch a card: choose it, put it back or, if one move is left, make that move.
   * @param {string} key
   * @param {{ direct?: boolean }} [options]
   */
  function touch(key, { direct = isDirect() } = {}) {
    if (touched(key)) return;
    if (sent !== null && !chosen.includes(key)) {
      if (!early.delete(key)) early.add(key);
      return;
    }
    if (chosen.includes(key)) {
      const done = offered();
      if (done.length === 1) submit(done[0].move);
      else {
        chosen = chosen.filter((other) => other !== key);
        explain("");
        paint();
      }
      return;
    }
    if (isBusy()) return;
    const choice = choiceWith(key, chosen, moves, layout.keepsChoice);
    if (!choice) return refuse(codeOf(key));
    chosen = choice;
    explain("");
    const done = ready();
    if (direct && done.length === 1 && candidates().length === 1) submit(done[0].move);
    else paint();
  }

  /** @param {string} name */
  function target(name) {
    const aimed = (chosen.length ? offered() : ready()).filter((parsed) => parsed.target === name && isPressed(parsed));
    if (aimed.length === 1) submit(aimed[0].move);
  }

  function cancel() {
    if (hold.heldMove() !== null) {
      takeBack();
      return true;
    }
    if (!chosen.length) return false;
    chosen = [];
    explain("");
    paint();
    return true;
  }

  function takeBack() {
    hold.takeBack();
    chosen = [];
    paint();
    focusOn(next());
    explain(say("taken_back"), "info");
  }

  /**
   * Touching a card of the pile chooses how deep to take, or says why it isn't possible.
   * @param {Element} card
   */
  function touchPile(card) {
    const pile = [...document.querySelectorAll('#felt [data-zone="discard"] .playing-card')];
    stepper.choose(pile.length - pile.indexOf(/** @type {Found} */ (card)));
  }

  const press = makePress((card) => touch(card.dataset.key ?? ""));
  document.addEventListener("click", (event) => {
    const meant = press.meantBy(event);
    if (meant) {
      if (meant.isConnected) touch(meant.dataset.key ?? "");
      return;
    }
    const lain = targetOf(event).closest('#felt [data-zone="discard"] .playing-card');
    if (lain && !chosen.length && numbers().some(({ target }) => target === "discard")) {
      touchPile(lain);
      return;
    }
    const button = targetOf(event).closest("[data-move], [data-act], [data-why], button.playing-card, .is-target");
    if (!button || !document.getElementById("table").contains(button)) return;
    const { move, act, why: asked } = button.dataset;
    if (move) submit(move);
    else if (asked) why(asked);
    else if (act === "cancel") cancel();
    else if (act === "back") takeBack();
    else if (act === "now") hold.release();
    else if (act === "number") {
      const parsed = stepper.chosen(numbers());
      if (parsed) submit(parsed.move);
    } else if (button.matches("button.playing-card")) touch(button.dataset.key ?? "");
    else if (button.dataset.target) target(button.dataset.target);
  });

  /**
   * A button with a target highlights it.
   * @param {Event} event
   */
  const point = (event) =>
    aim(
      event.type === "focusout" || event.type === "pointerout"
        ? undefined
        : targetOf(event).closest?.("[data-aims]")?.dataset.aims,
    );
  for (const type of ["pointerover", "pointerout", "focusin", "focusout"]) controls.addEventListener(type, point);

  /**
   * Say which moves a card has. Returns whether it has any.
   * @param {string} code
   */
  function tell(code) {
    const able = moves.filter((parsed) => wants(parsed.needs, code));
    const shown = able.slice(0, 3).map(labelOf).join(" · ");
    if (able.length) explain(able.length > 3 ? say("and_more", { shown, n: able.length - 3 }) : shown, "info");
    return able.length > 0;
  }

  /**
   * With hints, the card in focus or under the pointer shows its moves.
   * @param {Event} event
   */
  const hint = (event) => {
    const card = targetOf(event).closest?.("button.playing-card");
    if (!card || isFocusing || !hasHints() || chosen.length || isBusy() || !moves.length) return;
    tell(codeOf(card.dataset.key ?? ""));
  };
  document.addEventListener("focusin", hint);
  document.addEventListener("pointerover", hint);

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || targetOf(event).matches("input, select, textarea")) return;
    if (targetOf(event).closest("dialog, .log")) return; // these keys belong to what lies over the table
    if (event.key === "Escape" && cancel()) event.preventDefault();
    if (!event.shiftKey && targetOf(event).matches("button.playing-card") && /^Arrow|^Home$|^End$/.test(event.key)) {
      event.preventDefault();
      arrow(targetOf(event), event.key);
    }
    if (event.key === "m" || event.key === "M") list.open();
    if (!/^[0-9]$/.test(event.key)) return;
    if (numbers().length) stepper.type();
    else controls.querySelector(`[data-number="${event.key}"]`)?.click();
  });

  return {
    update,
    paint,
    explain,
    submit,
    isBusy,
    /**
     * The held move is being sent.
     * @param {string} move
     */
    released(move) {
      sent = move;
      paint();
    },
    /**
     * A move was refused: its card is chosen or free again.
     * @param {string} reason
     */
    refused(reason) {
      sent = null;
      early.clear();
      paint();
      explain(reason, "bad"); // instead of what the chosen cards lack
    },
    /**
     * Say what a card can do, or why it can do nothing; this makes and chooses nothing.
     * @param {string} key
     */
    asked(key) {
      if (!isBusy() && !tell(codeOf(key))) refuse(codeOf(key));
    },
    /**
     * A card is being dragged: show where its moves go; null when it has been let go.
     * @param {string | null} key
     */
    lifted(key) {
      lifted = isBusy() ? null : key;
      paintTargets();
    },
    /**
     * A card was dropped on the felt: make its only move there, or say that it doesn't go there.
     * @param {string} key
     * @param {string | null} name - of the place where it was dropped
     */
    dropped(key, name) {
      const before = chosen;
      if (!chosen.includes(key)) touch(key, { direct: false });
      if (isBusy() || !chosen.includes(key)) return;
      const there = offered().filter(({ target }) => isAt(target, name));
      if (there.length === 1) submit(there[0].move);
      if (candidates().some(({ target }) => isAt(target, name))) return;
      const cards = codes();
      chosen = before;
      paint();
      explain(say("cannot_there"), "warn");
      // The server names the rule, but not for a joker: a lay-off must say which card it stands for.
      if (name?.startsWith("meld:") && cards.every((code) => code[1] !== "J"))
        why(`lay:${cards.join("")}@${name.slice(5)}`);
    },
  };
}
