/** The practice page: cards from the server one by one, the table's own slap control, and the results. */

import { connect } from "../connect.js";
import { drawFaces, makeCard } from "../table/cards.js";
import { byId } from "../table/el.js";
import { makeSlap } from "../table/slap.js";
import { cardName, say } from "../table/words.js";

const room = byId("practice");
const pile = byId("practice-pile");
const said = byId("practice-said");
const begin = byId("begin");
const beginText = begin.textContent;
/** The part of a table's store that the slap control reads; `games/slaps/practice.py` decides what may be slapped. */
const facts = { lockout: [0], options: { slaps: ["pair", "sandwich"] } };
/** @type {import("../table/slap.js").SlapStore} */
const store = { card: null, you: 0, status: "over", view: { facts, moves: ["slap"] } };

drawFaces();
const slap = makeSlap(byId("slap"), store, (message) => socket.send(message));
let total = 0;

/** @param {PracticeMessage} message */
function receive(message) {
  switch (message.t) {
    case "began":
      total = message.cards;
      slap.reset();
      show([]);
      run(true);
      byId("practice-count").textContent = "";
      said.textContent = say("practice_ready");
      begin.textContent = say("practice_again");
      byId("slap").focus({ preventScroll: true });
      break;
    case "card":
      store.card = message.v;
      show(message.pile);
      byId("practice-count").textContent = `${message.v} / ${total}`;
      if (message.v === 1) said.textContent = "";
      slap.drawn();
      break;
    case "verdict": {
      const [hand] = message.slaps;
      said.dataset.result = hand.result;
      said.textContent = `${say("reaction", { ms: hand.reaction })} · ${say(hand.result === "won" ? "practice_right" : "wrong")}`;
      break;
    }
    case "rejected":
      slap.refused(message.code, message.reason);
      break;
    case "stopped":
      stop();
      said.textContent = message.reason;
      break;
    case "done":
      stop();
      said.textContent = say("practice_done");
      // HTML from the server, which escapes everything in it.
      byId("practice-results").innerHTML = message.html;
      for (const button of document.querySelectorAll(".practice-opponent")) {
        const share = message.shares[button.value];
        if (share === undefined) continue;
        button.querySelector("[data-share]").textContent = say("practice_share", { share: Math.round(share * 100) });
        button.classList.toggle("primary", button.value === message.closest);
      }
      break;
    default:
  }
}

/** @param {string[]} cards */
function show(cards) {
  /** @type {Element[]} */
  const made = cards.map((code) => makeCard(code));
  if (!made.length) {
    const place = document.createElement("span");
    place.className = "playing-card-place";
    made.push(place);
  }
  pile.replaceChildren(...made);
  if (cards.length) pile.setAttribute("aria-label", cardName(cards.at(-1) ?? null));
}

/**
 * While cards come, the slap control is enabled; before and after, the button under it.
 * @param {boolean} is
 */
function run(is) {
  store.status = is ? "running" : "over";
  room.classList.toggle("is-running", is);
  begin.classList.toggle("primary", !is);
}

function stop() {
  run(false);
  store.card = null;
  delete said.dataset.result;
  slap.drawn();
}

/** @param {ConnectionState} state */
function changed(state) {
  begin.disabled = state !== "open";
  if (state === "open") return;
  stop();
  begin.textContent = beginText;
  said.textContent = say("lost");
}

begin.addEventListener("click", () => socket.send({ t: "begin" }));
document.addEventListener("visibilitychange", () => document.hidden && socket.send({ t: "visible", on: false }));
slap.drawn();
const socket = connect(room.dataset.socket ?? "", { receive, changed });
