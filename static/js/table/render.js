/** Draws the whole table from the newest view. Elements of cards are kept, so that they can move. */

import { makeCard } from "./cards.js";
import { el, setChildren } from "./el.js";
import { arrange, makeFit, makeRoom } from "./fit.js";
import { makeSeats } from "./seats.js";
import { countOf, SIDE_MARKS, say } from "./words.js";

/**
 * @param {{ felt: Found, ownSeat: Found, hand: Found, mine: Found }} places
 * @param {Store} store
 * @param {Layout} layout - of the game: `marks(table)`, `centre(table)`, `chips(table, seat)`, `label`…
 */
export function makeRender(places, store, layout) {
  const { order: firstOrder = "", ranks = "" } = document.getElementById("table").dataset;
  /**
   * Card elements by key, from the last drawing.
   * @type {Cards}
   */
  let pool = new Map();
  /** @type {Cards} */
  let fresh = new Map();
  /** @type {Map<string, number>} */
  let counts = new Map();
  /**
   * Cards of the player's own hand in the order in which they came.
   * @type {string[]}
   */
  let arrival = [];
  /** @type {Set<string>} */
  let newest = new Set();
  /**
   * The player's own order of the hand, by key.
   * @type {string[]}
   */
  let own = [];

  /**
   * @param {string | null} code
   * @param {string} zone
   * @param {"span" | "button"} [tag]
   */
  function cardEl(code, zone, tag = "span") {
    const n = counts.get(code ?? zone) ?? 0;
    counts.set(code ?? zone, n + 1);
    const key = code === null ? `${zone}@${n}` : `${code}#${n}`;
    let card = pool.get(key);
    if (!card || card.tagName.toLowerCase() !== tag) card = makeCard(code, tag);
    card.classList.remove("is-new", "is-spotted", "is-turning", "is-planned", "is-lit", "is-last");
    card.style.rotate = card.style.translate = "";
    card.dataset.key = key;
    card.dataset.zone = zone;
    fresh.set(key, card);
    return card;
  }

  /**
   * The last spreads by zone: one with the same cards stays, because placing it again costs most.
   * @type {Map<string, Found>}
   */
  const spreads = new Map();

  /**
   * All cards of a zone side by side, overlapping as needed; in several rows if each must be touchable.
   * @param {Zone} zone
   * @param {SpreadOptions} [options]
   */
  function spread(zone, { tag = "span", reach = tag === "button", order = (cards) => cards } = {}) {
    const cards = order(zone.cards ?? Array(zone.count).fill(null)).map((code) => cardEl(code, zone.id, tag));
    const lain = spreads.get(zone.id);
    const asItLay = lain?.isConnected && lain.tableRows.reach === reach && lain.tableRows.cards.length === cards.length;
    if (asItLay && cards.every((card, at) => card === lain.tableRows.cards[at] && lain.contains(card))) return lain;
    // The hand stays, and in it all cards that are still there: fit.js puts the others in their places.
    const isHand = zone.id === `hand:${store.you}`;
    const box =
      isHand && lain?.isConnected
        ? lain
        : el(`ul.spread${reach ? ".spread--reach" : ""}`, { role: "list", dataset: { zone: zone.id } });
    if (!isHand) box.style.setProperty("--ideal", String(cards.length));
    box.tableRows = { cards, reach };
    // In as many rows as before, which is usually right: then no card is put into the page twice.
    arrange(box, Math.ceil(cards.length / (lain?.childElementCount || 1)) || 1);
    spreads.set(zone.id, box);
    return box;
  }

  /**
   * A pile of which only the top card matters, with its count.
   * @param {Zone} zone
   * @param {{ label?: string, target?: string }} [options]
   */
  function stackOf(zone, { label, target = zone.id } = {}) {
    const top = zone.cards?.at(-1) ?? null;
    const card = zone.count ? cardEl(top, zone.id) : el("span.playing-card-place", { "aria-hidden": "true" });
    return section(
      zone,
      label,
      [el("div.stack", { dataset: { zone: zone.id, target, depth: String(Math.min(3, zone.count)) } }, card)],
      countOf(zone.count),
    );
  }

  /**
   * @param {Zone} zone
   * @param {string | undefined} label
   * @param {Child[]} children
   * @param {string} [note]
   */
  function section(zone, label, children, note) {
    return el(
      "section.zone",
      {
        dataset: { kind: zone.id.split(":")[0] },
        "aria-label": `${label ?? titleOf(zone)}: ${note ?? countOf(zone.count)}`,
      },
      el(
        "h3.zone-title",
        { "aria-hidden": "true" },
        label ?? titleOf(zone),
        // A stock without a number could have one card or none.
        note && (zone.count > 1 || zone.id === "stock") ? el("span.zone-count", {}, ` ${zone.count}`) : null,
      ),
      ...children,
    );
  }

  /** @param {Zone} zone */
  const titleOf = ({ id, owner }) => {
    const [kind, n] = id.split(":");
    return say(kind, { n, mark: SIDE_MARKS[Number(n)], name: owner === null ? "" : store.called(owner) });
  };

  /**
   * A zone in the common layout.
   * @param {Zone} zone
   */
  function zoneBox(zone) {
    const kind = zone.id.split(":")[0];
    if (zone.cards === null || kind === "discard" || kind === "stopped") return stackOf(zone);
    if (!zone.count)
      return section(zone, undefined, [
        el(
          "div.stack",
          { dataset: { zone: zone.id, target: zone.id } },
          el("span.playing-card-place", { "aria-hidden": "true" }),
        ),
      ]);
    const box = spread(zone);
    return /** @type {Found | null} */ (box.closest(".zone")) ?? section(zone, undefined, [box]);
  }

  const isHandEmpty = () => !(store.zone(`hand:${store.you}`)?.count > 1);

  /** @type {Table} */
  const table = {
    order: firstOrder,
    isHandEmpty,
    store,
    el,
    cardEl,
    spread,
    stackOf,
    section,
    zoneBox,
    titleOf,
    mark,
    get view() {
      return store.view;
    },
    get facts() {
      return store.view.facts;
    },
  };

  /**
   * A visible fact: its name, and words or cards.
   * @param {string} label
   * @param {...(Node | string | number)} values
   */
  function mark(label, ...values) {
    return el(
      "div.mark",
      {},
      el("dt", {}, label),
      el("dd", {}, ...values.map((value) => (value instanceof Node ? value : String(value)))),
    );
  }

  const seats = makeSeats(places.ownSeat, table, layout, () => made.turned());
  const centre = el("div.centre", { dataset: { target: "centre" } });
  const fit = makeFit(centre);
  const facts = el("dl.marks");
  const roomOfFacts = makeRoom(facts);

  function drawHand() {
    const zone = store.you === null ? null : store.zone(`hand:${store.you}`);
    // An emptied hand is refilled soon, so nothing moves into its place.
    if (!zone?.count)
      return places.hand.replaceChildren(...(zone && store.status === "running" ? [el("div.hand-none")] : []));
    const order = handOrder(zone.cards);
    const box = spread(zone, { tag: "button", reach: true, order: () => order });
    box.setAttribute("aria-label", say("your_hand"));
    // What is in the hand stays in the page: putting it there again would lose a touch that has begun on a card.
    setChildren(places.hand, [box]);
    for (const card of box.tableRows.cards)
      card.classList.toggle("is-new", newest.has(card.dataset.key ?? "") && newest.size <= order.length / 2);
  }

  /**
   * Cards with their number among equals, because two packs have twins.
   * @param {(string | null)[]} cards
   */
  function keyed(cards) {
    const seen = new Map();
    return cards.map((code) => {
      const n = seen.get(code) ?? 0;
      seen.set(code, n + 1);
      return `${code}#${n}`;
    });
  }

  /** Remember the order in which cards came to the player's hand, and which came last. */
  function trackHand() {
    const zone = store.you === null ? null : store.zone(`hand:${store.you}`);
    const keys = zone ? keyed(zone.cards) : [];
    const come = keys.filter((key) => !arrival.includes(key));
    if (come.length) newest = new Set(come);
    arrival = [...arrival.filter((key) => keys.includes(key)), ...come];
  }

  /** @param {string | null} code */
  const rankAt = (code) => ranks.indexOf(code?.[0] ?? "");
  /** @param {(string | null)[]} cards */
  function handOrder(cards) {
    if (table.order === "drawn") return arrival.map((key) => key.split("#")[0]);
    if (table.order === "own") {
      own = [...own.filter((key) => arrival.includes(key)), ...arrival.filter((key) => !own.includes(key))];
      return own.map((key) => key.split("#")[0]);
    }
    if (table.order === "rank") return cards.slice().sort((one, other) => rankAt(one) - rankAt(other));
    return cards;
  }

  const made = {
    table,
    /**
     * Called when the player has reordered the hand: everything must be drawn again, with its marks.
     * @type {() => void}
     */
    ordered: () => undefined,
    /**
     * Called when the layout for the window has changed: everything must be drawn again, with its marks.
     * @type {() => void}
     */
    turned: () => undefined,
    /** Draw the newest view. Once everything around it is drawn, too, `arrange` gives the cards their places. */
    draw() {
      this.drawSeats();
      this.drawCards();
    },
    /** Draw what is said about the newest view: the seats, and the facts of the game. */
    drawSeats() {
      const room = roomOfFacts();
      seats.draw();
      const marks = layout.marks(table).filter((part) => part instanceof Node);
      if (marks.length !== facts.children.length || marks.some((part, at) => !part.isEqualNode(facts.children[at])))
        facts.replaceChildren(...marks);
      facts.style.minHeight = room;
      facts.hidden = !facts.children.length && !room;
      if (centre.parentElement !== places.felt) places.felt.replaceChildren(...seats.sides, centre, facts);
      places.mine.classList.toggle("asks-number", store.you !== null && !!layout.asksNumber?.(store.view));
      places.felt.classList.toggle("is-crowded", store.view.seats.length > 4);
    },
    /** Draw the hand and the middle of the table. */
    drawCards() {
      fresh = new Map();
      counts = new Map();
      trackHand();
      const focus = document.activeElement?.dataset?.key;
      const wasInHand = places.hand.contains(document.activeElement);
      // The hand first: of twins, the one in the hand keeps its element, and with it focus and choice.
      // A spectator's strip says whose turn it is; a replay has none.
      places.mine.hidden = store.you === null && !!store.isReplay;
      if (store.you !== null) drawHand();
      setChildren(
        centre,
        layout.centre(table).filter((part) => part !== null),
      );
      pool = fresh;
      // The focus of keyboard players stays in the hand after a card has left it.
      const held =
        focus &&
        (pool.get(focus)?.tagName === "BUTTON" ? pool.get(focus) : wasInHand && places.hand.querySelector("button"));
      if (held && held !== document.activeElement) held.focus({ preventScroll: true });
    },
    /**
     * Move a card of the player's hand to another place; after that the hand keeps the player's own order.
     * @param {string} key
     * @param {number} at
     */
    place(key, at) {
      const shown = [...places.hand.querySelectorAll("[data-key]")].map((card) => card.dataset.key ?? "");
      own = shown.filter((other) => other !== key);
      own.splice(at, 0, key);
      this.ordered();
    },
    /** Make cards overlap and shrink as the space requires. */
    arrange() {
      fit([...document.querySelectorAll("#hand .spread")].filter((box) => box.tableRows));
    },
    /** All visible card elements, by key. */
    cards: () => pool,
  };
  return made;
}
