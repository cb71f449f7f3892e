/** Split a message into the steps that show it: views between the one before and the one after. */

/** @param {EventData} data */
const codesOf = ({ cards, card }) => (Array.isArray(cards) ? cards : card ? [card] : []);
/** @param {string} code */
const plain = (code) => code.split("=")[0];

/**
 * The events, each with the rest before it. An event with a count and the next one with those cards are one.
 * @param {GameEvent[]} events
 * @param {Record<string, number>} rests - by kind
 */
function paired(events, rests) {
  /** @type {{ rest: number, events: GameEvent[], names: GameEvent | null, way: Way }[]} */
  const found = [];
  for (const [at, event] of events.entries()) {
    const { cards } = event.data;
    const next = events[at + 1];
    const isNamedNext =
      typeof cards === "number" &&
      next?.seat === event.seat &&
      !(next.kind in rests) &&
      codesOf(next.data).length === cards;
    const before = found.at(-1);
    if (before?.names === event) before.events.push(event);
    else {
      const { source, target } = event.data;
      found.push({
        rest: rests[event.kind] ?? 0,
        events: [event],
        names: isNamedNext ? next : null,
        way: { source, target, codes: codesOf(isNamedNext ? next.data : event.data), count: Number(cards) || 0 },
      });
    }
  }
  return found;
}

/**
 * Where a card comes to lie in a hand, which is sorted: beside the same cards as in the end, so that it doesn't go to
 * another place once the hand is shown as it is then.
 * @param {(string | null)[]} cards - of the hand
 * @param {string | null} code
 * @param {(string | null)[]} order - of the hand in the end
 */
function placeIn(cards, code, order) {
  const place = order.indexOf(code);
  const next = cards.findIndex((other) => order.indexOf(other) > place);
  return place < 0 || next < 0 ? cards.length : next;
}

/**
 * The view after cards have moved; only the zones change, and no move is possible meanwhile.
 * @template F
 * @param {View<F>} view
 * @param {Way} way
 * @param {View<F>} after - in the end
 * @returns {View<F>}
 */
function moved(view, { source, target, codes, count }, after) {
  const zones = view.zones.map((zone) => ({ ...zone, cards: zone.cards?.slice() ?? null }));
  const known = codes.length > 0;
  const n = known ? codes.length : count;
  for (let at = 0; at < n; at += 1) {
    const from = zones.find((zone) => zone.id === (Array.isArray(source) ? source[at] : source));
    const to = zones.find((zone) => zone.id === target);
    if (from === to) continue;
    if (from && from.count > 0) {
      from.count -= 1;
      const held = from.cards?.findIndex((code) => code !== null && known && plain(code) === plain(codes[at])) ?? -1;
      from.cards?.splice(held < 0 ? from.cards.length - 1 : held, 1);
    }
    if (to) {
      to.count += 1;
      const code = known ? codes[at] : null;
      const order = to.id.startsWith("hand:") ? after.zones.find(({ id }) => id === to.id)?.cards : null;
      to.cards?.splice(placeIn(to.cards, code, order ?? []), 0, code);
    }
  }
  return { ...view, zones, moves: [], to_move: [] };
}

/**
 * The steps of a message: each is shown after its rest, the last one with the final view.
 * @template F
 * @param {View<F>} before
 * @param {View<F>} after
 * @param {GameEvent[]} events
 * @param {Record<string, number>} rests - by kind of event, in ms
 * @returns {{ rest: number, events: GameEvent[], view: View<F> }[]}
 */
export function stepsOf(before, after, events, rests) {
  /** @type {{ rest: number, events: GameEvent[], view: View<F> }[]} */
  const steps = [];
  let view = before;
  for (const { rest, events: told, way } of paired(events, rests)) {
    view = moved(view, way, after);
    const last = steps.at(-1);
    if (last && rest === 0) {
      last.events.push(...told);
      last.view = view;
    } else steps.push({ rest, events: [...told], view });
  }
  if (!steps.length) return [{ rest: 0, events, view: after }];
  steps[steps.length - 1].view = after;
  return steps;
}
