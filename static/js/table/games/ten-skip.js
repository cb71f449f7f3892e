/** Ten-Skip Challenge: the notice of a claim, the two drawn cards, the offer, and what each player got. */

import { sign } from "../cards.js";
import { capital, cardName, say } from "../words.js";

/** @type {Layout<TenSkipFacts>} */
const layout = {
  marks: ({ facts, mark, store }) => [
    mark(say("round"), facts.round),
    mark(say("limit"), facts.options.limit),
    facts.notice === null ? null : mark(say("notice"), store.nameFor(facts.notice)),
    facts.offer ? mark(say("offer"), sign(facts.offer)) : null,
  ],
  centre: ({ store, view, stackOf, section, spread, el, facts }) => [
    el("div.centre-row", {}, stackOf(store.zone("stock")), stackOf(store.zone("discard"))),
    store.zone("drawn").count
      ? section(store.zone("drawn"), undefined, [
          spread(store.zone("drawn"), { tag: view.moves.some((move) => move.startsWith("keep:")) ? "button" : "span" }),
        ])
      : null,
    facts.notice === null
      ? null
      : el(
          "p.notice-sign",
          {},
          say(facts.notice === store.you ? "notice_mine" : "notice_by", { name: store.names[facts.notice] }),
        ),
  ],
  /** Marks at seats: on notice, and out of this round. */
  chips: ({ facts, el, view }, seat) =>
    [
      facts.notice === seat ? el("li.chip.chip--bet", {}, say("on_notice")) : null,
      view.phase !== "over" && !facts.in_round.includes(seat) && !view.seats[seat].out
        ? el("li.chip.chip--word", {}, say("safe"))
        : null,
    ].filter(Boolean),
  question: (_table, done) =>
    done.some(({ verb }) => verb === "swap") ? say("get_rid", { card: cardName(done[0].needs[0]) }) : null,
  option({ store }, { verb, target }) {
    if (verb === "discard") return say("discard_draw");
    return verb === "swap" ? say("give_to", { name: store.names[Number(target?.split(":")[1])] }) : null;
  },
  preview({ store }, { chosen, ready }) {
    const keep = ready.find(({ verb }) => verb === "keep");
    if (!keep) return "";
    const other = store.zone("drawn").cards.find((code) => code !== chosen[0]);
    return other ? say("keeps", { card: cardName(chosen[0]), other: cardName(other) }) : "";
  },
  attempt({ view }, code) {
    const verb = { keep: "keep", give: "give", top: "top" }[view.phase] ?? "discard";
    return `${verb}:${code}`;
  },
  task: ({ view, names }) =>
    ({
      keep: say("keep_task"),
      give: say("give_task", { name: names[view.facts.turn] }),
      end: say("end_task"),
      top: say("top_task"),
      show: say("show_task"),
    })[view.phase],
  /** Moments that everyone should notice. */
  moment({ store }, { kind, seat, data }) {
    /** @param {number | null | undefined} who */
    const name = (who) => store.called(who ?? 0);
    const cards = Array.isArray(data.cards) ? data.cards : [];
    switch (kind) {
      case "claim":
        return {
          title: say(seat === store.you ? "moment_claim_mine" : "moment_claim"),
          text: say("moment_claim_by", { name: name(seat) }),
          tone: "claim",
        };
      case "challenge":
        return {
          title: say("moment_challenge"),
          text: say("moment_challenge_by", { name: name(seat), claimer: name(data.claimer) }),
          tone: "challenge",
        };
      case "offer":
        return data.victim === store.you
          ? { title: say("moment_offer"), text: say("moment_offer_by", { name: name(seat) }), cards: [data.card ?? ""] }
          : null;
      case "given": {
        const text =
          seat === store.you
            ? say("moment_you_gave", { name: name(data.taker) })
            : say("moment_you_got", { name: name(seat) });
        return { title: capital(cards.map(cardName).join(", ")), text, cards };
      }
      default:
        return null;
    }
  },
};
export default layout;
