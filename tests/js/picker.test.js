import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { makePage } from "./page.js";

const document = makePage("rummy-500");
const { makePicker } = await import("../../static/js/table/picker.js");
const { el } = await import("../../static/js/table/el.js");

let sent = [];
let asked = [];
let held = null;
let settings = {};
let taken = [];
const view = { moves: [], to_move: [0], zones: [], facts: {} };
const store = { you: 0, status: "running", names: ["Ada", "Ben"], view };
const cards = new Map();
const layout = {};
const hold = {
  submit(move) {
    sent.push(move);
    if (settings.holds) held = move;
    return Boolean(settings.holds);
  },
  heldMove: () => held,
  takeBack() {
    held = null;
  },
  release() {
    sent.push(`now ${held}`);
    held = null;
  },
};
const hand = document.getElementById("hand");
const controls = document.getElementById("controls");
const said = document.getElementById("said");
const picker = makePicker({
  controls,
  said,
  table: {
    store,
    get view() {
      return store.view;
    },
    get facts() {
      return store.view.facts;
    },
  },
  layout,
  cards: () => cards,
  hold,
  why: (move) => asked.push(move),
  isDirect: () => Boolean(settings.direct),
  hasHints: () => Boolean(settings.hints),
  isUnanswered: () => Boolean(settings.unanswered),
  touched: (key) => taken.includes(key),
});

/** Lay these cards into the hand, and offer these moves. */
function offer(codes, moves, { isNews = true } = {}) {
  hand.replaceChildren();
  cards.clear();
  for (const code of codes) {
    const key = `${code}#0`;
    const card = el("button.playing-card", { dataset: { key } });
    hand.append(card);
    cards.set(key, card);
  }
  store.view = { ...view, moves };
  picker.update({ isNews });
}
const card = (code) => cards.get(`${code}#0`);
const press = (element) => element.dispatchEvent(new Event("click", { bubbles: true }));
const buttons = () => [...controls.querySelectorAll(".control-buttons button")].map((button) => button.textContent);
const keydown = (target, key, more = {}) => {
  const event = new Event("keydown", { bubbles: true, cancelable: true });
  Object.assign(event, { key, ...more });
  target.dispatchEvent(event);
};

beforeEach(() => {
  [sent, asked, held, settings, taken] = [[], [], null, {}, []];
  for (const name of Object.keys(layout)) delete layout[name];
  store.status = "running";
  store.you = 0;
  offer([], []);
  sent = [];
});

test("a card is chosen by a touch, put back by Escape, and played by its button", () => {
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  assert.equal(card("3C").getAttribute("aria-pressed"), "true");
  keydown(document.body, "Escape");
  assert.equal(card("3C").getAttribute("aria-pressed"), "false");
  press(card("4C"));
  press(controls.querySelector("[data-move]"));
  assert.deepEqual(sent, ["discard:4C"]);
});

test("touching another card changes the mind, touching it again plays", () => {
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  press(card("4C"));
  assert.equal(card("3C").getAttribute("aria-pressed"), "false");
  press(card("4C"));
  assert.deepEqual(sent, ["discard:4C"]);
});

test("a number is asked for, unless the game has none to choose: then its move is a button", () => {
  offer(["3C"], ["draw:stock", "take:1", "take:2"]);
  assert.ok(controls.querySelector(".stepper"));
  layout.choosesNumber = () => false;
  offer(["3C"], ["draw:stock", "take:1"]);
  assert.equal(controls.querySelector(".stepper"), null);
  assert.equal(buttons().length, 2);
  press(controls.querySelector('[data-move="take:1"]'));
  assert.deepEqual(sent, ["take:1"]);
});

test("where one touch plays, it does", () => {
  settings.direct = true;
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  assert.deepEqual(sent, ["discard:3C"]);
  press(card("4C"));
  assert.deepEqual(sent, ["discard:3C"], "nothing more goes before the answer");
});

