/** What the server has sent about the match: versioned, in order, never guessed. */

import { setClock } from "./clock.js";
import { called, say } from "./words.js";

/**
 * @template [F=Facts]
 * @param {Snapshot<F>} snapshot - the message in the page
 * @returns {Store<F>}
 */
export function makeStore(snapshot) {
  // The page doesn't know who else is here until the socket tells it.
  for (const player of /** @type {SeatedPlayer[]} */ (snapshot.players)) {
    if (player.kind === "person") player.online = player.seat === snapshot.you ? true : null;
  }
  setClock(snapshot.now);
  /** @type {Store<F>} */
  const store = {
    ...picked(snapshot),
    /**
     * Take a message. Returns "snapshot" or "moved" if the table has changed, "gap" if moves before it are missing, or
     * null.
     * @param {any} message - of this match, whose facts are those of its game
     */
    take(message) {
      switch (message.t) {
        case "snapshot":
          // An older snapshot, overtaken by moves.
          if (message.v < store.version) return null;
          Object.assign(store, picked(message));
          setClock(message.now);
          return "snapshot";
        case "moved":
          if (message.v <= store.version) return null;
          if (message.v > store.version + 1) return "gap";
          store.version = message.v;
          store.card = message.card;
          store.waiting = null;
          store.clocks = message.clocks ?? store.clocks;
          setClock(message.now);
          store.view = message.view;
          store.status = message.status;
          store.lesson = message.lesson ?? null;
          if (message.outcome)
            Object.assign(store, { outcome: message.outcome, reasons: message.reasons, feat: message.feat });
          return "moved";
        case "presence":
          for (const player of store.players) {
            player.online = player.kind === "ai" || message.online.includes(player.seat);
          }
          return null;
        case "waiting":
          store.waiting = until(message.waiting);
          return null;
        default:
          return null;
      }
    },
    get names() {
      return store.players.map((player) => player.name);
    },
    nameFor: (seat) => (seat === store.you ? say("you") : store.names[seat]),
    called: (seat) => called(store.names[seat], seat === store.you),
    zone: (id) => /** @type {any} */ (store.view.zones.find((zone) => zone.id === id)),
  };
  return store;
}

/**
 * Seconds count from their message, so turn them into an end on the page's clock; null without a limit.
 * @template {{ seconds: number | null }} T
 * @param {T | null} limited
 * @returns {(T & Ending) | null}
 */
const until = (limited) =>
  limited && { ...limited, end: limited.seconds === null ? null : performance.now() + limited.seconds * 1000 };

/**
 * @template F
 * @param {Snapshot<F>} snapshot
 */
const picked = ({
  clock,
  clocks,
  v,
  seating_epoch,
  card,
  waiting,
  you,
  slow,
  live,
  by_mail,
  asleep,
  status,
  players,
  view,
  outcome,
  reasons,
  feat,
  seed,
  rematch,
  log,
  scores,
  lesson,
}) => ({
  clock: clock ?? null,
  clocks: clocks ?? [],
  version: v,
  /** Counts changes that aren't moves: who sits where, an early end, a rematch. */
  seating_epoch,
  card,
  waiting: until(waiting),
  you,
  slow,
  /** Whether the people of a turn-based match are playing it live. */
  isLive: live ?? false,
  byMail: by_mail,
  asleep,
  status,
  players,
  view,
  outcome,
  reasons,
  feat: feat ?? null,
  seed,
  rematch: until(rematch),
  log,
  scores,
  lesson: lesson ?? null,
});
