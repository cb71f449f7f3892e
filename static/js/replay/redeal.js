/**
 * Deals a finished match again and follows it: each card that came off a hidden stack must be the one that the seed
 * puts there. It checks the cards, not the rules of the game.
 */

import { inPackOrder, pack } from "./chance.js";

const ALL = "A23456789TJQK";

/**
 * The cards of each game in pack order, before the first shuffle.
 * @type {Record<string, (options: Record<string, number & boolean>, seats: number) => string[]>}
 */
export const PACKS = {
  amagande: () => pack(ALL, ["RJ", "BJ"]),
  armani: () => pack(),
  armed: () => pack(),
  avalanche: ({ packs }) =>
    Array(packs)
      .fill(pack(ALL, ["RJ", "BJ", "RJ"]))
      .flat(),
  "basic-rummy": () => pack(),
  "normal-cards": () => pack("A34567JQK"),
  "rummy-500": ({ jokers }, seats) =>
    Array(seats >= 5 ? 2 : 1)
      .fill(pack(ALL, jokers ? ["RJ", "BJ"] : []))
      .flat(),
  "ten-skip": () => pack("A23456789T"),
};

/** A card that is not where the seed puts it. */
export class Wrong extends Error {}

/**
 * @param {string[]} one
 * @param {string[]} other
 */
const same = (one, other) => one.length === other.length && inPackOrder(one).join() === inPackOrder(other).join();
/**
 * @param {AnyView} view
 * @param {string} id
 * @returns {OpenZone}
 */
const zoneOf = (view, id) => /** @type {OpenZone} */ (view.zones.find((zone) => zone.id === id));
/**
 * @param {AnyView} view
 * @param {string} id
 */
const cardsOf = (view, id) => zoneOf(view, id).cards;
/**
 * @param {boolean} holds
 * @param {string} what
 */
const expect = (holds, what) => {
  if (!holds) throw new Wrong(what);
};

/**
 * All visible cards, with all hands open. The last trick is shown twice.
 * @param {AnyView} view
 * @returns {string[]}
 */
const inSight = (view) =>
  view.zones
    .filter(({ id, cards }) => id !== "last_trick" && cards)
    .flatMap(({ cards }) => (cards ?? []).filter((code) => code !== null).map((code) => code.split("=")[0]));

/**
 * Follow one match.
 * @param {Pick<Redeal, "seats" | "options" | "moves"> & { slug: string }} match
 * @param {import("./chance.js").Chances} chances
 * @returns {Redeal & Follower}
 */
export function follow(match, chances) {
  const { slug, seats, options } = match;
  const fullPack = () => PACKS[slug](options, seats);
  /** @type {Redeal} */
  const table = {
    chances,
    seats,
    options,
    moves: match.moves,
    fullPack,
    checked: 0,
    seen(n) {
      table.checked += n;
    },
  };
  return Object.assign(
    table,
    slug === "armani" ? armani(table) : slug === "armed" ? armed(table) : withStock(table, slug),
  );
}

/**
 * Deal one at a time, from the dealer's left, to the players who take part.
 * @param {string[]} cards
 * @param {number[]} players
 * @param {number} dealer
 * @param {number} seats
 * @param {number} each
 */
function hands(cards, players, dealer, seats, each) {
  /** @type {string[][]} */
  const dealt = Array.from({ length: seats }, () => []);
  const order = Array.from({ length: seats }, (_, at) => (dealer + 1 + at) % seats).filter((seat) =>
    players.includes(seat),
  );
  for (let n = 0; n < each * order.length; n += 1) dealt[order[n % order.length]].push(cards[n]);
  return dealt;
}

/**
 * The games with one stock: an array with the next card last.
 * @param {Redeal} table
 * @param {string} slug
 * @returns {Follower}
 */
