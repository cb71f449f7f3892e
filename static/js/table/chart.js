/** The course of a match: each seat's points, deal by deal, and the best moment. */

import { el } from "./el.js";
import { say } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 300;
const HIGH = 64;

/**
 * @param {Found} box
 * @param {Store} store
 * @param {() => DealRow[]} deals
 */
export function makeChart(box, store, deals) {
  /** @param {DealRow[]} rows */
  function lines(rows) {
    const totals = store.players.map((_player, seat) => {
      let sum = 0;
      return [0, ...rows.map(({ gains }) => (sum += gains[seat]))];
    });
    const [low, high] = [Math.min(...totals.flat()), Math.max(...totals.flat(), 1)];
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", `-3 -3 ${WIDE + 6} ${HIGH + 6}`);
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("aria-hidden", "true");
    // The player's own line is drawn over the others.
    const seats = [...totals.keys()].sort((one, other) => Number(one === store.you) - Number(other === store.you));
    for (const seat of seats) {
      const line = document.createElementNS(SVG, "polyline");
      const points = totals[seat].map(
        (sum, at) => `${(WIDE * at) / rows.length},${HIGH - (HIGH * (sum - low)) / (high - low)}`,
      );
      line.setAttribute("points", points.join(" "));
      line.setAttribute("class", seat === store.you ? "chart-line is-me" : "chart-line");
      picture.append(line);
    }
    return picture;
  }

  /**
   * The deal in which one seat gained most.
   * @param {DealRow[]} rows
   */
  function best(rows) {
    const gains = rows.flatMap(({ gains, v }, at) => gains.map((gain, seat) => ({ gain, seat, v, n: at + 1 })));
    return gains.reduce((most, each) => (each.gain > most.gain ? each : most));
  }

  /**
   * A caption with a link to that moment of the replay.
   * @param {number} v
   * @param {string} text
   */
  const moment = (v, text) => el("figcaption", {}, el("a", { href: `${box.dataset.replay}?v=${v}` }, text));

  /** @param {DealRow[]} rows */
  function bestDeal(rows) {
    const { gain, seat, v, n } = best(rows);
    // In games where points are bad, most points are no achievement.
    const isFeat = gain > 0 && store.outcome?.points.every((points, at) => points >= 0 && isRanked(at));
    return isFeat
      ? [
          moment(
            v,
            say("best_deal", {
              name: store.nameFor(seat),
              points: say("gain", { n: gain }),
              n,
            }),
          ),
        ]
      : [];
  }

  /**
   * The text with the name of its player.
   * @param {LogLine} feat
   */
  function said({ seat, text }) {
    if (seat === null) return say("best_moment", { text });
    return seat === store.you ? say("best_own", { text }) : say("best_of", { name: store.names[seat], text });
  }

  return {
    draw() {
      const rows = deals();
      const { feat } = store;
      box.hidden = rows.length < 2 && !feat;
      if (rows.length > 1) box.replaceChildren(lines(rows), ...bestDeal(rows));
      else if (feat) box.replaceChildren(moment(feat.v, said(feat)));
    },
  };

  /**
   * Whether all players with more points than this seat are placed before it.
   * @param {number} seat
   */
  function isRanked(seat) {
    const { ranking = [], points = [] } = store.outcome ?? {};
    const place = (/** @type {number} */ of) => ranking.findIndex((group) => group.includes(of));
    return points.every((more, other) => more <= points[seat] || place(other) <= place(seat));
  }
}
