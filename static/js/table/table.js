/** The table page: brings the line, the store and everything that is drawn together. */

import { deal, remember, travel } from "./animation.js";
import { drawFaces, makeCard } from "./cards.js";
import { missedBy, startClocks } from "./clock.js";
import { makeHold } from "./hold.js";
import { layoutOf } from "./layouts.js";
import { makePicker } from "./picker.js";
import { makeRender } from "./render.js";
import { applySettings, set, settings } from "./settings.js";
import { connect, newId } from "./socket.js";
import { makeStore } from "./store.js";
import { say } from "./words.js";

const byId = (id) => document.getElementById(id);
const page = byId("table");
const store = makeStore(JSON.parse(byId("snapshot").textContent));
const layout = await layoutOf(page.dataset.slug);
const name = page.dataset.key;
const sort = byId("sort");

drawFaces();
startClocks();
const back = document.createElement("template");
back.id = "ghost-back";
back.content.append(makeCard(null));
document.body.append(back);

const render = makeRender({ felt: byId("felt"), ownSeat: byId("own-seat"), hand: byId("hand"), mine: byId("mine") }, store, layout);
/** What the first move can do without, when it is there, and the events that it has still to be told. */
let extras = null;
/** Whether this player has not seen all that the page came with. */
const isBack = store.version > Number(page.dataset.looked ?? Infinity);
let untold = [];
const speed = () => (store.slow ? "slow" : "live");
const hold = makeHold({
  name,
  form: page.dataset.form,
  store,
  send: (message) => socket.ask(message),
  isHolding: () => settings[`undo_${speed()}`] && !plan?.isOn(),
  gone: (move) => picker.released(move),
});
/** The question why a move can't be made that has no answer yet; asked again when the line is there. */
let asked = null;
const picker = makePicker({
  controls: byId("controls"),
  said: byId("said"),
  table: render.table,
  layout,
  cards: render.cards,
  hold,
  why(move) {
    asked = { t: "why", id: newId(), move };
    if (!socket.tell(asked)) picker.explain(say("cannot"), "warn");
  },
  isDirect: () => settings[`moves_${speed()}`] === "direct",
  hasHints: () => settings.hints,
  touched: (key) => plan?.touched(key.split("#")[0]) ?? false,
});
/** Plans of live tables; where the server keeps plans, its panel is there instead. */
const plan =
  store.you === null || store.slow || document.querySelector(".plan-panel")
    ? null
    : (layout.plan?.({ box: byId("plan"), name, store, submit: picker.submit, changed: paintPlan }) ?? null);
/** Whether the line has been lost since it last stood. */
let wasLost = false;
let lastTask = null;
const slapButton = byId("slap");
const { slaps } = layout;
const slap = slapButton && store.you !== null ? slaps.makeSlap(slapButton, store, (message) => socket.tell(message)) : null;
const point = slaps?.makePoint(byId("point"), page, store, (message) => socket.tell(message));

function receive(message) {
  switch (message.t) {
    case "rejected":
      return rejected(message);
    case "why":
      if (message.id !== asked?.id) return;
      asked = null;
      picker.explain(message.reason ?? say("cannot_with"), "warn");
      return;
    case "slapped":
      // Of the own hand only, and its control has said so.
      return;
    case "waiting":
      store.waiting = message.waiting;
      return drawWaiting();
    case "verdict":
      if (!point.tookVerdict(message)) slaps.showVerdict(message, store.names, store.you);
      return;
    case "watch":
      point.heard(message);
      return drawStatus();
    case "reload":
      location.reload();
      return;
    case "restart":
      return;
    case "ending":
      document.dispatchEvent(new Event("ending"));
      return;
    case "news":
      document.dispatchEvent(new Event("news"));
      return;
    case "talk":
    case "talk_removed":
    case "talk_again":
      document.dispatchEvent(new CustomEvent("talk", { detail: message }));
      return;
    default:
  }
  const before = remember(render.cards());
  const wasLive = store.isLive;
  const { version } = store;
  const change = store.take(message);
  if (store.version !== version) asked = null;
  if (store.isLive !== wasLive) document.dispatchEvent(new Event("ending"));
  if (change === "gap") socket.tell({ t: "since", v: store.version });
  else if (change === "snapshot") {
    layout.begin?.(render.table, store.log);
    untold = [];
    extras?.begun(message.log);
    draw([], before);
  } else if (change === "moved") {
    if (store.card !== null) slaps?.makeRoom();
    layout.happened?.(render.table, message.events);
    if (extras) extras.heard(message.v, message.events);
    else untold.push(message);
    draw(message.events, before);
    extras?.tell(message.events);
  } else if (change === "players") draw([], before, { isRedrawn: true });
}

/** Tell the owner of a seat that a stand-in has played for them. */
function drawMissed() {
  const text = missedBy(store);
  const box = byId("missed");
  if (box.textContent !== (text ?? "")) box.textContent = text ?? "";
  box.hidden = text === null;
}

/** What depends on who is here, and on whether the match is played live. */
function drawPace() {
  const people = store.players.filter((player) => player.kind === "person");
  document.dispatchEvent(new CustomEvent("present", { detail: { all: people.every((player) => player.online === true) } }));
  for (const field of document.querySelectorAll("#settings [data-speed]")) field.hidden = field.dataset.speed !== speed();
}

