import type { Bytes } from '../wire/bytes.js';

/** Keys that one test, or one case of a property, has for itself: all begin with the same prefix. */
export class KeySpace {
  /** Its name in the ledger. */
  readonly name: string;
  readonly prefix: Bytes;

  constructor(prefix: Bytes, name = prefix) {
    this.name = name;
    this.prefix = prefix;
  }

  key(suffix: Bytes): Bytes {
    return this.prefix + suffix;
  }

  /** The first key behind all keys of the space. */
  get end(): Bytes {
    return this.prefix.slice(0, -1) + String.fromCharCode(this.prefix.charCodeAt(this.prefix.length - 1) + 1);
  }
}
