/**
 * Planned cards at a live table: the page plays them one after the other when their turns come.
 *
 * The plan is in this tab and survives a reload. It ends with the tab, so no cards are played for an absent player. In
 * turn-based matches the server stores plans instead.
 */

import { el, focused, setChildren } from "./el.js";
import { say } from "./words.js";

/**
 * @param {object} options
 * @param {Found} options.box - for the plan
 * @param {string} options.name - of the match
 * @param {Store} options.store
 * @param {(code: string) => string} options.moveOf - the move that plays a card
 * @param {(codes: string[]) => Element[]} options.signs - cards as signs
 * @param {(move: string) => void} options.submit
 * @param {() => boolean} options.isBusy - whether a move has no answer yet
 * @param {() => void} options.changed - called when cards must be painted again
 */
export function makePlan({ box, name, store, moveOf, signs, submit, isBusy, changed }) {
  const KEY = `armani.plan.${name}.${store.you}`;
  /** @type {string[]} */
  let codes = [];
  /** @type {"off" | "making" | "on"} */
  let state = "off";
  try {
    codes = JSON.parse(sessionStorage.getItem(KEY) ?? "null") ?? [];
    state = codes.length ? "on" : "off";
  } catch {
    // No storage: no earlier plan.
  }

  const held = () => store.zone(`hand:${store.you}`)?.cards ?? [];

  function keep() {
    try {
      sessionStorage.setItem(KEY, JSON.stringify(state === "on" ? codes : []));
    } catch {
      // Without storage, the plan lasts until the page is left.
    }
  }

  /** @param {"off" | "making" | "on"} next */
  function to(next) {
    state = next;
    if (state === "off") codes = [];
    keep();
    draw();
    changed();
    if (state === "on") go();
  }

  /**
   * @param {string} label
   * @param {"off" | "making" | "on"} act
   * @param {string} [kind]
   */
  function button(label, act, kind = "") {
    const made = el(`button.button${kind}`, { type: "button", dataset: { focus: act } }, label);
    made.addEventListener("click", () => to(act));
    return made;
  }

  function draw() {
    const focus = box.contains(focused()) ? focused()?.dataset.focus : null;
    box.hidden = store.status !== "running" || store.you === null;
    const said = codes.length ? [el("span", {}, say("plan_cards")), ...signs(codes)] : [];
    const parts = {
      off: [button(say("plan_make"), "making", ".quiet")],
      making: [
        el("p.plan-said", { role: "status" }, ...(said.length ? said : [say("plan_help")])),
        button(say("plan_start"), "on", ".primary"),
        button(say("cancel"), "off", ".quiet"),
      ],
      on: [
        el("p.plan-said", { role: "status" }, ...(said.length ? said : [say("plan_done")])),
        button(say("plan_stop"), "off"),
      ],
    }[state];
    const start = parts.find((part) => part.dataset?.focus === "on");
    if (start) start.disabled = !codes.length;
    // Unchanged buttons stay: replacing one would lose a press that has begun on it.
    const there = [...box.children];
    setChildren(
      box,
      parts.map((part, at) => (there[at]?.isEqualNode(part) ? there[at] : part)),
    );
    if (focus)
      (box.querySelector(`[data-focus="${focus}"]`) ?? box.querySelector("button"))?.focus({ preventScroll: true });
  }

  /** Play the next card, if it is this seat's turn. */
  function go() {
    if (state !== "on" || isBusy() || !store.view.moves.length) return;
    codes = codes.filter((code) => held().includes(code));
    const [next] = codes;
    if (next === undefined) return to("off");
    codes = codes.slice(1);
    keep();
    draw();
    submit(moveOf(next));
    if (!codes.length) to("off");
  }

  return {
    /**
     * A card was touched: while the plan is being made, add or remove it.
     * @param {string} code
     */
    touched(code) {
      if (state === "off") return false;
      codes = codes.includes(code) ? codes.filter((other) => other !== code) : [...codes, code];
      keep();
      draw();
      changed();
      return true;
    },
    /**
     * The position of a card in the plan, from 1; 0 if it is not planned.
     * @param {string} code
     */
    position: (code) => codes.indexOf(code) + 1,
    isOn: () => state === "on",
    /** Whether touching a card changes the plan, even on another player's turn. */
    isOpen: () => state !== "off",
    /** After each drawing: update the plan, and play its next card. */
    drawn() {
      codes = codes.filter((code) => held().includes(code));
      if (state === "on" && !codes.length) state = "off";
      draw();
      go();
    },
  };
}
