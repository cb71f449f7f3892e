/** Normal Cards: the trick in the middle, trumps and the led suit always visible, the last trick on request. */

import { sign } from "../cards.js";
import { SUIT_SIGNS, say, suitName } from "../words.js";

/** @param {Store<NormalCardsFacts>} store */
const led = (store) => store.zone("trick").cards[0]?.[1] ?? null;

/**
 * Seat of the last card played, from which follows who played each card of a full trick.
 * @type {number | null}
 */
let lastSeat = null;

/** @param {Iterable<{ kind: string, seat: number | null }>} events */
function note(events) {
  for (const { kind, seat } of events) if (kind === "play") lastSeat = seat;
}

/** @type {Layout<NormalCardsFacts>} */
const layout = {
  begin: (_table, lines) => note(lines),
  happened: (_table, events) => note(events),
  marks({ view, store, mark }) {
    const { facts } = view;
    const suit = led(store);
    const led_ = suit ? [suitSign(suit), " ", suitName(suit)] : [say("nothing_led")];
    return [
      mark(say("trump"), suitSign(facts.trump), " ", suitName(facts.trump)),
      suit || view.phase !== "over" ? mark(say("led"), ...led_) : null,
      facts.options.deals > 1 ? mark(say("deal"), `${facts.deal} / ${facts.options.deals}`) : null,
    ];
  },
  centre({ store, section, stackOf, cardEl, el, mark, facts }) {
    const trick = store.zone("trick");
    const seats = store.players.length;
    const last = store.zone("last_trick");
    // A full trick stays visible until the next lead, so that everyone sees its last card.
    const isTaken = !trick.count && last.count > 0;
    const cards = isTaken ? last.cards : trick.cards;
    const winner = facts.leader;
    const first = !isTaken ? facts.leader : lastSeat === null ? null : lastSeat + 1;
    const played = cards.map((code, at) => {
      const seat = first === null ? null : (first + at) % seats;
      const isBest = isTaken && seat === winner;
      const name = seat === null ? "" : store.nameFor(seat);
      const card = cardEl(code, isTaken ? "last_trick" : "trick");
      return el(`figure.trick-card${isBest ? ".is-winner" : ""}`, {}, card, el("figcaption", {}, name));
    });
    const main = store.zone("main");
    return [
      el(
        "div.centre-row",
        {},
        ...(store.zone("stock").count || main.count
          ? [stackOf(store.zone("stock")), main.count ? stackOf(main) : null]
          : [el("dl.marks", {}, mark(say("main"), sign(facts.main)))]
        ).filter(Boolean),
        last.count && !isTaken ? lastTrick(last, el) : null,
      ),
      section(trick, say("trick"), [
        el(`div.trick${isTaken ? ".is-taken" : ""}`, { dataset: { zone: "trick" } }, ...played),
        isTaken ? el("p.trick-note", {}, say("trick_to", { name: store.called(winner) })) : null,
      ]),
    ];
  },
  /** The winning card stands out before the trick is taken. */
  light({ store }, events) {
    const taken = events.find(({ kind }) => kind === "trick");
    const cards = document.querySelectorAll("#felt .trick:not(.is-taken) .trick-card");
    if (!taken || cards.length !== store.players.length) return;
    const seats = store.players.length;
    cards[((taken.seat ?? 0) - store.view.facts.leader + seats) % seats].classList.add("is-winner");
  },
  attempt: (_table, code) => `play:${code}`,
};
export default layout;

/** @param {string} suit */
const suitSign = (suit) => {
  const made = document.createElement("span");
  made.className = `suit-sign suit-sign--${suit}`;
  made.setAttribute("aria-hidden", "true");
  made.textContent = SUIT_SIGNS[suit];
  return made;
};

let isOpen = false;

/**
 * @param {OpenZone} zone
 * @param {El} el
 */
function lastTrick(zone, el) {
  const details = el(
    "details.last-trick",
    { open: isOpen },
    el("summary", {}, say("last_trick")),
    el("p.signs", { dataset: { zone: "last_trick" } }, ...zone.cards.map(sign)),
  );
  details.addEventListener("toggle", () => {
    isOpen = details.open;
  });
  return details;
}
