import { SplitMix } from '../../splitmix.js';
import type { KeySet } from '../batch.js';

export interface NamedKeys {
  readonly name: string;
  /** Keys are drawn at random unless they come in order. */
  readonly isMonotonic: boolean;
  /** For numbers below `universe`. */
  keys(universe: number): KeySet;
}

/** 16 bytes that look random. */
export const RANDOM: NamedKeys = named('16 bytes random', (universe) => behind(0, universe, 16));

/** So long that a few of them take a page of memory each. */
export const VERY_LONG: NamedKeys = named('100,000 bytes', (universe) => behind(0, universe, 100_000));

/** What is hard for a tree whose nodes leave out common prefixes and compare the next few bytes first. */
export const KEY_SETS: readonly NamedKeys[] = [
  RANDOM,
  { ...named('8 bytes in order', () => numbers), isMonotonic: true },
  named('equal heads', (universe) => behind(8, universe, 16)),
  named('1 KiB prefix', (universe) => behind(1024, universe, 16)),
  named('prefix chains', chains),
  named('10,000 bytes', (universe) => behind(0, universe, 10_000)),
];

function named(name: string, keys: (universe: number) => KeySet): NamedKeys {
  return { name, keys, isMonotonic: false };
}

const numbers: KeySet = {
  lengthMax: 8,
  put(_bytes, view, at, key) {
    view.setUint32(at, 0);
    view.setUint32(at + 4, key);
    return 8;
  },
};

/**
 * Behind `prefix` equal bytes: the number spread over 4 bytes, 12 that are drawn for it, and zeros up to `length`. The
 * lowest and the highest number have no prefix, so that the keys as a whole share nothing.
 */
function behind(prefix: number, universe: number, length: number): KeySet {
  const spread = Math.floor(0xffff_ffff / universe);
  const random = new SplitMix(0);
  return {
    lengthMax: prefix + length,
    put(bytes, view, at, key) {
      const isOutside = prefix > 0 && (key === 0 || key === universe - 1);
      bytes.fill(isOutside ? (key === 0 ? 0x00 : 0xff) : 0x2e, at, at + prefix);
      random.restart(key);
      random.next();
      const from = at + prefix;
      view.setUint32(from, key * spread);
      view.setUint32(from + 4, random.high);
      view.setUint32(from + 8, random.low);
      random.next();
      view.setUint32(from + 12, random.low);
      bytes.fill(0, from + 16, from + length);
      return prefix + length;
    },
  };
}

/** A hundred keys in a row, each the one before it and one more byte. */
function chains(universe: number): KeySet {
  const links = 100;
  const spread = Math.floor(0xffff_ffff / (universe / links + 1));
  return {
    lengthMax: 4 + links,
    put(bytes, view, at, key) {
      const depth = key % links;
      view.setUint32(at, Math.floor(key / links) * spread);
      bytes.fill(0x2e, at + 4, at + 4 + depth);
      return 4 + depth;
    },
  };
}
