import type { Bytes, Read, Transaction, Write } from './conflict-model.js';
import { HARD_POOLS, type KeyPool, withNeighbours } from './key-pools.js';
import { successor } from './keys.js';
import { Prng } from './prng.js';

/** A batch of transactions, and what happens before it. */
export interface Step {
  /** So many versions are left out. */
  readonly leap: number;
  /** The history starts anew. */
  readonly resets: boolean;
  /** The version of a read says how far it is behind the newest version. */
  readonly batch: readonly Transaction[];
}

/** Random steps, and the conflict set that they are for: many entries, many nodes. */
export interface Walk {
  /** What kind of keys it has. */
  readonly name: string;
  readonly windowVersions: number;
  readonly floor: number;
  /** When absent there is always enough; when it is small, each batch has one transaction. */
  readonly conflictBytesMax?: number;
  readonly steps: readonly Step[];
}

export interface WalkShape {
  readonly key: KeyPool;
  readonly operations: number;
  readonly windowVersions: number;
  /** One write of so many is of a range. */
  readonly rangeWriteEvery: number;
  readonly batchMax: number;
  /** One step of so many leaps, or starts anew; 0 for never. */
  readonly leapEvery: number;
}

/** Around what a tick (32 bits) tells apart, and farther than any window. */
const LEAPS = [1, 40, 2 ** 30, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 33 + 5];
const NO_VALUE = new Uint8Array(0);

export function operationsOf(steps: readonly Step[]): number {
  let sum = 0;
  for (const { batch } of steps) for (const { reads, writes } of batch) sum += reads.length + writes.length;
  return sum;
}

/** A walk with everything at random: keys, window, memory, floor and the share of ranges. */
export function randomWalk(seed: number, operations: number): Walk {
  const prng = new Prng(seed);
  const name = prng.oneOf(Object.keys(HARD_POOLS));
  const windowVersions = prng.oneOf([0, 1, 3, 20, 100, 500, 4000]);
  const isBounded = prng.below(3) === 0;
  const shape: WalkShape = {
    key: withNeighbours(HARD_POOLS[name]!()),
    // Long keys take long in the model.
    operations: name === 'very long' ? operations / 20 : operations,
    windowVersions,
    rangeWriteEvery: prng.oneOf([2, 5, 30, 300, 3000]),
    batchMax: isBounded ? 1 : prng.oneOf([1, 8, 60]),
    leapEvery: prng.oneOf([0, 0, 400]),
  };
  return {
    name,
    windowVersions,
    floor: prng.oneOf([0, 7, 2 ** 31 - 50, 2 ** 32 - 50]),
    ...(isBounded && { conflictBytesMax: prng.oneOf([2 ** 20, 2 ** 21]) }),
    steps: makeSteps(prng, shape),
  };
}

export function makeSteps(prng: Prng, shape: WalkShape): readonly Step[] {
  const steps: Step[] = [];
  for (let left = shape.operations; left > 0; ) {
    const isOdd = shape.leapEvery > 0 && prng.below(shape.leapEvery) === 0;
    const resets = isOdd && prng.below(4) === 0;
    const batch = Array.from({ length: 1 + prng.below(shape.batchMax) }, () => transaction(prng, shape));
    const step = { leap: isOdd ? prng.oneOf(LEAPS) : 0, resets, batch };
    steps.push(step);
    left -= Math.max(1, operationsOf([step]));
  }
  return steps;
}

function transaction(prng: Prng, { key, windowVersions, rangeWriteEvery }: WalkShape): Transaction {
  const list = <T>(max: number, make: () => T): T[] => Array.from({ length: prng.below(max + 1) }, make);
  const lag = (): number => (prng.below(20) === 0 ? prng.below(windowVersions + 2) : prng.below(50));
  return {
    reads: list(2, (): Read => {
      if (prng.below(2) === 0) return { kind: 'point', version: lag(), key: key(prng) };
      return { kind: 'range', version: lag(), ...range(prng, key) };
    }),
    writes: list(5, (): Write => {
      if (prng.below(rangeWriteEvery) === 0) return { kind: 'rangeDelete', ...range(prng, key) };
      if (prng.below(8) === 0) return { kind: 'delete', key: key(prng) };
      return { kind: 'write', key: key(prng), value: NO_VALUE };
    }),
  };
}

function range(prng: Prng, key: KeyPool): { readonly begin: Bytes; readonly end: Bytes } {
  const begin = key(prng);
  const choice = prng.below(64);
  if (choice < 16) return { begin, end: successor(begin) };
  if (choice < 24) return { begin, end: new Uint8Array(Buffer.concat([begin, Buffer.of(0xff)])) };
  if (choice === 24) return { begin: NO_VALUE, end: new Uint8Array(20).fill(0xff) };
  const end = key(prng);
  const order = Buffer.compare(begin, end);
  if (order === 0) return { begin, end: successor(begin) };
  return order < 0 ? { begin, end } : { begin: end, end: begin };
}
