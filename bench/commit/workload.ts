import { randomBytes } from 'node:crypto';

/** The transactions of this benchmark: one read precondition and one write of the same key. */
export const KEYS = 100_000;
export const KEY_BYTES = 16;
export const VALUE_BYTES = 100;

/** The same bytes in every transaction: nobody measured here compresses. */
export const VALUE: Buffer = randomBytes(VALUE_BYTES);

/** All keys, as text of 16 ASCII characters. */
const KEY_TEXT = Array.from({ length: KEYS }, (_, key) => `bench-${String(key).padStart(10, '0')}`);

export const RAW_KEYS: Buffer = Buffer.from(KEY_TEXT.join(''), 'latin1');

/** Characters of a key in base64. */
export const BASE64_KEY_CHARS = 24;

export const BASE64_KEYS: Buffer = Buffer.from(KEY_TEXT.map((text) => btoa(text)).join(''), 'latin1');

/** Random key numbers, evenly spread (xorshift32). */
export class KeyNumbers {
  #state: number;

  /** @param seed not 0 */
  constructor(seed: number) {
    this.#state = seed;
  }

  next(): number {
    let state = this.#state;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    this.#state = state;
    return (state >>> 0) % KEYS;
  }
}