test("cards touched while a move is on its way are chosen when it has been made, and don't play", () => {
  offer(["3C", "4C", "5C"], ["draw:stock"]);
  press(controls.querySelector("[data-move]"));
  for (const code of ["3C", "4C", "5C", "3C"]) press(card(code));
  assert.equal(hand.querySelector(".is-chosen"), null);
  settings.direct = true;
  offer(["3C", "4C", "5C", "9H"], ["discard:3C", "discard:4C", "meld:4C5C9H"]);
  assert.deepEqual(
    [...hand.querySelectorAll(".is-chosen")].map(({ dataset }) => dataset.key),
    ["4C#0", "5C#0"],
  );
  assert.deepEqual(sent, ["draw:stock"]);
});

test("cards touched while a move is on its way are left alone when it is refused", () => {
  offer(["3C", "4C"], ["draw:stock", "discard:3C", "discard:4C"]);
  press(controls.querySelector("[data-move='draw:stock']"));
  press(card("3C"));
  picker.refused("Not now.");
  offer(["3C", "4C"], ["draw:stock", "discard:3C", "discard:4C"]);
  assert.equal(hand.querySelector(".is-chosen"), null);
});

test("a refusal is read, even where chosen cards say what they lack", (t) => {
  t.after(() => delete layout.preview);
  layout.preview = () => "2 more cards make a run.";
  offer(["8S"], ["discard:8S", "meld:8S9STS"]);
  press(card("8S"));
  assert.equal(said.textContent, "2 more cards make a run.");
  picker.submit("discard:8S");
  picker.refused("You may do that. But here: meld the run.");
  assert.equal(said.textContent, "You may do that. But here: meld the run.");
});

test("several cards make one move", () => {
  offer(["3C", "4C", "5C", "9H"], ["meld:3C4C5C"]);
  for (const code of ["3C", "4C", "5C"]) press(card(code));
  assert.ok(card("9H").classList.contains("is-useless"));
  assert.equal(buttons().length, 2);
  keydown(document.body, "1");
  assert.deepEqual(sent, ["meld:3C4C5C"]);
});

test("keys belong to a dialog over the table, not to the table", () => {
  offer(["3C", "4C", "5C"], ["meld:3C4C5C"]);
  for (const code of ["3C", "4C", "5C"]) press(card(code));
  const dialog = el("dialog", {}, el("button", {}));
  document.body.append(dialog);
  keydown(dialog.firstElementChild, "1");
  keydown(dialog.firstElementChild, "Escape");
  dialog.remove();
  assert.deepEqual(sent, []);
  keydown(document.body, "1");
  assert.deepEqual(sent, ["meld:3C4C5C"]);
});

test("a card that no move uses says so, and the server is asked where the game knows what to ask", () => {
  offer(["3C", "9H"], ["meld:3C4C5C", "discard:3C"]);
  press(card("9H"));
  assert.equal(said.dataset.tone, "warn");
  layout.attempt = (_table, code) => `discard:${code}`;
  press(card("9H"));
  assert.deepEqual(asked, ["discard:9H"]);
});

test("out of turn a touch says that it is not one's turn", () => {
  offer(["3C"], []);
  press(card("3C"));
  assert.equal(said.textContent, "It's not your turn.");
  assert.deepEqual(sent, []);
});

test("a move that is held can be taken back, or sent now", () => {
  settings.holds = true;
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  press(card("3C"));
  assert.equal(held, "discard:3C");
  press(controls.querySelector("[data-act=back]"));
  assert.equal(held, null);
  assert.equal(card("3C").getAttribute("aria-pressed"), "false");
  press(card("4C"));
  press(card("4C"));
  press(controls.querySelector("[data-act=now]"));
  assert.equal(sent.at(-1), "now discard:4C");
  picker.released("discard:4C");
  assert.ok(controls.classList.contains("is-sending"));
  picker.refused("Too late.");
  assert.equal(said.textContent, "Too late.");
  assert.equal(said.dataset.tone, "bad");
});