function withStock(table, slug) {
  const { chances, seats } = table;
  /** @type {string[]} */
  let stock = [];

  /** @param {AnyView} view */
  async function dealFrom(view) {
    const { dealer, in_round: round } = view.facts;
    const players = round ?? Array.from({ length: seats }, (_, seat) => seat);
    const first = view.phase !== "over" && players.length ? zoneOf(view, `hand:${players[0]}`).count : 0;
    let cards = await chances.shuffle(table.fullPack());
    if (slug === "amagande") {
      const reference = "CDHS"[await chances.below(4)];
      expect(reference === view.facts.reference, "reference");
    }
    const dealt = hands(cards, players, dealer, seats, first);
    for (const seat of players) expect(same(dealt[seat], cardsOf(view, `hand:${seat}`)), `hand of seat ${seat}`);
    cards = cards.slice(first * players.length);
    table.seen(first * players.length);
    // A card that may not be turned up goes back into the stock, at a random place.
    /** @type {Record<string, (code: string) => boolean>} */
    const barred = {
      amagande: (code) => "A238J".includes(code[0]) || code.endsWith("J") || code === `7${view.facts.reference}`,
      "normal-cards": (code) => "A7".includes(code[0]),
    };
    const mayNot = barred[slug];
    if (mayNot) {
      for (const back of view.facts.put_back) {
        expect(cards[0] === back && mayNot(back), "card put back");
        cards.shift();
        cards.splice(await chances.below(cards.length + 1), 0, back);
      }
    }
    if (slug === "amagande" || slug.includes("rummy")) {
      const [top] = cardsOf(view, "discard");
      expect(cards[0] === top, "card turned up");
      cards.shift();
      table.seen(1);
    }
    if (slug === "normal-cards") {
      expect(cards[0] === view.facts.main, "main card");
      cards.shift();
      table.seen(1);
    }
    stock = cards.reverse();
    expect(stock.length === zoneOf(view, "stock").count, "stock");
  }

  /**
   * @param {AnyView} view
   * @returns {number}
   */
  const dealOf = (view) => view.facts.deal ?? view.facts.round ?? 1;

  return {
    async deal(view) {
      const dealer = await chances.below(seats);
      expect(dealer === view.facts.dealer, "dealer");
      await dealFrom(view);
    },
    async step(version, before, after) {
      if (dealOf(after) !== dealOf(before)) return dealFrom(after);
      const left = zoneOf(after, "stock").count;
      /** @type {string[]} */
      const drawn = [];
      if (left > stock.length || table.moves[version - 1].chances) {
        // The stock ran out: shuffle the pile under its top card, in its order, and turn it over.
        drawn.push(...stock.reverse());
        stock = (await chances.shuffle(cardsOf(before, "discard").slice(0, -1))).reverse();
      }
      expect(left <= stock.length, "stock");
      drawn.push(...stock.splice(left).reverse());
      const there = inSight(after);
      for (const card of drawn) expect(there.includes(card), `card drawn: ${card}`);
      // All other cards came from known places.
      const rest = [...inSight(before), ...drawn];
      for (const card of there) {
        const at = rest.indexOf(card);
        expect(at >= 0, `card from nowhere: ${card}`);
        rest.splice(at, 1);
      }
      table.seen(drawn.length);
    },
  };
}

/**
 * Two decks; the winner of a battle shuffles their own deck with the cards won.
 * @param {Redeal} table
 * @returns {Follower}
 */
function armed(table) {
  const { chances } = table;
  /** @type {string[][]} */
  const decks = [[], []];

  /** @param {AnyView} view */
  function draw(view) {
    for (const seat of [0, 1]) {
      const left = zoneOf(view, `deck:${seat}`).count;
      expect(left <= decks[seat].length, "deck");
      const there = [...cardsOf(view, `hand:${seat}`), ...cardsOf(view, `battleground:${seat}`)];
      while (decks[seat].length > left) {
        const card = decks[seat].pop() ?? "";
        expect(there.includes(card), `card drawn: ${card}`);
        table.seen(1);
      }
    }
  }

  return {
    async deal(view) {
      const dealer = await chances.below(2);
      const cards = await chances.shuffle(table.fullPack());
      for (const [at, card] of cards.entries()) decks[(dealer + 1 + at) % 2].push(card);
      draw(view);
    },
    async step(version, before, after) {
      if (table.moves[version - 1].chances) {
        // The last card came from the mover's hand; the winner gets everything on the battleground.
        const { seat, move } = table.moves[version - 1];
        const won = [0, 1].flatMap((other) => [
          ...cardsOf(before, `battleground:${other}`),
          ...(other === seat ? [move.slice(5)] : []),
        ]);
        const winner = held(after, 0) > held(before, 0) ? 0 : 1;
        decks[winner] = (await chances.shuffle(inPackOrder([...decks[winner], ...won]))).reverse();
      }
      draw(after);
    },
  };
}

