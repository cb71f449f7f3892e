/** The replay of a finished match: moments come in chunks, and the table's own modules draw them. */

import { remember, travel } from "../table/animation.js";
import { drawFaces, makeCard } from "../table/cards.js";
import { byId, targetOf } from "../table/el.js";
import { lineOf } from "../table/log.js";
import { makeRender } from "../table/render.js";
import { makeStore } from "../table/store.js";
import { say } from "../table/words.js";

const page = byId("table");
const last = Number(page.dataset.last);
const eyes = page.dataset.seat;
const snapshot = JSON.parse(byId("snapshot").textContent ?? "");
const store = Object.assign(makeStore(snapshot), { isReplay: true });
const layout = (await import(page.dataset.layout ?? "")).default;
/**
 * Loaded moments, by version.
 * @type {Map<number, Moved>}
 */
const known = new Map([[snapshot.v, snapshot]]);
/**
 * Chunks being loaded, by their first version.
 * @type {Map<number, Promise<void>>}
 */
const coming = new Map();
let wanted = snapshot.v;
let timer = 0;
/** The timer that changes the copy button back. */
let copied = 0;

drawFaces();
const back = document.createElement("template");
back.id = "ghost-back";
back.content.append(makeCard(null));
document.body.append(back);
const render = makeRender(
  { felt: byId("felt"), ownSeat: byId("own-seat"), hand: byId("hand"), mine: byId("mine") },
  store,
  layout,
);

/** @param {number} version */
async function fetchFrom(version) {
  if (!coming.has(version)) {
    const asked = fetch(`${page.dataset.moments}?seat=${eyes}&from=${version}`)
      .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
      .then(({ moments }) => {
        for (const moment of moments) known.set(moment.v, moment);
      })
      .finally(() => coming.delete(version));
    coming.set(version, asked);
  }
  return coming.get(version);
}

/**
 * Show the match after `version` moves, as soon as that moment is loaded.
 * @param {number} version
 * @param {{ slowly?: boolean }} [how]
 */
async function show(version, { slowly = false } = {}) {
  wanted = Math.max(0, Math.min(last, version));
  const target = wanted;
  if (!known.has(target)) {
    try {
      await fetchFrom(target);
    } catch {
      pause();
      byId("moment").textContent = say("replay_lost");
      return;
    }
  }
  // The viewer has moved on meanwhile.
  if (target !== wanted) return;
  const moment = known.get(target);
  if (!moment) return;
  const before = slowly ? remember(render.cards()) : null;
  Object.assign(store, {
    version: moment.v,
    view: moment.view,
    card: moment.card,
    status: target === last ? "over" : "running",
  });
  render.draw();
  render.arrange();
  if (before) travel(before, render.cards(), moment.events ?? []);
  drawBar();
  if (target < last && !known.has(Math.min(last, target + 10))) fetchFrom(target + 1).catch(() => undefined);
}

function drawBar() {
  const version = store.version;
  byId("moment").textContent = say("replay_moment", { n: version, last });
  byId("scrubber").value = String(version);
  for (const form of document.querySelectorAll(".replay-eyes, .replay-play-on"))
    form.elements.v.value = String(version);
  /** @type {Record<string, number>} */
  const steps = { first: 0, before: Math.max(0, version - 1), after: Math.min(last, version + 1), last };
  for (const link of document.querySelectorAll("[data-to]")) {
    const to = steps[link.dataset.to ?? ""];
    link.href = `?v=${to}&seat=${eyes}`;
    link.setAttribute("aria-disabled", String(to === version));
  }
  history.replaceState(null, "", `?v=${version}&seat=${eyes}`);
  byId("play-on").hidden = version === last;
  drawStory();
}

function drawStory() {
  const list = byId("story");
  /** @type {Found | null} */
  let newest = null;
  for (const line of list.querySelectorAll("li")) {
    const at = Number(line.dataset.v);
    line.classList.toggle("is-ahead", at > store.version);
    line.classList.toggle("is-now", at === store.version);
    if (at <= store.version) newest = line;
  }
  const box = /** @type {Found} */ (list.parentElement);
  if (newest) box.scrollTop = newest.offsetTop - box.clientHeight / 2;
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  byId("play").textContent = say("replay_play");
}

/** Each move waits until the one before is drawn, so a slow connection only slows the replay down. */
function play() {
  byId("play").textContent = say("replay_pause");
  const step = async () => {
    await show(store.version + 1, { slowly: Number(byId("speed").value) > 300 });
    if (timer === 0) return;
    if (store.version >= last) pause();
    else timer = setTimeout(step, Number(byId("speed").value));
  };
  timer = setTimeout(step, 0);
}

function toggle() {
  if (timer !== 0) pause();
  else {
    if (store.version >= last) store.version = -1;
    play();
  }
}

/**
 * @param {number} version
 * @param {boolean} [slowly]
 */
function go(version, slowly = true) {
  pause();
  show(version, { slowly });
}

async function fetchStory() {
  const answer = await fetch(`${page.dataset.story}?seat=${eyes}`);
  if (!answer.ok) return;
  /** @type {{ lines: LogLine[] }} */
  const { lines } = await answer.json();
  byId("story").replaceChildren(
    ...lines.map((line) => {
      const item = lineOf(line.v, line);
      const button = document.createElement("button");
      button.type = "button";
      button.append(...item.childNodes);
      item.append(button);
      return item;
    }),
  );
  drawStory();
}

byId("story").addEventListener("click", (event) => {
  const line = targetOf(event).closest("li[data-v]");
  if (line) go(Number(line.dataset.v), false);
});
byId("steps").addEventListener("click", (event) => {
  const link = targetOf(event).closest("[data-to]");
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  const to = { first: 0, before: wanted - 1, after: wanted + 1, last }[link.dataset.to ?? ""];
  go(to, Math.abs(to - wanted) === 1);
});
byId("play").addEventListener("click", toggle);
byId("scrubber").addEventListener("input", (event) => go(Number(targetOf(event).value), false));
byId("eyes").addEventListener("change", (event) => targetOf(event).form.requestSubmit());
byId("link").addEventListener("click", async (event) => {
  const button = /** @type {Found} */ (event.currentTarget);
  const isCopied = await navigator.clipboard.writeText(location.href).then(
    () => true,
    () => false, // The browser doesn't allow it; the address bar has the link as well.
  );
  button.dataset.words ??= button.textContent ?? "";
  button.textContent = isCopied ? (button.dataset.done ?? "") : (button.dataset.failed ?? "");
  clearTimeout(copied);
  copied = setTimeout(() => (button.textContent = button.dataset.words ?? ""), 2000);
});
document.addEventListener("keydown", (event) => {
  if (targetOf(event).closest("select, input, textarea, summary") || event.metaKey || event.ctrlKey || event.altKey)
    return;
  const onButton = targetOf(event).closest("button, a");
  const action = {
    ArrowLeft: () => go(wanted - 1),
    ArrowRight: () => go(wanted + 1),
    Home: () => go(0, false),
    End: () => go(last, false),
    " ": onButton ? null : toggle,
  }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

byId("play").hidden = byId("scrubber").hidden = false;
byId("link").hidden = !navigator.clipboard;
page.querySelector(".replay-speed").hidden = false;
page.querySelector(".replay-eyes button").hidden = true;
await show(snapshot.v);
fetchStory().catch(() => undefined);
new ResizeObserver(() => render.arrange()).observe(page);
page.dataset.ready = "";
