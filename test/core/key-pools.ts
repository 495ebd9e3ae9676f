import type { Bytes } from './conflict-model.js';
import { successor } from './keys.js';
import type { Prng } from './prng.js';

/** Draws a key. */
export type KeyPool = (prng: Prng) => Bytes;

/** Keys of up to `lengthMax` bytes from an alphabet at which signed, unsigned and text orders part. */
export function tiny(lengthMax: number): KeyPool {
  return (prng) => {
    return Uint8Array.from({ length: prng.below(lengthMax + 1) }, () => prng.oneOf([0x00, 0x7f, 0x80, 0xff]));
  };
}

/** Numbers below `end`, in decimal, behind a prefix. */
export function numbers(prefix: string, end: number): KeyPool {
  return (prng) => Uint8Array.from(Buffer.from(prefix + prng.below(end)));
}

const KIB = Uint8Array.from({ length: 1024 }, (_, index) => (index * 7) & 0xff);

/** What is hard for a tree whose nodes leave out common prefixes and compare the next few bytes first. */
export const HARD_POOLS: Readonly<Record<string, () => KeyPool>> = {
  'a few short keys': () => tiny(3),
  'short keys': () => tiny(9),
  'numbers behind nothing': () => numbers('', 30_000),
  'numbers behind a KiB': () => numbers('k'.repeat(1024), 30_000),
  'repeated bytes, each key a prefix of the next': () => (prng) => {
    return new Uint8Array(prng.below(600)).fill(prng.oneOf([0x00, 0x61, 0x61, 0xff]));
  },
  'forks anywhere in a KiB': () => (prng) => {
    const prefix = KIB.subarray(0, prng.oneOf([prng.below(20), prng.below(KIB.length + 1)]));
    return new Uint8Array(Buffer.concat([prefix, tiny(2)(prng)]));
  },
  'equal first eight bytes': () => (prng) => {
    return new Uint8Array(Buffer.concat([Buffer.alloc(prng.below(50) === 0 ? 7 : 8, 0x2e), tiny(7)(prng)]));
  },
  'sixteen bytes at random': () => (prng) => {
    const key = Buffer.alloc(16);
    for (let at = 0; at < 16; at += 4) key.writeUInt32BE(prng.below(2 ** 32), at);
    return new Uint8Array(key);
  },
  'growing numbers, and lately used ones': () => {
    let next = 0;
    return (prng) => {
      next += prng.below(3);
      const key = Buffer.alloc(8);
      key.writeUInt32BE(Math.max(0, next - (prng.below(4) === 0 ? prng.below(2000) : 0)), 4);
      return new Uint8Array(key);
    };
  },
  'lengths of all orders': () => (prng) => {
    const length = Math.floor(2 ** (prng.below(1400) / 100));
    const key = new Uint8Array(length).fill(prng.oneOf([0x00, 0x80]));
    key[0] = prng.below(256);
    key[length - 1] = prng.below(256);
    return key;
  },
  'very long': () => (prng) => {
    const key = new Uint8Array(prng.oneOf([30, 9_000, 40_000, 100_000])).fill(0x80);
    key[prng.oneOf([0, key.length >> 1])] = prng.below(256);
    key[key.length - 1] = prng.below(256);
    return key;
  },
};

/** A pool whose keys may have another byte behind them, so that some are next neighbours. */
export function withNeighbours(pool: KeyPool): KeyPool {
  return (prng) => {
    const key = pool(prng);
    const choice = prng.below(16);
    if (choice === 0) return successor(key);
    return choice === 1 ? new Uint8Array(Buffer.concat([key, Buffer.of(0xff)])) : key;
  };
}
