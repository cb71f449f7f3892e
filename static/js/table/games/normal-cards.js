/** Normal Cards: the trick in the middle, trumps and the led suit always in sight, the last trick on request. */

import { SUIT_SIGNS, say, suitName } from "../words.js";
import { sign } from "../render.js";

const led = (store) => store.zone("trick").cards[0]?.[1] ?? null;

export default {
  marks({ view, store, mark }) {
    const { facts } = view;
    const suit = led(store);
    return [
      mark(say("trump"), suitSign(facts.trump), " ", suitName(facts.trump)),
      mark(say("led"), ...(suit ? [suitSign(suit), " ", suitName(suit)] : [say("nothing_led")])),
      facts.options.deals > 1 ? mark(say("deal"), `${facts.deal} / ${facts.options.deals}`) : null,
    ];
  },
  centre({ store, section, stackOf, cardEl, el, mark, facts, view }) {
    const trick = store.zone("trick");
    const seats = store.players.length;
    const last = store.zone("last_trick");
    // A full trick stays in sight until the next one is led, so that its last card is seen, too.
    const isTaken = !trick.count && last.count > 0 && view.phase !== "over";
    const cards = isTaken ? last.cards : trick.cards;
    const winner = facts.leader;
    const played = cards.map((code, at) => {
      const name = isTaken ? "" : store.names[(facts.leader + at) % seats];
      return el("figure.trick-card", {}, cardEl(code, isTaken ? "last_trick" : "trick"), el("figcaption", {}, name));
    });
    const main = store.zone("main");
    return [
      store.zone("stock").count || main.count ? el("div.centre-row", {}, stackOf(store.zone("stock")), main.count ? stackOf(main) : null) : el("dl.centre-row", {}, mark(say("main"), sign(facts.main))),
      section(trick, say("trick"), [
        el(`div.trick${isTaken ? ".is-taken" : ""}`, { dataset: { zone: "trick" } }, ...played),
        isTaken ? el("p.trick-note", {}, say("trick_to", { name: store.names[winner] })) : null,
      ]),
      last.count && !isTaken ? lastTrick(last, el) : null,
    ];
  },
  attempt: (table, code) => `play:${code}`,
};

const suitSign = (suit) => {
  const made = document.createElement("span");
  made.className = `suit-sign suit-sign--${suit}`;
  made.setAttribute("aria-hidden", "true");
  made.textContent = SUIT_SIGNS[suit];
  return made;
};

let isOpen = false;

function lastTrick(zone, el) {
  const details = el("details.last-trick", { open: isOpen }, el("summary", {}, say("last_trick")), el("p.signs", { dataset: { zone: "last_trick" } }, ...zone.cards.map(sign)));
  details.addEventListener("toggle", () => {
    isOpen = details.open;
  });
  return details;
}
