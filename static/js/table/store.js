/** What the server has said of the match: versioned, in order, never guessed. */

import { setClock } from "./clock.js";
import { called, say } from "./words.js";

/**
 * @template [F=Facts]
 * @param {Snapshot<F>} snapshot - the message that the page began with
 * @returns {Store<F>}
 */
export function makeStore(snapshot) {
  // The page does not know who else is here; the socket will say.
  for (const player of /** @type {SeatedPlayer[]} */ (snapshot.players)) {
    if (player.kind === "person") player.online = player.seat === snapshot.you ? true : null;
  }
  setClock(snapshot.now);
  /** @type {Store<F>} */
  const store = {
    ...picked(snapshot),
    /**
     * Take a message. Says what is to be drawn: "snapshot", "moved", "players", "gap" (ask for what is missing) or null.
     * @param {any} message - of this match, whose facts are those of its game
     */
    take(message) {
      switch (message.t) {
        case "snapshot":
          // An older one overtaken by moves says nothing new.
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
          return "players";
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
  /** Counts changes of what is no move: who sits where, the end by other means, a rematch. */
  seating_epoch,
  card,
  waiting,
  you,
  slow,
  /** Whether the people of a slow match play it live just now. */
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
  rematch,
  log,
  scores,
  lesson: lesson ?? null,
});