test("Escape takes back what is held; a move that is no longer legal is dropped by itself", () => {
  settings.holds = true;
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  press(card("3C"));
  keydown(document.body, "Escape");
  assert.equal(held, null);
  press(card("3C"));
  press(card("3C"));
  offer(["3C", "4C"], ["discard:4C"]);
  assert.equal(held, null);
});

test("a place that moves aim at takes them", () => {
  const stock = el("div", { dataset: { target: "stock" } });
  document.getElementById("felt").replaceChildren(stock);
  layout.choosesNumber = () => false;
  offer(["3C"], ["draw:stock", "take:1"]);
  assert.ok(stock.classList.contains("is-target"));
  press(stock);
  assert.deepEqual(sent, ["draw:stock"]);
});

test("a card let go on the table makes its move; one that can't be chosen makes none", () => {
  const pile = el("div", { dataset: { target: "discard" } });
  document.getElementById("felt").replaceChildren(pile);
  offer(["3C", "9H"], ["draw:stock"]);
  picker.dropped("9H#0", "discard");
  assert.deepEqual(sent, []);
  offer(["3C", "9H"], ["discard:3C", "swap:3C@1"]);
  picker.dropped("3C#0", "discard");
  assert.deepEqual(sent, ["discard:3C"]);
});

test("a card let go on a place where none of its moves goes stays in the hand, as chosen or free as it was", () => {
  offer(["9H", "3C"], ["discard:9H", "discard:3C", "lay:3C@2"]);
  for (const place of ["meld:1", "meld:2", "melds", "stock", "seat:1"]) {
    said.textContent = "";
    picker.dropped("9H#0", place);
    assert.equal(said.textContent, "This card doesn't go there.", place);
    assert.equal(hand.querySelector(".is-chosen"), null);
  }
  assert.deepEqual(asked, ["lay:9H@1", "lay:9H@2"]);
  press(card("9H"));
  picker.dropped("3C#0", "meld:1");
  assert.deepEqual(
    [...hand.querySelectorAll(".is-chosen")].map(({ dataset }) => dataset.key),
    ["9H#0"],
  );
  assert.deepEqual(sent, []);
  picker.dropped("3C#0", "meld:2");
  assert.deepEqual(sent, ["lay:3C@2"]);
});

test("a joker let go on a meld where it doesn't fit is refused without asking which card it stands for", () => {
  offer(["RJ"], ["discard:RJ"]);
  picker.dropped("RJ#0", "meld:1");
  assert.equal(said.textContent, "This card doesn't go there.");
  assert.deepEqual([sent, asked], [[], []]);
});

test("a card let go on the free cloth makes its only move, and stays chosen where it has several", () => {
  offer(["9H"], ["discard:9H"]);
  picker.dropped("9H#0", "centre");
  assert.deepEqual(sent, ["discard:9H"]);
  offer(["3C"], ["discard:3C", "lay:3C@2"]);
  picker.dropped("3C#0", null);
  assert.deepEqual(sent, ["discard:9H"]);
  assert.ok(card("3C").classList.contains("is-chosen"));
});

test("a card that is played into the middle may be let go on the pile there, but not on the stock", () => {
  offer(["9H"], ["play:9H", "draw"]);
  picker.dropped("9H#0", "stock");
  assert.deepEqual(sent, []);
  picker.dropped("9H#0", "discard");
  assert.deepEqual(sent, ["play:9H"]);
});

