/**
 * The chances of a match, from its seed: numbered HMAC-SHA256 streams, as docs/fair-play.md describes them. This code
 * shares nothing with the server, because it checks the server's work.
 */

const RANKS = "A23456789TJQK";
const WORD = 2 ** 32;

/**
 * The SHA-256 of an ASCII text, as hex digits.
 * @param {string} text
 */
export async function sha256(text) {
  return hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}

/** @param {ArrayBuffer} buffer */
const hex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");

/**
 * The cards of a pack in pack order, without the omitted ranks, with the jokers last.
 * @param {string} [ranks]
 * @param {string[]} [jokers]
 * @returns {string[]}
 */
export const pack = (ranks = RANKS, jokers = []) => [
  ...[..."CDHS"].flatMap((suit) => [...RANKS].filter((rank) => ranks.includes(rank)).map((rank) => rank + suit)),
  ...jokers,
];

/**
 * Cards in pack order.
 * @param {string[]} cards
 */
export const inPackOrder = (cards) => {
  const order = [...pack(), "RJ", "BJ"];
  return cards.slice().sort((one, other) => order.indexOf(one) - order.indexOf(other));
};

export class Chances {
  /** @param {string} seed - hex digits */
  static async of(seed) {
    const bytes = Uint8Array.from(seed.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    return new Chances(await crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]));
  }

  /** @param {CryptoKey} key */
  constructor(key) {
    this.key = key;
    this.number = 0;
  }

  /** The words of the next chance, in blocks of eight. */
  async *words() {
    const number = this.number++;
    for (let block = 0; ; block += 1) {
      const bytes = await crypto.subtle.sign("HMAC", this.key, new TextEncoder().encode(`${number}/${block}`));
      const view = new DataView(bytes);
      for (let at = 0; at < 32; at += 4) yield view.getUint32(at);
    }
  }

  /**
   * A whole chance: a number from 0 to k − 1.
   * @param {number} k
   */
  async below(k) {
    return fair(this.words(), k);
  }

  /**
   * Shuffle `items` in one chance, even one item or none. Item 0 of the result comes first.
   * @template T
   * @param {T[]} items
   */
  async shuffle(items) {
    const result = items.slice();
    const words = this.words();
    if (result.length < 2) this.number += 1;
    for (let i = result.length - 1; i > 0; i -= 1) {
      const j = await fair(words, i + 1);
      [result[i], result[j]] = [result[j], result[i]];
    }
    return result;
  }
}

/**
 * The next word below the largest multiple of k, modulo k, so that every number is equally likely.
 * @param {AsyncGenerator<number>} words
 * @param {number} k
 */
async function fair(words, k) {
  for (;;) {
    const { value } = await words.next();
    if (value < WORD - (WORD % k)) return value % k;
  }
}
