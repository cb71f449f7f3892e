/** Set up a table on its page: connects the socket, the store and everything that is drawn. */

import { connect, newId, tell } from "../connect.js";
import { deal, fade, remember, settle, travel } from "./animation.js";
import { drawFaces, makeCard } from "./cards.js";
import { startClocks } from "./clock.js";
import { byId, targetOf } from "./el.js";
import { makeHold } from "./hold.js";
import { makeDrawing } from "./in_parts.js";
import { makeLastMove } from "./last_move.js";
import { makePicker } from "./picker.js";
import { HELD, makeQueue } from "./queue.js";
import { makeRender } from "./render.js";
import { hideReveal, makeReveal, showReveal } from "./reveal.js";
import { lastSeen, remember as rememberSeen } from "./seen.js";
import { applySettings, set, settings, show as showSetting } from "./settings.js";
import { makeStatus, showIncomplete } from "./status.js";
import { stepsOf } from "./steps.js";
import { makeStore } from "./store.js";
import { isCoached, rests, say } from "./words.js";

const stillness = matchMedia("(prefers-reduced-motion: reduce)");
/** @typedef {{ events: GameEvent[], before: Before | null, version: number | null, isRedrawn: boolean }} Drawn */
/** The orders of the hand, for the menu and the button beside the hand. */
const ORDERS = ["suit", "rank", "drawn", "own"];

/**
 * Draw a match on its page, and follow it.
 * @param {Found} page
 * @param {Snapshot} snapshot - the message in the page
 * @param {Layout} layout - of the game
 */
