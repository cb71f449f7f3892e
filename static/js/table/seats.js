/** The seats around the table, and the player's own: who sits there, what they hold, and whose turn it is. */

import { knownCards } from "./cards.js";
import { absenceOf, clockOf, show as showClock } from "./clock.js";
import { el, renew } from "./el.js";
import { amountsOf, initials, pointsOf, SIDE_MARKS, say, unitOf } from "./words.js";

/** Zones of a seat that are in front of it on the table. */
const SHOWN_IN_THE_MIDDLE = new Set(["meld", "battleground", "drawn", "fan"]);

/** Windows with all opponents in one row, and windows without opponents beside melds. */
const narrow = matchMedia("(max-width: 37.5em), (max-height: 479px)");
const wide = matchMedia("(min-width: 64em)");
/** From this many opponents on, one sits at each side of the table, and from this many, two. */
const SIDES = [4, 7];
/** How long a row of seats is: style rules that counted them cost time at each move. */
const LONG = { "has-two": 2, "has-three": 3, "has-four": 4 };

/**
 * @param {Found} place - of the player's own seat
 * @param {Table} table
 * @param {Layout} layout
 * @param {() => void} turned - called when the window's layout has changed
 */
export function makeSeats(place, table, layout, turned) {
  const { store } = table;
  /** The sprite sheet with the faces of AI players. */
  const { faces } = document.getElementById("table").dataset;
  const amountOf = amountsOf(layout);

  /** The width of an opponent's seat: on a phone they share one row. */
  const roomOfSeat = () =>
    narrow.matches ? innerWidth / (store.players.length - (store.you === null ? 0 : 1)) : Number.POSITIVE_INFINITY;

  /** @param {Zone} zone */
  function chip(zone) {
    const kind = zone.id.split(":")[0];
    const known = (zone.cards ?? []).filter((code) => code !== null);
    return el(
      "li.chip",
      { dataset: { zone: zone.id, kind } },
      el("span.chip-cards", { "aria-hidden": "true" }),
      el("span.chip-count", {}, String(zone.count)),
      el("span.chip-label", {}, ` ${say({ won: "wins" }[kind] ?? kind)}`),
      known.length ? knownCards(known, roomOfSeat()) : null,
    );
  }

  /**
   * Initials for a person, a drawn face for an AI player.
   * @param {SeatedPlayer} player
   */
  function avatar({ kind, name }) {
    const mark = el(`span.avatar${kind === "ai" ? ".ai" : ""}`, { "aria-hidden": "true" });
    if (kind === "ai" && faces) {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("class", "face");
      const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
      use.setAttribute("href", `${faces}#${name.toLowerCase()}`);
      svg.append(use);
      mark.append(svg);
    } else mark.append(el("span.avatar-letter", {}, initials(name)));
    return mark;
  }

  /**
   * Boxes of the seats by number: they stay in the page, because new faces would flicker.
   * @type {Map<number, Found>}
   */
  const boxes = new Map();

  /**
   * @param {number} seat
   * @param {boolean} mine
   */
  function seatBox(seat, mine) {
    const player = store.players[seat];
    const standing = store.view.seats[seat];
    // While a lesson waits for a slap, no card can be played.
    const isTurn = store.status === "running" && store.view.to_move.includes(seat) && store.lesson?.move !== "slap";
    const who = `${player.kind} ${player.name}`;
    const box = boxes.get(seat) ?? el("div.seat", { dataset: { seat: String(seat), target: `seat:${seat}` } });
    if (box.dataset.who !== who) box.replaceChildren(avatar(player));
    Object.assign(box.dataset, { who, ...(standing.team === null ? {} : { team: String(standing.team) }) });
    box.classList.toggle("is-turn", isTurn);
    box.classList.toggle("is-mine", mine);
    // At the end the winner of Avalanche may be out of cards, too.
    box.classList.toggle("is-out", standing.out && store.status !== "over");
    const presence =
      player.kind === "ai" || player.online === null
        ? null
        : el(
            `span.dot${player.online ? ".is-online" : ""}`,
            { title: say(player.online ? "online" : "offline") },
            el("span.visually-hidden", {}, say(player.online ? "online" : "offline")),
          );
    const notes = [
      standing.place !== null ? say("place", { n: standing.place }) : standing.out ? say("out") : null,
      mine && !store.isReplay ? say("you") : null,
      absenceOf(store, seat),
      player.resigned
        ? say(player.kind === "ai" && store.status !== "over" ? "resigned_ai" : "resigned")
        : player.kind === "ai"
          ? say("ai_level", { level: say(player.level ?? "") })
          : null,
    ];
    const coming = layout.coming?.(table, seat);
    // In an opponent's place on a phone there is no room for it beside what the deal is worth so far, or a place.
    const hasUnit = mine || !(narrow.matches && (coming || store.status === "over"));
    const points =
      layout.hasPoints?.(table) === false
        ? null
        : el(
            "span.seat-points",
            { title: amountOf(standing.points) },
            ...(layout.countsCards
              ? [amountOf(standing.points)]
              : [
                  String(standing.points),
                  hasUnit ? el("span.seat-unit", { "aria-hidden": "true" }, unitOf(standing.points)) : null,
                  el("span.visually-hidden", {}, ` ${pointsOf(standing.points, "")}`),
                ]),
            coming
              ? el(
                  "span.seat-coming",
                  { title: coming.text },
                  el("span", { "aria-hidden": "true" }, ` +${coming.n}`),
                  el("span.visually-hidden", {}, `, ${coming.text}`),
                )
              : null,
          );
    const words = el(
      "div.seat-words",
      {},
      el(
        "div.seat-line",
        {},
        el("strong.seat-who", { title: player.name }, player.name),
        presence,
        standing.team === null ? null : sideMark(standing.team),
        points,
        clockOf(store, seat),
      ),
      el("div.seat-note", {}, notes.filter(Boolean).join(" · ")),
    );
    const zones = store.view.zones.filter((zone) => zone.owner === seat && isChip(zone, mine));
    const chips = [...(layout.chips?.(table, seat) ?? []), ...zones.map(chip)];
    renew(box, ":scope > .seat-words", words);
    renew(box, ":scope > .chips", chips.length ? el("ul.chips", { role: "list" }, ...chips) : null);
    const clock = box.querySelector(".seat-clock.is-running");
    if (clock) showClock(clock);
    else box.classList.remove("is-timed");
    boxes.set(seat, box);
    return box;
  }

  /**
   * @param {Zone} zone
   * @param {boolean} mine
   */
  const isChip = (zone, mine) => {
    const kind = zone.id.split(":")[0];
    if (SHOWN_IN_THE_MIDDLE.has(kind)) return false;
    if (layout.isSpare?.(kind)) return false;
    if (kind === "hand") return !mine;
    return kind !== "won" || zone.count > 0 || store.view.phase === "stage1";
  };

  const sides = ["left", "top", "right"].map((name) => el(`div.seats.seats--${name}`));

  /** The opponents, clockwise from the left; a spectator sees all players. Unchanged seats stay in place. */
  function drawOthers() {
    const seats = store.view.seats.map(({ seat }) => seat);
    const from = store.you ?? 0;
    const round = [...seats.slice(from), ...seats.slice(0, from)];
    const others = (store.you === null ? round : round.slice(1)).map((seat) => seatBox(seat, false));
    const isRow = narrow.matches || (layout.isBroad && wide.matches);
    const beside = isRow ? 0 : SIDES.filter((n) => others.length >= n).length;
    const parts = [
      others.slice(0, beside),
      others.slice(beside, others.length - beside),
      others.slice(others.length - beside),
    ];
    for (const [at, part] of parts.entries()) {
      if (part.length !== sides[at].children.length || part.some((box, n) => sides[at].children[n] !== box))
        sides[at].replaceChildren(...part);
      for (const [name, n] of Object.entries(LONG)) sides[at].classList.toggle(name, part.length >= n);
    }
  }

  for (const query of [narrow, wide]) query.addEventListener("change", turned);
  return {
    /** The rows of opponents: at the left, the top and the right. */
    sides,
    draw() {
      if (store.you !== null) {
        const mine = seatBox(store.you, true);
        if (place.firstChild !== mine) place.replaceChildren(mine);
      }
      drawOthers();
    },
  };
}

/**
 * A side's mark: a shape and a word, because colour alone isn't enough.
 * @param {number} team
 */
export const sideMark = (team) =>
  el(
    `span.side.side--${team}`,
    { title: say("side", { mark: SIDE_MARKS[team] }) },
    SIDE_MARKS[team],
    el("span.visually-hidden", {}, say("side", { mark: team + 1 })),
  );
