/** How it ended: the sentence, places, points, and what comes next. */

import { el, sideMark } from "./render.js";
import { say } from "./words.js";

export function makeResult(page, store) {
  const box = page.querySelector("#result");
  // A page that was over when it came keeps its focus at the top.
  const wasOver = store.status === "over";
  let shown = false;

  function headline() {
    const { ranking, reason } = store.outcome;
    const first = ranking[0];
    if (reason === "agreement") return say("result_agreed");
    const sided = store.view.seats.some(({ team }) => team !== null) && ranking.length === 2;
    if (store.you === null) return say("result_by", { names: first.map((seat) => store.names[seat]).join(", ") });
    if (first.includes(store.you)) {
      if (reason === "resignation" || first.length === 1) return say("result_won");
      return sided ? say("result_won_side") : say("result_tied");
    }
    if (sided && store.players.length > 2) return say("result_lost_side");
    return say("result_place", { n: placeOf(store.you) });
  }

  function placeOf(seat) {
    let better = 0;
    for (const group of store.outcome.ranking) {
      if (group.includes(seat)) return better + 1;
      better += group.length;
    }
    return better;
  }

  /** The seed is only told when all is over; the server is asked for it. */
  async function fetchSeed() {
    const seed = page.querySelector("#seed");
    if (!seed.textContent) {
      const answer = await fetch(page.dataset.state, { headers: { Accept: "application/json" } });
      if (answer.ok) seed.textContent = (await answer.json()).seed ?? "";
    }
  }

  return {
    draw() {
      if (store.status !== "over" || !store.outcome) return;
      box.hidden = false;
      box.querySelector("#result-title").textContent = headline();
      const last = document.querySelector("#log li:last-child");
      box.querySelector("#result-sentence").textContent = ["resignation", "agreement"].includes(store.outcome.reason) ? say(`reason_${store.outcome.reason}`) : (last?.textContent ?? "");
      const sided = store.view.seats.some(({ team }) => team !== null);
      const rows = store.outcome.ranking.flatMap((group, at) => group.map((seat) => ({ seat, place: sided ? at + 1 : placeOf(seat) })));
      box.querySelector("#result-places").replaceChildren(
        ...rows.map(({ seat, place }) =>
          el(
            `li${seat === store.you ? ".is-me" : ""}`,
            {},
            el("span.result-place", {}, store.outcome.reason === "agreement" ? "–" : String(place)),
            el("span.result-name", {}, store.names[seat], store.view.seats[seat].team === null ? null : sideMark(store.view.seats[seat].team)),
            el("span.result-points", {}, say("points", { n: store.outcome.points[seat] })),
          ),
        ),
      );
      const rematch = box.querySelector("#rematch");
      if (rematch && store.rematch) rematch.textContent = say("rematch_there");
      page.querySelector("#resign")?.remove();
      page.classList.add("is-over");
      if (!shown) {
        shown = true;
        fetchSeed().catch(() => undefined);
        if (!wasOver) box.focus({ preventScroll: false });
      }
    },
  };
}