/**
 * How many cards belong to a seat, wherever they are.
 * @param {AnyView} view
 * @param {number} seat
 */
const held = (view, seat) =>
  ["hand", "deck", "battleground"].reduce((sum, kind) => sum + zoneOf(view, `${kind}:${seat}`).count, 0);

/**
 * Stacks with the top card turned; in Stage 2, won hands go under them.
 * @param {Redeal} table
 * @returns {Follower}
 */
function armani(table) {
  const { chances, seats } = table;
  /** @type {string[][]} */
  let stacks = Array.from({ length: seats }, () => []);
  /** @type {string[][] | null} */
  let fans = null;
  /** @param {number} dealer */
  const leftOf = (dealer) => Array.from({ length: seats }, (_, at) => (dealer + 1 + at) % seats);

  /**
   * @param {AnyView} view
   * @param {number} rounds
   */
  async function look(view, rounds) {
    for (let round = 0; round < rounds; round += 1) {
      const looked = leftOf(view.facts.dealer).map((seat) => ({ seat, card: stacks[seat].pop() ?? "" }));
      for (const { seat, card } of looked) {
        expect(
          view.facts.colours[seat][round] === ("DH".includes(card[1]) ? "red" : "black"),
          `colour of seat ${seat}`,
        );
        table.seen(1);
      }
      for (const { seat, card } of looked) {
        const stack = stacks[seat];
        stack.splice(stack.length - (await chances.below(stack.length + 1)), 0, card);
      }
    }
  }

  /**
   * Deal each side's cards to its members, from the left of its dealer.
   * @param {AnyView} view
   */
  function dealStage2({ facts }) {
    stacks = Array.from({ length: seats }, () => []);
    for (const [side, members] of /** @type {number[][]} */ (facts.teams).entries()) {
      const dealer = facts.dealers[side];
      const start = dealer === undefined ? 0 : members.indexOf(dealer) + 1;
      const order = [...members.slice(start), ...members.slice(0, start)];
      for (const [at, card] of (fans?.[side] ?? []).entries()) stacks[order[at % order.length]].push(card);
    }
    fans = null;
  }

  return {
    async deal(view) {
      const dealer = await chances.below(seats);
      expect(dealer === view.facts.dealer, "dealer");
      const cards = await chances.shuffle(table.fullPack());
      for (const [at, card] of cards.entries()) stacks[(dealer + 1 + at) % seats].push(card);
    },
    async step(version, before, after) {
      const { seat, move } = table.moves[version - 1];
      const [verb, what] = move.split(":");
      const rounds = (after.facts.colours[0]?.length ?? 0) - (before.facts.colours[0]?.length ?? 0);
      if (rounds > 0) await look(after, rounds);
      const pile = cardsOf(after, "pile");
      const was = cardsOf(before, "pile");
      /** @param {number} from */
      const burn = (from) => {
        expect(stacks[from].pop() === pile[0], `card burned by seat ${from}`);
        table.seen(1);
      };
      if (verb === "flip") {
        expect(stacks[seat].pop() === pile.at(-1), `card of seat ${seat}`);
        table.seen(1);
      } else if (verb === "burn" && zoneOf(after, "pile").count > was.length) burn(Number(what));
      else if (verb === "slap" && pile.length > was.length) burn(seat);
      else if (verb === "slap" || verb === "close") {
        const winner = verb === "slap" ? seat : before.facts.winning;
        if (before.phase === "stage2" && !before.facts.final_lap) stacks[winner].unshift(...was.slice().reverse());
        // In Stage 1 and the final lap, winning with the last card also sets the rest aside.
        if (zoneOf(after, `stack:${winner}`).count === 0) stacks[winner] = [];
      }
      if (before.phase === "choose" || before.phase === "take") {
        if (after.phase === "dealers" || after.phase === "stage2") {
          const sets = [0, 1].map((side) => cardsOf(before, `fan:${side}`).slice());
          const own = before.facts.power;
          if (move === "fan:other") sets.reverse();
          if (verb === "take") {
            const taken = what;
            sets[1 - own] = sets[1 - own].filter((card) => card !== taken);
            sets[own].push(taken);
          }
          fans = [];
          for (const side of [0, 1]) fans.push(await chances.shuffle(inPackOrder(sets[side])));
        }
      }
      if (fans && after.phase === "stage2") dealStage2(after);
    },
  };
}