test("a card on its way shows where its moves go, and one without a move shows nothing", () => {
  const places = ["stock", "discard", "meld:1", "meld:2"].map((target) => el("div", { dataset: { target } }));
  document.getElementById("felt").replaceChildren(el("div.centre", { dataset: { target: "centre" } }, ...places));
  const marked = () => [...document.querySelectorAll(".is-target")].map(({ dataset }) => dataset.target);
  offer(["3C", "9H", "5D"], ["discard:3C", "lay:3C@2", "give:5D"]);
  picker.lifted("3C#0");
  assert.deepEqual(marked(), ["discard", "meld:2"]);
  assert.equal(hand.querySelector(".is-chosen"), null);
  picker.lifted("5D#0");
  assert.deepEqual(marked(), ["centre"], "a move without a place goes to the cloth");
  picker.lifted(null);
  assert.deepEqual(marked(), []);
  offer(["3C", "9H"], ["draw:stock"]);
  assert.deepEqual(marked(), ["stock"]);
  picker.lifted("9H#0");
  assert.deepEqual(marked(), [], "the card doesn't draw");
  picker.lifted(null);
});

test("the only move of a choice is gold, and none of several: that would be advice", () => {
  const gold = () => [...controls.querySelectorAll(".primary")].map(({ dataset }) => dataset.move);
  offer(["AS", "3C"], ["play:AS/C", "play:AS/D", "play:3C"]);
  press(card("AS"));
  assert.equal(controls.querySelectorAll("[data-move]").length, 2);
  assert.deepEqual(gold(), []);
  press(card("3C"));
  assert.deepEqual(gold(), ["play:3C"]);
  offer(["7C", "7D"], ["lay:7x1", "lay:7x2"]);
  layout.choices = (open) => open;
  press(card("7C"));
  assert.equal(controls.querySelectorAll("[data-move]").length, 2);
  assert.deepEqual(gold(), []);
});

test("a number is asked for, and digits go to it", () => {
  offer(["3C"], ["bet:2", "bet:5", "fold"]);
  const input = controls.querySelector("input");
  assert.equal(input.value, "2");
  press(controls.querySelectorAll(".step")[1]);
  assert.equal(controls.querySelector("input").value, "5");
  press(controls.querySelectorAll(".step")[0]);
  press(controls.querySelector("[data-act=number]"));
  assert.deepEqual(sent, ["bet:2"]);
  keydown(document.body, "1");
  assert.deepEqual(sent, ["bet:2"], "a digit is no press of a button");
});

test("a number that is not legal is no move", () => {
  offer(["3C"], ["bet:2", "bet:5", "fold"]);
  const input = controls.querySelector("input");
  input.value = "3";
  input.dispatchEvent(new Event("input"));
  assert.equal(controls.querySelector("[data-act=number]").disabled, true);
});

test("the pile is touched to say how deep it is taken", () => {
  const pile = el(
    "div",
    { dataset: { zone: "discard" } },
    el("span.playing-card"),
    el("span.playing-card"),
    el("span.playing-card"),
  );
  document.getElementById("felt").replaceChildren(pile);
  offer(["3C"], ["draw:stock", "take:1", "take:2"]);
  press(pile.children[1]);
  assert.equal(controls.querySelector("input").value, "2");
  press(pile.children[0]);
  assert.deepEqual(asked, ["take:3"]);
});

test("all moves stand in one list, opened by its key", () => {
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  keydown(document.body, "m");
  const list = controls.querySelector(".all-moves");
  assert.ok(list.open);
  list.dispatchEvent(new Event("toggle"));
  const listed = list.querySelectorAll("li button");
  assert.equal(listed.length, 2);
  press(listed[1]);
  assert.deepEqual(sent, ["discard:4C"]);
});

test("with hints a card says what it can do, and what can be played is marked", () => {
  settings.hints = true;
  offer(["3C", "9H"], ["discard:3C", "meld:3C4C5C"]);
  assert.ok(card("3C").classList.contains("is-hinted"));
  card("3C").dispatchEvent(new Event("focusin", { bubbles: true }));
  assert.equal(said.dataset.tone, "info");
  assert.notEqual(said.textContent, "");
});

