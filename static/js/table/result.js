/** The result: headline, reason, places, points, and what comes next. */

import { tell } from "../connect.js";
import { offerToShare } from "../share.js";
import { makeChart } from "./chart.js";
import { el } from "./el.js";
import { makeRematch } from "./rematch.js";
import { sideMark } from "./seats.js";
import { say } from "./words.js";

/**
 * @param {object} options
 * @param {Found} options.page
 * @param {Store} options.store
 * @param {() => DealRow[]} options.deals
 * @param {string} options.title - of the page, when no answer is expected
 * @param {boolean} options.wasOver - when the page was loaded: then the focus stays at the top
 * @param {(n: number) => string} options.amountOf - a seat's points, in words
 */
export function makeResult({ page, store, deals, title, wasOver, amountOf }) {
  const box = page.querySelector("#result");
  const chart = makeChart(box.querySelector("#result-chart"), store, deals);
  const rematch = makeRematch(box, store, title, draw);
  let shown = false;
  offerToShare(box);

  /** @param {Outcome} outcome */
  function headline({ ranking, reason }) {
    const first = ranking[0];
    if (reason === "agreement") return say("result_agreed");
    const sided = store.view.seats.some(({ team }) => team !== null) && ranking.length === 2;
    const names = first.map((seat) => store.names[seat]).join(", ");
    if (store.you === null) return say("result_by", { names });
    if (first.includes(store.you)) {
      if (reason === "resignation" || first.length === 1) return say("result_won");
      return sided ? say("result_won_side") : say("result_tied");
    }
    if (sided && store.players.length > 2) return say("result_lost_side");
    // With two players, second place isn't worth a headline.
    if (store.players.length === 2) return say("result_lost_to", { names });
    return say("result_place", { place: say(`ordinal_${placeOf(store.you)}`) });
  }

  /** @param {number} seat */
  function placeOf(seat) {
    let better = 0;
    for (const group of store.outcome?.ranking ?? []) {
      if (group.includes(seat)) return better + 1;
      better += group.length;
    }
    return better;
  }

  /**
   * The reason for this player's place, in the game's own terms; otherwise the last line of the log.
   * @param {Outcome} outcome
   */
  function sentence({ reason, ranking: [first] }) {
    if (reason === "agreement") return say("reason_agreement");
    if (reason === "resignation" && store.you !== null && store.players[store.you].resigned)
      return say("reason_own_resignation");
    // Under the winner's name, show the winner's reason.
    const told = store.players.length === 2 && !first.includes(store.you ?? first[0]) ? first[0] : store.you;
    const own = told === null ? "" : store.reasons?.[told];
    return own || (document.querySelector("#log li:last-child")?.textContent ?? "");
  }

  /** The seed is secret until the match is over, so fetch it now. */
  async function fetchSeed() {
    const seed = page.querySelector("#seed");
    if (!seed.textContent) {
      const answer = await fetch(page.dataset.state ?? "", { headers: { Accept: "application/json" } });
      if (answer.ok) seed.textContent = (await answer.json()).seed ?? "";
    }
  }

  /** Offers to end the match are void, and from now on players and spectators read the same chat. */
  function endTalkAndOffers() {
    tell(new Event("ending"));
    tell(new CustomEvent("talk", { detail: { t: "talk_again" } }));
    for (const part of page.querySelectorAll("[data-when-over]"))
      if (part.matches("input")) part.setAttribute("placeholder", part.dataset.whenOver ?? "");
      else part.textContent = part.dataset.whenOver ?? "";
  }

  function draw() {
    const { outcome } = store;
    if (store.status !== "over" || !outcome) return;
    box.hidden = false;
    box.querySelector("#result-title").textContent = headline(outcome);
    const told = sentence(outcome);
    box.querySelector("#result-sentence").textContent = told;
    /** Not a second time under the name. @param {number} seat */
    const whyOf = (seat) => (store.reasons?.[seat] === told ? "" : (store.reasons?.[seat] ?? ""));
    const sided = store.view.seats.some(({ team }) => team !== null);
    // A team has one reason: it is below the last of its players.
    const rows = outcome.ranking.flatMap((group, at) =>
      group.map((seat, n) => ({
        seat,
        place: sided ? at + 1 : placeOf(seat),
        why: sided && whyOf(seat) === whyOf(group[n + 1]) ? "" : whyOf(seat),
      })),
    );
    const places = box.querySelector("#result-places");
    places.classList.toggle("is-long", rows.length > 4);
    places.replaceChildren(
      ...rows.map(({ seat, place, why }) =>
        el(
          `li${seat === store.you ? ".is-me" : ""}`,
          {},
          el("span.result-place", {}, outcome.reason === "agreement" ? "–" : String(place)),
          el(
            "span.result-name",
            {},
            store.nameFor(seat),
            store.view.seats[seat].team === null ? null : sideMark(store.view.seats[seat].team),
            rematch.mark(seat),
          ),
          el("span.result-points", {}, amountOf(outcome.points[seat])),
          why ? el("span.result-why", {}, why) : null,
        ),
      ),
    );
    chart.draw();
    rematch.draw();
    for (const part of page.querySelectorAll(".resign")) part.remove();
    page.classList.add("is-over");
    if (!shown) {
      shown = true;
      fetchSeed().catch(() => undefined);
      if (wasOver) return;
      endTalkAndOffers();
      box.focus({ preventScroll: false });
    }
  }

  return { draw };
}
