/** Turn-based slaps: the panel of a slap point, at the table and where its cards are watched. Live tables never load it. */

import { el } from "./el.js";
import { foldedNumbers, makeVerdict } from "./verdict.js";
import { say } from "./words.js";

/** Seconds to read a verdict before the next cards come by themselves. */
const NEXT_AFTER = 5;
const PLAYING = new Set(["stage1", "stage2"]);

/**
 * @param {Found} box - the panel
 * @param {Found} page - with `data-watching` if cards are watched here
 * @param {Store} store
 * @param {(message: Intent) => boolean} send
 */
export function makePoint(box, page, store, send) {
  const isHere = page.dataset.watching !== undefined;
  /** @param {string} name */
  const part = (name) => document.getElementById(`point-${name}`);
  /**
   * The server's last message about the slap point; only on the watch page.
   * @type {WatchStanding | null}
   */
  let standing = null;
  /** Whether cards were shown here: then the next ones follow by themselves. */
  let wasShown = false;
  /** @type {Element | null} */
  let verdict = null;
  let timer = 0;

  const isPoint = () => store.status === "running" && PLAYING.has(store.view.phase);
  /** @param {number[]} seats */
  const namesOf = (seats) => seats.map((seat) => store.names[seat]).join(", ");
  /** @param {number} n */
  const returnsLeft = (n) => say(n === 1 ? "point_returns_1" : n ? "point_returns" : "point_returns_0", { n });

  /**
   * Fill the panel: `go` is the text of its button, `links` are the visible links.
   * @param {{ title: string, text?: string, go?: string, later?: boolean, links?: string[] }} what
   */
  function show({ title, text = "", go = "", later = false, links = [] }) {
    part("title").textContent = title;
    part("text").textContent = text;
    part("text").hidden = !text;
    part("verdict").replaceChildren(...(verdict ? [verdict] : []));
    part("go").hidden = !go;
    part("go").textContent = go;
    part("later").hidden = !later;
    for (const name of ["watch", "table", "matches"]) part(name).hidden = !links.includes(name);
    box.hidden = false;
  }

  function begin() {
    clearInterval(timer);
    verdict = null;
    if (send({ t: "watch" })) box.hidden = true;
  }

  /** Start the next cards after a while, unless the page is hidden. */
  function countDown() {
    let left = NEXT_AFTER;
    const say_ = () => show({ title: say("point_next", { n: left }), go: say("point_now"), later: true });
    say_();
    timer = setInterval(() => {
      left -= 1;
      if (document.hidden) return wait();
      if (left > 0) say_();
      else begin();
    }, 1000);
  }

  function wait() {
    clearInterval(timer);
    wasShown = false;
    drawWatching();
    part("go").focus({ preventScroll: true });
  }

  function drawWatching() {
    clearInterval(timer);
    if (!standing) return;
    const { state, waits, returns, hands } = standing;
    const names = namesOf(waits);
    switch (state) {
      case "running":
        wasShown = true;
        box.hidden = true;
        return;
      case "ready":
        if (wasShown && !document.hidden) return countDown();
        return show({
          title: say("point_ready"),
          text: say("point_ready_text"),
          go: say("point_go"),
          links: ["table"],
        });
      case "again":
        wasShown = false;
        return show({
          title: say("point_again"),
          text: `${say("point_again_text")} ${returnsLeft(returns)}`,
          go: say("point_go_on"),
          links: ["table"],
        });
      case "seen":
        if (hands.length) verdict = handsSoFar(hands);
        return show({
          title: say("point_seen"),
          text: say(waits.length === 1 ? "point_seen_1" : "point_seen_text", { names }),
          links: ["table", "matches"],
        });
      case "others":
        return show({
          title: say("point_others"),
          text: names ? say("point_waits_text", { names }) : "",
          links: ["table"],
        });
      default:
        return show({ title: say("point_table"), text: say("point_table_text"), links: ["table"] });
    }
  }

  /**
   * The slaps recorded so far, for players whom they can't influence any more.
   * @param {Hand[]} hands
   */
  function handsSoFar(hands) {
    const mine = hands.find(({ seat }) => seat === store.you);
    const others = hands.filter(({ seat }) => seat !== store.you);
    const compared =
      mine && others.length
        ? el(
            "p.verdict-compare",
            {},
            say("verdict_compare", {
              name: store.names[others[0].seat],
              best: others[0].reaction,
              mine: mine.reaction,
            }),
          )
        : null;
    const rows = hands.map((hand) =>
      el(
        "li",
        {},
        el("strong", {}, store.names[hand.seat]),
        el("span.verdict-time", {}, say("reaction", { ms: hand.reaction })),
        el("span", {}, say("pending")),
      ),
    );
    const slaps = el("ol.verdict-slaps", { role: "list" }, ...rows);
    return el("div.verdict", {}, compared, slaps, foldedNumbers(hands, store.names));
  }

  function drawTable() {
    const waits = store.view.to_move;
    const asleep = store.asleep.length ? say("point_asleep", { names: namesOf(store.asleep) }) : "";
    const isMine = store.you !== null && waits.includes(store.you);
    if (isMine) show({ title: say("point_mine"), text: `${say("point_mine_text")} ${asleep}`, links: ["watch"] });
    else show({ title: say("point_waits"), text: `${say("point_waits_text", { names: namesOf(waits) })} ${asleep}` });
  }

  part("go").addEventListener("click", begin);
  part("later").addEventListener("click", wait);

  return {
    /** Whether cards are watched on this page. */
    isHere: () => isHere,
    /** Whether this is the table during a slap point, whose cards are watched on another page. */
    isElsewhere: () => !isHere && isPoint(),
    /**
     * Process the server's message about the slap point.
     * @param {WatchStanding} message
     */
    take(message) {
      if (!isHere) return;
      const isFirst = standing === null;
      standing = message;
      drawWatching();
      if (isFirst && !part("go").hidden) part("go").focus({ preventScroll: true });
    },
    /**
     * A verdict on a whole slap point is shown together with what comes next.
     * @param {Verdict} message
     */
    tookVerdict(message) {
      if (!isHere || message.by_mail !== true) return false;
      verdict = makeVerdict(message, store.names, store.you);
      return true;
    },
    /** Called after each drawing. */
    drawn() {
      if (isHere) return;
      if (isPoint()) drawTable();
      else box.hidden = true;
    },
    /** The strip's text at a slap point, and whether it concerns this player; null otherwise. */
    status() {
      if (isHere && standing?.state === "running") return { text: say("point_watching"), isMine: false };
      if (!isPoint() && !isHere) return null;
      const waits = isHere ? (standing?.waits ?? []) : store.view.to_move;
      const isMine = store.you !== null && waits.includes(store.you);
      if (store.status !== "running" || standing?.state === "table") return null;
      return { text: isMine ? say("point_status") : say("point_status_waits", { names: namesOf(waits) }), isMine };
    },
  };
}