test("a card that is asked about says what it can do, or why it can do nothing, and makes nothing", () => {
  settings.direct = true;
  offer(["3C", "9H"], ["discard:3C", "meld:3C4C5C"]);
  picker.asked("3C#0");
  assert.equal(said.textContent, "Discard the 3 of clubs · Meld the 3 of clubs, the 4 of clubs and the 5 of clubs");
  assert.equal(hand.querySelector(".is-chosen"), null);
  picker.asked("9H#0");
  assert.equal(said.textContent, "You can't play this card now.");
  offer(["3C"], []);
  picker.asked("3C#0");
  assert.equal(said.textContent, "It's not your turn.");
  assert.deepEqual(sent, []);
});

test("the game may offer, ask and foretell more", () => {
  Object.assign(layout, {
    choices: (open) => open,
    question: () => "Which?",
    preview: () => "It makes something.",
    standing: () => ["knock"],
    option: (_table, { move }) => `do ${move}`,
  });
  offer(["3C"], ["discard:3C", "swap:3C@1"]);
  assert.equal(controls.querySelector("[data-why]").dataset.why, "knock");
  press(controls.querySelector("[data-why]"));
  assert.deepEqual(asked, ["knock"]);
  press(card("3C"));
  assert.equal(said.textContent, "It makes something.");
  assert.equal(controls.querySelector("#question").textContent, "Which?");
  assert.ok(buttons().some((text) => text.endsWith("do discard:3C")));
  press(controls.querySelector("[data-act=cancel]"));
  assert.equal(card("3C").getAttribute("aria-pressed"), "false");
});

test("what a choice would do is no longer said when it has been made", () => {
  layout.preview = () => "It makes something.";
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  assert.equal(said.textContent, "It makes something.");
  press(card("3C"));
  assert.deepEqual(sent, ["discard:3C"]);
  assert.equal(said.textContent, "");
});

test("a card that goes into a plan is no choice", () => {
  taken = ["3C#0"];
  offer(["3C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  assert.equal(card("3C").getAttribute("aria-pressed"), "false");
});

test("what the others do takes nothing out of the hand", () => {
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  picker.update({ isNews: true });
  assert.equal(card("3C").getAttribute("aria-pressed"), "true");
});

test("until the server has answered a move, no news and no view of the whole match frees the player for another", () => {
  settings.unanswered = true;
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  press(card("3C"));
  press(controls.querySelector("[data-move]"));
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  assert.equal(picker.isBusy(), true);
  assert.equal(card("3C").getAttribute("aria-pressed"), "true");
  settings.unanswered = false;
  offer(["4C"], ["discard:4C"]);
  assert.equal(picker.isBusy(), false);
});

test("buttons can't be pressed while a move is on its way, and keep the focus that disabled ones would lose", () => {
  offer([], ["draw:stock", "draw:discard"]);
  press(controls.querySelector('[data-move="draw:stock"]'));
  const other = controls.querySelector('[data-move="draw:discard"]');
  assert.equal(other.getAttribute("aria-disabled"), "true");
  assert.equal(other.disabled, false);
  press(other);
  assert.deepEqual(sent, ["draw:stock"]);
});

test("a move that stands there in every turn keeps its place, whether it can be made or not", () => {
  layout.standing = () => ["draw", "pass"];
  offer(["3C", "4C"], ["play:3C", "draw"]);
  const before = [...controls.querySelectorAll(".control-buttons button")].map(
    (button) => button.dataset.move ?? button.dataset.why,
  );
  offer(["3C", "4C"], ["play:3C", "pass"]);
  const after = [...controls.querySelectorAll(".control-buttons button")].map(
    (button) => button.dataset.move ?? button.dataset.why,
  );
  assert.deepEqual(before, ["draw", "pass"]);
  assert.deepEqual(after, before);
});

test("with hints no place is a target before a card is chosen that may go there", () => {
  const pile = el("div", { dataset: { target: "discard" } });
  document.getElementById("felt").replaceChildren(pile);
  settings.hints = true;
  offer(["3C", "4C"], ["discard:3C", "discard:4C"]);
  assert.ok(!pile.classList.contains("is-target"));
  press(card("3C"));
  assert.ok(pile.classList.contains("is-target"));
});