/** Draw the newest view; `isRedrawn` if nothing has happened in the match. */
function draw(events, before = null, { isRedrawn = false } = {}) {
  render.draw();
  drawMissed();
  if (before) travel(before, render.cards(), events);
  picker.update({ isNews: !isRedrawn });
  plan?.drawn();
  paintPlan();
  slap?.drawn();
  sort.hidden = render.table.isHandEmpty();
  point?.drawn();
  if (slapButton) slapButton.hidden = store.you === null || !layout.hasSlaps?.(store.view) || point?.isElsewhere();
  drawStatus();
  extras?.drawn();
  drawWaiting();
  drawPace();
  page.dataset.version = String(store.version);
  page.dataset.shows = String(store.roster);
}

/** Planned cards carry their place in the plan. */
function paintPlan() {
  if (!plan) return;
  for (const [key, card] of render.cards()) {
    if (card.tagName !== "BUTTON") continue;
    const at = plan.position(key.split("#")[0]);
    card.classList.toggle("is-planned", at > 0);
    if (plan.isOpen()) card.setAttribute("aria-disabled", "false");
    if (at) card.dataset.plan = String(at);
    else delete card.dataset.plan;
  }
}

function isMyTurn() {
  return store.status === "running" && store.you !== null && store.view.to_move.includes(store.you);
}

function drawStatus() {
  const status = byId("status");
  const waited = store.view.to_move.filter((seat) => seat >= 0);
  const forced = store.view.moves.length > 0 && store.view.moves.every((move) => move === "flip" || move === "slap");
  const watching = point?.status();
  const mine = watching ? watching.isMine : isMyTurn() && !forced;
  const task = watching?.text ?? (mine ? (layout.task?.(store) ?? null) : null);
  // A choice of another kind than the last may have its buttons below the screen.
  if (task !== null && task !== lastTask && !watching) picker.reveal();
  lastTask = task;
  status.textContent =
    store.status === "over"
      ? say("over")
      : mine || watching
        ? (task ?? say("your_turn"))
        : waited.length === 1
          ? waited[0] === store.you
            ? say("your_card")
            : say("turn_of", { name: store.names[waited[0]] })
          : waited.length
            ? say("choosing", { names: waited.map((seat) => store.names[seat]).join(", ") })
            : say("table_turn");
  status.classList.toggle("is-mine", mine);
  page.classList.toggle("is-my-turn", mine);
  extras?.turned(mine);
}

async function addExtras() {
  const { makeExtras } = await import("./extras.js");
  extras = makeExtras({ page, store, render, picker, layout, isBack });
  for (const { v, events } of untold) extras.heard(v, events);
  extras.drawn();
  extras.turned(page.classList.contains("is-my-turn"));
}

let waitingTimer = 0;
/** A table for two waits for the player who is gone: for whom, and how long it will at the most. */
function drawWaiting() {
  const banner = byId("waiting");
  if (!banner) return;
  clearInterval(waitingTimer);
  const { waiting } = store;
  banner.hidden = !waiting;
  if (!waiting) return;
  const end = performance.now() + waiting.seconds * 1000;
  const name = store.names[waiting.seat];
  byId("waiting-said").textContent = say("waiting_for", { name });
  const tick = () => {
    byId("waiting-left").textContent = say("waiting_left", { n: Math.max(0, Math.ceil((end - performance.now()) / 1000)) });
  };
  tick();
  waitingTimer = setInterval(tick, 1000);
}

function rejected({ id, code, reason }) {
  if (point?.isHere() || code === "late" || code === "early" || code === "elsewhere") slap?.refused(code, reason);
  else picker.refused(reason);
  if (code === "stale") socket.tell({ t: "since", v: store.version });
  return id;
}

function changed(state) {
  const banner = byId("connection");
  document.body.dataset.line = state;
  if (state === "open" && asked) socket.tell(asked);
  banner.hidden = state === "open" && !wasLost;
  banner.dataset.state = state;
  if (state === "open") {
    if (wasLost) {
      banner.textContent = say("back");
      setTimeout(() => (banner.hidden = banner.dataset.state === "open"), 2500);
    }
    wasLost = false;
    if (document.hidden) socket.tell({ t: "visible", on: false });
    return;
  }
  wasLost = true;
  banner.textContent = say(state === "signed_out" ? "signed_out" : "lost");
}

/** The order of the hand, in the menu and by a button beside it. */
const ORDERS = ["suit", "rank", "drawn", "own"];
function orderBy(order) {
  if (order !== settings.order) set("order", order);
  render.table.order = order;
  sort.textContent = say(`order_${order}`);
}
sort.addEventListener("click", () => {
  orderBy(ORDERS[(ORDERS.indexOf(settings.order) + 1) % ORDERS.length]);
  redraw();
});
render.ordered = () => {
  orderBy("own");
  picker.paint();
  paintPlan();
};

function redraw() {
  draw([], null, { isRedrawn: true });
}

applySettings(byId("settings"), () => {
  orderBy(settings.order);
  redraw();
});
orderBy(settings.order);
// Whoever comes back reads first what happened meanwhile: drawn without it, the table would be pushed down by it.
if (isBack) await addExtras();
layout.begin?.(render.table, store.log);
const socket = connect(page.dataset.socket, { version: () => store.version, receive, changed });
draw([]);
if (store.version === 0 && store.status === "running") deal(render.cards());
new ResizeObserver(() => render.arrange()).observe(page);
/** Whoever looks elsewhere is not waited for with a verdict. */
document.addEventListener("visibilitychange", () => socket.tell({ t: "visible", on: !document.hidden }));
hold.resume();
page.dataset.ready = "";

if (!extras) await addExtras();
page.dataset.complete = "";