export async function mountTable(page, snapshot, layout) {
  const store = makeStore(snapshot);
  const name = page.dataset.key ?? "";
  const sort = byId("sort");
  const { makeLesson } = store.lesson ? await import("./lesson.js") : {};
  const { makePoint } = store.byMail ? await import("./point.js") : {};

  drawFaces();
  startClocks();
  const back = document.createElement("template");
  back.id = "ghost-back";
  back.content.append(makeCard(null));
  document.body.append(back);

  const render = makeRender(
    { felt: byId("felt"), ownSeat: byId("own-seat"), hand: byId("hand"), mine: byId("mine") },
    store,
    layout,
  );
  const lastMove = makeLastMove(store, render.cards);
  const lesson = makeLesson?.({ store, cards: render.cards });
  /**
   * The extras once they are loaded, and the events that they have not got yet.
   * @type {ReturnType<typeof import("./extras.js").makeExtras> | null}
   */
  let extras = null;
  /** The last version that a returning player has seen; null for others. */
  const seen = lastSeen(name, page.dataset.looked === undefined ? null : Number(page.dataset.looked));
  const isBack = seen !== null && store.version > seen;
  /** @type {Moved[]} */
  let untold = [];
  const speed = () => (store.slow ? "slow" : "live");
  const hold = makeHold({
    name,
    form: page.dataset.form ?? "",
    store,
    send: (message) => socket.ask(message),
    isHolding: () => Boolean(settings[`undo_${speed()}`]) && !plan?.isOn(),
    gone: (move) => picker.released(move),
  });
  /**
   * The unanswered question why a move isn't legal; asked again when the socket reconnects.
   * @type {WhyIntent | null}
   */
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
      if (!socket.send(asked)) picker.explain(say("cannot"), "warn");
    },
    isDirect: () => settings[`moves_${speed()}`] === "direct",
    hasHints: () => isCoached || Boolean(settings.hints),
    isUnanswered: () => socket.isAsking(),
    touched: (key) => plan?.touched(key.split("#")[0]) ?? false,
  });
  /** Plans of live tables; the panel of turn-based matches uses plans on the server instead. */
  const plan =
    store.you === null || store.slow || isCoached || document.querySelector(".plan-panel")
      ? null
      : (layout.plan?.({
          box: byId("plan"),
          name,
          store,
          submit: picker.submit,
          isBusy: picker.isBusy,
          changed: paintPlan,
        }) ?? null);
  const slapButton = byId("slap");
  const { slaps } = layout;
  /** @param {Intent} message */
  const send = (message) => socket.send(message);
  // Only games with slaps have a layout with slaps, so the facts fit.
  const slapped = /** @type {import("./slap.js").SlapStore} */ (/** @type {unknown} */ (store));
  const slap = slapButton && slaps && store.you !== null ? slaps.makeSlap(slapButton, slapped, send) : null;
  const point = makePoint?.(byId("point"), page, store, send);
  const status = makeStatus({
    page,
    store,
    layout,
    watching: () => point?.status(),
    turned: (isMine) => extras?.turned(isMine),
  });

  const queue = makeQueue({
    show,
    begin,
    now: () => performance.now(),
    wait(done, pause) {
      // From the frame that shows what is to be seen.
      let timer = 0;
      const look = () => {
        if (drawing.lacksCards()) frame = requestAnimationFrame(look);
        else timer = setTimeout(done, pause);
      };
      let frame = requestAnimationFrame(look);
      return () => {
        cancelAnimationFrame(frame);
        clearTimeout(timer);
      };
    },
  });
  /**
   * Where everything is, measured before the log got its lines: after that the page would be laid out for it once more.
   * @type {Before | null}
   */
  let remembered = null;
  /** Events shown since the last long rest. */
  let shownLately = /** @type {GameEvent[]} */ ([]);
  /**
   * During a rest: the events for which something is highlighted, what the strip says, and the result over the table.
   * Whatever is drawn meanwhile keeps all of it.
   * @type {{ events: GameEvent[], said: string, reveal: ReturnType<typeof makeReveal> } | null}
   */
  let resting = null;
  const drawing = makeDrawing(page, {
    seats: drawSeats,
    cards: drawCards,
    places: arrange,
    done: drawn,
  });
  /**
   * A player who presses anything wants to continue, except one who stops a plan: it would play one more card.
   * @param {Event} event
   */
  const hurry = (event) => {
    if (!targetOf(event).closest?.("#plan")) queue.flush();
    drawing.drawCards();
  };
  for (const type of ["pointerdown", "keydown"]) {
    addEventListener(type, hurry, { capture: true });
    addEventListener(type, settle, { capture: true });
  }
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) return;
    queue.flush();
    drawing.complete();
  });

  /** @param {Message} message */
  function take(message) {
    switch (message.t) {
      case "rejected":
        return rejected(message);
      case "why":
        if (message.id !== asked?.id) return;
        asked = null;
        return picker.explain(message.reason ?? say("cannot_with"), "warn");
      case "waiting":
        store.take(message);
        return status.drawWaiting();
      case "verdict":
        if (!point?.tookVerdict(message)) slaps?.showVerdict(message, store.names, store.you);
        return;
      case "ok":
        // It was made before the connection was lost, and the snapshot had it already.
        if (message.v <= store.version && picker.isBusy()) draw([]);
        return;
      case "watch":
        point?.take(message);
        return status.drawTurn();
      case "reload":
        return location.reload();
      case "ending":
      case "news":
        return tell(new Event(message.t));
      case "talk":
      case "talk_removed":
      case "talk_again":
        return tell(new CustomEvent("talk", { detail: message }));
      case "presence":
        store.take(message);
        return drawSeats();
      case "snapshot":
      case "moved":
        return follow(message);
      default:
      // Messages about the player's own slap are shown by its control, and the rest by later messages.
    }
  }

  /**
   * Process a change of the match, and draw it.
   * @param {Snapshot | Moved} message
   */
  function follow(message) {
    // A slappable card is shown at once, and so is a snapshot.
    if (message.t === "snapshot" || (message.t === "moved" && message.card !== null)) queue.flush();
    const { version, status: lastStatus, isLive } = store;
    const last = queue.last() ?? shownNow();
    const before = whereNow();
    const now = shownNow();
    const change = store.take(message);
    if (store.version !== version) asked = null;
    if (store.isLive !== isLive) tell(new Event("ending"));
    if (change === "gap") socket.send({ t: "since", v: store.version });
    else if (change === "snapshot") {
      layout.begin?.(render.table, store.log);
      lastMove.begun();
      untold = [];
      extras?.begun(store.log);
      // After a reconnection most matches are as they were: what the player chose and reads stays.
      draw([], before, { isRedrawn: store.version === version && store.status === lastStatus });
    } else if (change === "moved" && message.t === "moved") {
      // Read the events out at once, and show them step by step.
      if (extras) extras.add(message.v, message.events, { isAhead: true });
      else untold.push(message);
      const after = shownNow();
      Object.assign(store, now);
      remembered = before;
      queue.push(stepsFor(message, last, after));
      remembered = null;
    }
  }

  const whereNow = () => {
    drawing.complete();
    return remember(render.cards());
  };

  const shownNow = () => ({
    view: store.view,
    status: store.status,
    outcome: store.outcome,
    reasons: store.reasons,
  });

  /**
   * The steps that show a message: only one for a slappable card, or on a hidden page.
   * @param {Moved} message
   * @param {Step["shown"]} last - what was shown before
   * @param {Step["shown"]} after
   * @returns {Step[]}
   */
  function stepsFor(message, last, after) {
    const { events } = message;
    if (message.card !== null || document.hidden) return [{ rest: 0, events, message, shown: after, isLast: true }];
    const steps = stepsOf(last.view, after.view, events, rests());
    return steps.map(({ rest, events, view }, at) => {
      const isLast = at === steps.length - 1;
      return { rest, events, message, shown: isLast ? after : { ...last, view }, isLast };
    });
  }

  /**
   * A rest begins before a step: highlight what is visible meanwhile.
   * @param {Step} step
   */
  function begin({ rest, message }) {
    const reveal = rest >= HELD ? makeReveal(store.nameFor, shownLately) : null;
    const said = reveal?.headline || (shownLately.findLast(({ text }) => text)?.text ?? "");
    resting = { events: message.events, said, reveal };
    rested(resting);
  }

  /** @param {NonNullable<typeof resting>} rest */
  function rested({ events, said, reveal }) {
    status.say(said);
    if (drawing.lacksCards()) return;
    layout.light?.(render.table, events);
    if (reveal) showReveal(reveal.box);
  }

  /**
   * Show the due steps together.
   * @param {Step[]} steps
   */
  function show(steps) {
    const before = remembered ?? whereNow();
    remembered = null;
    const events = steps.flatMap((step) => step.events);
    const { shown, message, isLast } = steps[steps.length - 1];
    Object.assign(store, shown);
    layout.happened?.(render.table, events);
    lastMove.add(events);
    lastMove.shown(isLast ? message.events : null);
    hideReveal();
    resting = null;
    const how = isLast ? { version: message.v } : { isRedrawn: true, version: null };
    draw(events, before, { ...how, isInParts: message.card === null });
    if (stillness.matches && queue.isBusy()) fade();
    extras?.announce(events);
    shownLately = isLast ? [] : [...shownLately, ...events];
  }

  /**
   * Draw the newest view; `isRedrawn` if the match has not changed, `version` if it shows all of that version.
   * @param {GameEvent[]} events
   * @param {Before | null} [before]
   * @param {{ isRedrawn?: boolean, version?: number | null, isInParts?: boolean }} [how]
   */
  function draw(events, before = null, how = {}) {
    const { isRedrawn = false, version = queue.isBusy() ? null : store.version, isInParts = false } = how;
    drawing.draw({ events, before, version, isRedrawn }, isInParts);
  }

  /** What the places of the cards depend on: if it has changed since they got them, they get new ones. */
  const sized = ["felt", "hand"].map(byId);
  const sizesNow = () =>
    sized
      .map((box) => box.getBoundingClientRect())
      .map(({ width, height }) => `${width}x${height}`)
      .join(" ");
  let arrangedFor = "";
  function arrange() {
    arrangedFor = sizesNow();
    render.arrange();
  }

  /** Draw what is said: by the seats, the facts, the strip. */
  function drawSeats() {
    render.drawSeats();
    status.drawn();
    lastMove.say();
    if (resting) rested(resting);
  }

  /**
   * Draw the cards, and what the player can do with them.
   * @param {Drawn} what
   */
  function drawCards({ isRedrawn }) {
    render.drawCards();
    lastMove.drawn();
    picker.update({ isNews: !isRedrawn });
    plan?.drawn();
    paintPlan();
    slap?.drawn();
    sort.hidden = render.table.isHandEmpty();
    point?.drawn();
    if (slapButton) slapButton.hidden = store.you === null || !layout.hasSlaps?.(store.view) || !!point?.isElsewhere();
    lesson?.drawn(!isRedrawn || !queue.isBusy());
    if (resting) rested(resting);
  }

  /**
   * All is drawn: move the cards to their places.
   * @param {Drawn} what
   */
  function drawn({ events, before, version }) {
    // Only now sentences and buttons have their height, and cards are in their places.
    if (before) travel(before, render.cards(), events);
    extras?.drawn();
    rememberSeen(name, store.version);
    if (version !== null) page.dataset.version = String(version);
    page.dataset.shows = String(store.seating_epoch);
  }

  /** Show the position of planned cards in the plan. */
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

  async function addExtras() {
    const loaded = await import("./extras.js").catch(showIncomplete);
    if (!loaded) return;
    extras = loaded.makeExtras({ page, store, render, picker, layout, seen: isBack ? seen : null });
    for (const { v, events } of untold) extras.add(v, events, { isAhead: false });
    await extras.drawn();
    extras.turned(page.classList.contains("is-my-turn"));
  }

  /** @param {Rejected} message */
  function rejected({ id, code, reason }) {
    // The socket sends the move again: a second one would race with it.
    if (code === "unavailable" && socket.isWaiting(id)) picker.explain(reason, "warn");
    else if (slap?.isMine(id) || point?.isHere() || code === "late" || code === "early" || code === "elsewhere")
      slap?.refused(code, reason);
    else picker.refused(code === "unavailable" ? say("not_saved") : reason);
    if (code === "stale") socket.send({ t: "since", v: store.version });
  }

  /** @param {ConnectionState} state */
  function changed(state) {
    status.connection(state);
    if (state !== "open") return;
    extras?.reopened();
    if (asked) socket.send(asked);
    if (document.hidden) socket.send({ t: "visible", on: false });
  }

  /** @param {string} order - of the hand */
  function orderBy(order) {
    if (order !== defaultOrder()) set("order", order);
    showSetting("order", order);
    render.table.order = order;
    sort.textContent = say(`order_${order}`);
  }
  /** In games without suits the hand is sorted by rank until the player chooses otherwise. */
  const defaultOrder = () => (settings.order === "suit" ? (page.dataset.order ?? "suit") : String(settings.order));
  const redraw = () => draw([], null, { isRedrawn: true });
  sort.addEventListener("click", () => {
    orderBy(ORDERS[(ORDERS.indexOf(render.table.order) + 1) % ORDERS.length]);
    redraw();
  });
  render.turned = redraw;
  render.ordered = () => {
    orderBy("own");
    redraw();
  };

  applySettings(byId("settings"), (field) => {
    if (field === "order") orderBy(String(settings.order));
    redraw();
  });
  orderBy(defaultOrder());
  // Before the first drawing: the chip about missed events would push the table down later.
  if (isBack) await addExtras();
  layout.begin?.(render.table, store.log);
  lastMove.begun();
  const socket = connect(page.dataset.socket ?? "", { version: () => store.version, receive: take, changed });
  draw([]);
  drawing.complete();
  if (store.version === 0 && store.status === "running") deal(render.cards());
  const sizes = new ResizeObserver(() => {
    if (sizesNow() !== arrangedFor) arrange();
  });
  for (const box of sized) sizes.observe(box);
  // Words in another font are wider or higher, also where the boxes around them stay as they are.
  if (document.fonts.status === "loading") document.fonts.ready.then(arrange);
  /** The verdict doesn't wait for players who look elsewhere. */
  document.addEventListener("visibilitychange", () => socket.send({ t: "visible", on: !document.hidden }));
  addEventListener("pagehide", () => rememberSeen(name, store.version));
  /** The L key shows or hides the log beside the felt. */
  document.addEventListener("keydown", (event) => {
    const isHeld = event.ctrlKey || event.altKey || event.metaKey;
    if (event.key.toLowerCase() !== "l" || isHeld || targetOf(event).closest("input, select, textarea")) return;
    document.body.classList.toggle("no-side");
  });
  hold.resume();
  page.dataset.ready = "";

  if (!extras) await addExtras();
  if (extras) page.dataset.complete = "";
}
