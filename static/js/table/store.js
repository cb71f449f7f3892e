/** What the server has said of the match: versioned, in order, never guessed. */

import { setClock } from "./clock.js";

/** @param {object} snapshot - the message that the page began with */
export function makeStore(snapshot) {
  // The page does not know who else is here; the socket will say.
  for (const player of snapshot.players) {
    if (player.kind === "person") player.online = player.seat === snapshot.you ? true : null;
  }
  setClock(snapshot.now);
  const store = {
    ...picked(snapshot),
    /** Take a message. Says what is to be drawn: "snapshot", "moved", "players", "gap" (ask for what is missing) or null. */
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
          if (message.outcome) store.outcome = message.outcome;
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
    zone: (id) => store.view.zones.find((zone) => zone.id === id),
  };
  return store;
}

const picked = ({ clock, clocks, v, roster, card, waiting, you, slow, live, by_mail, asleep, status, players, view, outcome, seed, rematch, log, scores }) => ({
  clock: clock ?? null,
  clocks: clocks ?? [],
  version: v,
  /** Counts changes of what is no move: who sits where, the end by other means, a rematch. */
  roster,
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
  seed,
  rematch,
  log,
  scores,
});
