/** Draws the whole table from the newest view. Elements of cards are kept, so that they can travel. */

import { makeCard } from "./cards.js";
import { el } from "./el.js";
import { absenceOf, clockOf } from "./clock.js";
import { SIDE_MARKS, cardName, cardSign, countOf, say } from "./words.js";

export { el };

/** No card shows less of itself than this, so that a thumb hits it. */
const REACH = 44;
/** How far a card of a zone that nobody touches shows under the next one, as part of its width. */
const PEEK = 0.36;

/** Zones of a seat that lie before it on the table. */
const SHOWN_IN_THE_MIDDLE = new Set(["meld", "battleground", "drawn", "fan"]);

/** Where opponents sit, by their number, going round clockwise from the left: [left, top, right]. */
const PLACES = [[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 1, 1], [1, 2, 1], [1, 3, 1], [2, 2, 2], [2, 3, 2]];

/**
 * @param {{felt: Element, ownSeat: Element, hand: Element, mine: Element}} places
 * @param {object} store
 * @param {object} layout - of the game: `marks(table)`, `centre(table)`, `chips(table, seat)`, `label`…
 */
export function makeRender(places, store, layout) {
  /** Where the faces of AI players are drawn. */
  const { faces } = document.getElementById("table").dataset;
  /** Card elements by key, of the last drawing. */
  let pool = new Map();
  let fresh = new Map();
  let counts = new Map();
  /** Cards of the own hand in the order they came. */
  let arrival = [];
  let newest = new Set();
  /** The order that the player has laid the hand in, by key. */
  let own = [];

  function cardEl(code, zone, tag = "span") {
    const n = counts.get(code ?? zone) ?? 0;
    counts.set(code ?? zone, n + 1);
    const key = code === null ? `${zone}@${n}` : `${code}#${n}`;
    let card = pool.get(key);
    if (!card || card.tagName.toLowerCase() !== tag) card = makeCard(code, tag);
    card.classList.remove("is-new", "is-spotted", "is-turning", "is-planned");
    card.style.rotate = card.style.translate = "";
    card.dataset.key = key;
    card.dataset.zone = zone;
    fresh.set(key, card);
    return card;
  }

  /** All cards of a zone side by side, overlapping as needed; in several rows if each must be reachable. */
  function spread(zone, { tag = "span", reach = tag === "button", order = (cards) => cards } = {}) {
    const cards = order(zone.cards ?? Array(zone.count).fill(null)).map((code) => cardEl(code, zone.id, tag));
    return rowsOf(cards, zone.id, reach);
  }

  function rowsOf(cards, zoneId, reach) {
    const box = el(`ul.spread${reach ? ".spread--reach" : ""}`, { role: "list", dataset: { zone: zoneId } });
    box.style.setProperty("--ideal", String(cards.length));
    box.tableRows = { cards, reach };
    return box;
  }

  /** Overlaps depend on the width that a box has got, so they are set when it lies on the page. */
  function layOut(box) {
    const { cards, reach, laidFor } = box.tableRows;
    const cardWidth = parseFloat(getComputedStyle(box).getPropertyValue("--card-px")) || 64;
    const room = box.clientWidth || box.parentElement.clientWidth;
    // Moving a card takes the focus from it: rows that fit stay.
    if (laidFor === `${room} ${cardWidth}`) return;
    box.tableRows.laidFor = `${room} ${cardWidth}`;
    const focused = box.contains(document.activeElement) ? document.activeElement : null;
    const gap = 6;
    let rows = 1;
    const step = (n) => (n < 2 ? cardWidth + gap : Math.min(cardWidth + gap, (room - cardWidth) / (n - 1)));
    const least = reach ? Math.min(REACH, cardWidth) : cardWidth * PEEK;
    while (rows < cards.length && step(Math.ceil(cards.length / rows)) < least) rows += 1;
    const each = Math.ceil(cards.length / rows);
    const lines = [];
    for (let at = 0; at < cards.length; at += each) {
      const row = el("li.spread-row", {}, el("ul", { role: "list" }, ...cards.slice(at, at + each).map((card) => el("li", {}, card))));
      row.style.setProperty("--step", `${step(each)}px`);
      lines.push(row);
    }
    box.replaceChildren(...lines);
    box.classList.toggle("spread--crowded", rows > 1);
    focused?.focus({ preventScroll: true });
  }

  /** A pile of which only the top can matter, with its count. */
  function stackOf(zone, { label, target = zone.id } = {}) {
    const top = zone.cards?.length ? zone.cards.at(-1) : null;
    const card = zone.count ? cardEl(top, zone.id) : el("span.playing-card-place", { "aria-hidden": "true" });
    return section(zone, label, [el("div.stack", { dataset: { zone: zone.id, target, depth: String(Math.min(3, zone.count)) } }, card)], countOf(zone.count));
  }

  function section(zone, label, children, note) {
    return el(
      "section.zone",
      { dataset: { kind: zone.id.split(":")[0] }, "aria-label": `${label ?? titleOf(zone)}: ${note ?? countOf(zone.count)}` },
      el("h3.zone-title", { "aria-hidden": "true" }, label ?? titleOf(zone), note && zone.count > 1 ? el("span.zone-count", {}, ` ${zone.count}`) : null),
      ...children,
    );
  }

  const titleOf = ({ id, owner }) => {
    const [kind, n] = id.split(":");
    return kind === "fan" ? say("fan_of", { mark: SIDE_MARKS[n] }) : say(kind, { n, name: owner === null ? "" : store.names[owner] });
  };

  /** A zone as the games without special wishes show it. */
  function zoneBox(zone) {
    const kind = zone.id.split(":")[0];
    if (zone.cards === null || kind === "discard" || kind === "stopped") return stackOf(zone);
    if (!zone.count) return section(zone, undefined, [el("div.stack", { dataset: { zone: zone.id, target: zone.id } }, el("span.playing-card-place", { "aria-hidden": "true" }))]);
    return section(zone, undefined, [spread(zone)]);
  }

  const isHandEmpty = () => !(store.zone(`hand:${store.you}`)?.count > 1);

  const table = { isHandEmpty, store, el, cardEl, spread, stackOf, section, zoneBox, titleOf, mark };
  Object.defineProperties(table, { view: { get: () => store.view }, facts: { get: () => store.view.facts } });

  /** A fact in sight: its name, and words or cards. */
  function mark(label, ...values) {
    return el("div.mark", {}, el("dt", {}, label), el("dd", {}, ...values.map((value) => (value instanceof Node ? value : String(value)))));
  }

  function chip(zone) {
    const kind = zone.id.split(":")[0];
    const known = (zone.cards ?? []).filter((code) => code !== null);
    return el(
      "li.chip",
      { dataset: { zone: zone.id, kind } },
      el("span.chip-cards", { "aria-hidden": "true" }),
      el("span.chip-count", {}, String(zone.count)),
      el("span.chip-label", {}, ` ${say({ won: "wins" }[kind] ?? kind)}`),
      known.length ? el("span.chip-known", {}, ...known.map(sign)) : null,
    );
  }

  /** A letter for a person, a drawn face for an AI player. */
  function avatar({ kind, name }) {
    const mark = el(`span.avatar${kind === "ai" ? ".ai" : ""}`, { "aria-hidden": "true" });
    if (kind === "ai" && faces) {
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      svg.setAttribute("class", "face");
      const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
      use.setAttribute("href", `${faces}#${name.toLowerCase()}`);
      svg.append(use);
      mark.append(svg);
    } else mark.textContent = name.charAt(0).toUpperCase();
    return mark;
  }

  function seatBox(seat, mine) {
    const player = store.players[seat];
    const standing = store.view.seats[seat];
    const isTurn = store.status === "running" && store.view.to_move.includes(seat);
    const box = el(`div.seat${isTurn ? ".is-turn" : ""}${mine ? ".is-mine" : ""}${standing.out ? ".is-out" : ""}`, {
      dataset: { seat: String(seat), target: `seat:${seat}`, ...(standing.team === null ? {} : { team: String(standing.team) }) },
    });
    const presence = player.kind === "ai" || player.online === null ? null : el(`span.dot${player.online ? ".is-online" : ""}`, { title: say(player.online ? "online" : "offline") }, el("span.visually-hidden", {}, say(player.online ? "online" : "offline")));
    const name = el(
      "div.seat-name",
      {},
      avatar(player),
      el(
        "div.seat-words",
        {},
        el("div.seat-line", {}, el("strong.seat-who", {}, player.name), presence, standing.team === null ? null : sideMark(standing.team), clockOf(store, seat)),
        el(
          "div.seat-note",
          {},
          [
            standing.place === null ? null : say("place", { n: standing.place }),
            standing.out ? say("out") : null,
            mine && !store.isReplay ? say("you") : null,
            absenceOf(store, seat),
            player.resigned ? say("resigned") : player.kind === "ai" ? say("ai_level", { level: say(player.level) }) : null,
          ]
            .filter(Boolean)
            .join(" · "),
        ),
      ),
      layout.hasPoints?.(table) === false ? null : el("span.seat-points", { title: say("points", { n: standing.points }) }, String(standing.points), el("span.visually-hidden", {}, ` ${say("points", { n: "" })}`)),
    );
    const zones = store.view.zones.filter((zone) => zone.owner === seat && isChip(zone, mine));
    const chips = [...(layout.chips?.(table, seat) ?? []), ...zones.map(chip)];
    box.append(name);
    if (chips.length) box.append(el("ul.chips", { role: "list" }, ...chips));
    return box;
  }

  const isChip = (zone, mine) => {
    const kind = zone.id.split(":")[0];
    if (SHOWN_IN_THE_MIDDLE.has(kind)) return false;
    if (kind === "hand") return !mine;
    return kind !== "won" || zone.count > 0 || store.view.phase.startsWith("stage");
  };

  function drawSeats() {
    const seats = store.view.seats.map(({ seat }) => seat);
    const from = store.you ?? 0;
    const round = [...seats.slice(from), ...seats.slice(0, from)];
    const others = store.you === null ? round : round.slice(1);
    // A spectator sees all; the first of them sits where the own seat would be.
    const [left, top] = PLACES[Math.min(others.length, PLACES.length - 1)];
    const boxes = others.map((seat) => seatBox(seat, false));
    return [
      el("div.seats.seats--left", {}, ...boxes.slice(0, left)),
      el("div.seats.seats--top", {}, ...boxes.slice(left, others.length > 7 ? left + top + others.length - 7 : left + top)),
      el("div.seats.seats--right", {}, ...boxes.slice(others.length > 7 ? left + top + others.length - 7 : left + top)),
    ];
  }

  function drawHand() {
    const zone = store.you === null ? null : store.zone(`hand:${store.you}`);
    if (!zone?.count) return places.hand.replaceChildren();
    const order = handOrder(zone.cards);
    const box = spread(zone, { tag: "button", reach: true, order: () => order });
    box.setAttribute("aria-label", say("your_hand"));
    // A hand that is as it was stays where it lies: a touch that has begun on a card would be lost with it.
    const { cards } = box.tableRows;
    const lying = places.hand.firstElementChild?.tableRows?.cards ?? [];
    if (lying.length !== cards.length || cards.some((card, at) => card !== lying[at])) places.hand.replaceChildren(box);
    for (const card of cards) card.classList.toggle("is-new", newest.has(card.dataset.key) && newest.size <= order.length / 2);
  }

  /** Cards with their number among equals: two packs have twins. */
  function keyed(cards) {
    const seen = new Map();
    return cards.map((code) => {
      const n = seen.get(code) ?? 0;
      seen.set(code, n + 1);
      return `${code}#${n}`;
    });
  }

  /** Remember in which order cards came to the own hand, and which came last. */
  function noticeHand() {
    const zone = store.you === null ? null : store.zone(`hand:${store.you}`);
    const keys = zone ? keyed(zone.cards) : [];
    const come = keys.filter((key) => !arrival.includes(key));
    if (come.length) newest = new Set(come);
    arrival = [...arrival.filter((key) => keys.includes(key)), ...come];
  }

  const RANKS = "A23456789TJQK";
  function handOrder(cards) {
    if (table.order === "drawn") return arrival.map((key) => key.split("#")[0]);
    if (table.order === "own") {
      own = [...own.filter((key) => arrival.includes(key)), ...arrival.filter((key) => !own.includes(key))];
      return own.map((key) => key.split("#")[0]);
    }
    if (table.order === "rank") return cards.slice().sort((one, other) => RANKS.indexOf(one[0]) - RANKS.indexOf(other[0]));
    return cards;
  }

  return {
    table,
    /** Draw the newest view. */
    draw() {
      fresh = new Map();
      counts = new Map();
      noticeHand();
      const focus = document.activeElement?.dataset?.key;
      const wasInHand = places.hand.contains(document.activeElement);
      // The hand first: of twins in two packs the one in the hand keeps its element, and with it focus and choice.
      places.mine.hidden = store.you === null;
      if (store.you !== null) {
        drawHand();
        places.ownSeat.replaceChildren(seatBox(store.you, true));
      }
      const centre = el("div.centre", { dataset: { target: "centre" } }, ...layout.centre(table).filter(Boolean));
      const marks = layout.marks(table).filter(Boolean);
      places.felt.replaceChildren(...drawSeats(), centre, ...(marks.length ? [el("dl.marks", {}, ...marks)] : []));
      places.felt.classList.toggle("is-crowded", store.view.seats.length > 4);
      pool = fresh;
      this.arrange();
      // Who plays by keyboard stays in the hand when the card has left it.
      const held = focus && (pool.get(focus)?.tagName === "BUTTON" ? pool.get(focus) : wasInHand && places.hand.querySelector("button"));
      if (held) held.focus({ preventScroll: true });
    },
    /** Put a card of the own hand to another place; from then on the hand stays as it is laid. */
    place(key, at) {
      const shown = [...places.hand.querySelectorAll("[data-key]")].map((card) => card.dataset.key);
      own = shown.filter((other) => other !== key);
      own.splice(at, 0, key);
      table.order = "own";
      this.draw();
      this.ordered?.();
    },
    /** Overlap the cards as the room allows. */
    arrange() {
      for (const box of document.querySelectorAll(".spread")) if (box.tableRows) layOut(box);
    },
    /** Elements of all cards in sight, by key. */
    cards: () => pool,
  };
}

/** A card in a line of words. */
export function sign(code) {
  const red = code === "RJ" || code[1] === "D" || code[1] === "H";
  const kind = code[1] === "J" ? "" : { C: " is-clubs", D: " is-diamonds", H: " is-hearts", S: " is-spades" }[code[1]];
  const made = el("span", {}, el("span", { "aria-hidden": "true" }, cardSign(code)), el("span.visually-hidden", {}, cardName(code)));
  made.className = `card-sign${red ? " is-red" : ""}${kind}`;
  return made;
}

/** A side by its shape and its word, not by colour alone. */
export const sideMark = (team) =>
  el(`span.side.side--${team}`, { title: say("side", { mark: SIDE_MARKS[team] }) }, SIDE_MARKS[team], el("span.visually-hidden", {}, say("side", { mark: team + 1 })));
