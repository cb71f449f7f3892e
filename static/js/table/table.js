/** The table page: brings the line, the store and everything that is drawn together. */

import { deal, remember, travel } from "./animation.js";
import { drawFaces, makeCard } from "./cards.js";
import { makeDrag } from "./drag.js";
import { makeLog } from "./log.js";
import { makePicker } from "./picker.js";
import { makeRender } from "./render.js";
import { makeResult } from "./result.js";
import { applySettings, settings } from "./settings.js";
import { makeSlap } from "./slap.js";
import { showPending, showVerdict } from "./verdict.js";
import { connect, newId } from "./socket.js";
import { makeStore } from "./store.js";
import { say } from "./words.js";

/** Written out, so that hashed names can be filled in. */
const LAYOUTS = {
  amagande: () => import("./games/amagande.js"),
  armani: () => import("./games/armani.js"),
  armed: () => import("./games/armed.js"),
  avalanche: () => import("./games/avalanche.js"),
  "basic-rummy": () => import("./games/rummy.js"),
  "normal-cards": () => import("./games/normal-cards.js"),
  "rummy-500": () => import("./games/rummy.js"),
  "ten-skip": () => import("./games/ten-skip.js"),
};

const byId = (id) => document.getElementById(id);
const page = byId("table");
const title = document.title;
const slug = page.dataset.slug;
const store = makeStore(JSON.parse(byId("snapshot").textContent));
const { default: layout } = await (LAYOUTS[slug] ?? (() => import("./games/any.js")))();

drawFaces();
const back = document.createElement("template");
back.id = "ghost-back";
back.content.append(makeCard(null));
document.body.append(back);

const render = makeRender({ felt: byId("felt"), ownSeat: byId("own-seat"), hand: byId("hand"), mine: byId("mine") }, store, layout);
const log = makeLog(byId("log"));
const result = makeResult(page, store);
const picker = makePicker({
  controls: byId("controls"),
  said: byId("said"),
  store,
  layout,
  cards: render.cards,
  send: (move) => socket.ask({ t: "move", id: newId(), v: store.version, move }),
  isDirect: () => settings.direct,
});
/** Whether the line has been lost since it last stood. */
let wasLost = false;
let lastTask = null;
const slapButton = byId("slap");
const slap = slapButton && store.you !== null ? makeSlap(slapButton, store, (message) => socket.tell(message)) : null;
makeDrag(byId("hand"), picker, render);

function receive(message) {
  switch (message.t) {
    case "rejected":
      return rejected(message);
    case "slapped":
      if (message.v === store.card) showPending(message.seats, store.names);
      return;
    case "verdict":
      showVerdict(message, store.names);
      return;
    case "reload":
      location.reload();
      return;
    case "restart":
      return;
    default:
  }
  const before = remember(render.cards());
  const change = store.take(message);
  if (change === "gap") socket.tell({ t: "since", v: store.version });
  else if (change === "snapshot") {
    log.catchUp(message.log);
    draw([], before);
  } else if (change === "moved") {
    log.add(message.v, message.events);
    draw(message.events, before);
  } else if (change === "players") draw([], before, { keep: true });
}


function draw(events, before = null, { keep = false } = {}) {
  render.draw();
  if (before) travel(before, render.cards(), events);
  picker.update({ keep: keep || !isMyTurn() });
  slap?.drawn();
  result.draw();
  drawStatus();
  page.dataset.version = String(store.version);
}

function isMyTurn() {
  return store.status === "running" && store.you !== null && store.view.to_move.includes(store.you);
}

function drawStatus() {
  const status = byId("status");
  const waited = store.view.to_move.filter((seat) => seat >= 0);
  const forced = store.view.moves.length > 0 && store.view.moves.every((move) => move === "flip" || move === "slap");
  const mine = isMyTurn() && !forced;
  const task = mine ? (layout.task?.(store) ?? null) : null;
  // A choice of another kind than the last may have its buttons below the screen.
  if (task !== null && task !== lastTask) picker.reveal();
  lastTask = task;
  status.textContent =
    store.status === "over"
      ? say("over")
      : mine
        ? (task ?? say("your_turn"))
        : waited.length === 1
          ? say("turn_of", { name: store.names[waited[0]] })
          : waited.length
            ? say("choosing", { names: waited.map((seat) => store.names[seat]).join(", ") })
            : say("table_turn");
  status.classList.toggle("is-mine", mine);
  page.classList.toggle("is-my-turn", mine);
  document.title = mine ? say("away_turn", { title }) : title;
}

function rejected({ id, code, reason }) {
  if (code === "late" || code === "early") slap?.refused(reason);
  else picker.refused(reason);
  if (code === "stale") socket.tell({ t: "since", v: store.version });
  return id;
}

function changed(state) {
  const banner = byId("connection");
  banner.hidden = state === "open" && !wasLost;
  banner.dataset.state = state;
  if (state === "open") {
    if (wasLost) {
      banner.textContent = say("back");
      setTimeout(() => (banner.hidden = banner.dataset.state === "open"), 2500);
    }
    wasLost = false;
    return;
  }
  wasLost = true;
  banner.textContent = say(state === "signed_out" ? "signed_out" : "lost");
}

applySettings(byId("settings"), () => {
  render.table.order = settings.order;
  draw([]);
});
render.table.order = settings.order;
log.catchUp(store.log);
draw([]);
if (store.version === 0 && store.status === "running") deal(render.cards());
if (slapButton && store.you === null) slapButton.hidden = true;
new ResizeObserver(() => render.arrange()).observe(page);
const socket = connect(page.dataset.socket, { version: () => store.version, receive, changed });
page.dataset.ready = "";
