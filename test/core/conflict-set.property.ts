import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { seed } from '../support/seed.js';
import type { Bytes, Read, Transaction, Write } from './conflict-model.js';
import { atVersions, play } from './conflict-play.js';
import { ConflictRig } from './conflict-rig.js';
import { makeSteps, operationsOf, randomWalk, type WalkShape } from './conflict-walk.js';
import { numbers, tiny } from './key-pools.js';
import { prefixedKeys, ranges, tinyKeys } from './keys.js';
import { Prng } from './prng.js';

const NO_VALUE = new Uint8Array(0);

describe('the conflict set says what a list of writes says', () => {
  let operations = 0;

  /** A transaction whose reads lag behind the newest version instead of naming one. */
  const lagging = (keys: fc.Arbitrary<Bytes>): fc.Arbitrary<Transaction> => {
    const lag = fc.oneof(
      { weight: 4, arbitrary: fc.nat({ max: 4 }) },
      { weight: 1, arbitrary: fc.nat({ max: 40 }) },
    );
    const reads: fc.Arbitrary<Read> = fc.oneof(
      fc.tuple(lag, keys).map(([version, key]) => ({ kind: 'point' as const, version, key })),
      fc.tuple(lag, ranges(keys)).map(([version, range]) => ({ kind: 'range' as const, version, ...range })),
    );
    const writes: fc.Arbitrary<Write> = fc.oneof(
      { weight: 3, arbitrary: keys.map((key) => ({ kind: 'write' as const, key, value: NO_VALUE })) },
      { weight: 1, arbitrary: keys.map((key) => ({ kind: 'delete' as const, key })) },
      { weight: 1, arbitrary: ranges(keys).map((range) => ({ kind: 'rangeDelete' as const, ...range })) },
    );
    return fc.record({
      reads: fc.array(reads, { maxLength: 3, size: 'max' }),
      writes: fc.array(writes, { maxLength: 4, size: 'max' }),
    });
  };

  const checkBatches = (keys: fc.Arbitrary<Bytes>, numRuns: number): void => {
    const batches = fc.array(fc.array(lagging(keys), { maxLength: 5, size: 'max' }), {
      maxLength: 40,
      size: 'max',
    });
    const floors = fc.constantFrom(0, 7, 2 ** 32 - 20, 2 ** 53 - 1000);
    fc.assert(
      fc.property(batches, fc.constantFrom(0, 2, 10, 1000), floors, (list, windowVersions, floor) => {
        const rig = new ConflictRig({ windowVersions, floor });
        for (const batch of list) {
          rig.decide(batch.map((transaction) => atVersions(transaction, rig.version)));
          rig.decider.verify();
          for (const { reads, writes } of batch) operations += reads.length + writes.length;
        }
      }),
      { seed, numRuns },
    );
  };

  it('for keys of a tiny alphabet', () => checkBatches(tinyKeys(4), 800));
  it('for keys behind prefixes of any length', () => checkBatches(prefixedKeys(3), 500));

  /** A walk is too long for fast-check to shrink: its failure names the step. */
  const walk = (shape: WalkShape): void => {
    const steps = makeSteps(new Prng(seed), shape);
    operations += operationsOf(steps);
    const { windowVersions } = shape;
    const { committed, refused } = play({ name: '', windowVersions, floor: 0, steps });
    assert.ok(committed > 0 && refused > 0);
  };
  const usual = { batchMax: 8, leapEvery: 0 };

  it('over a long time, for many short keys and few ranges', () => {
    walk({ ...usual, windowVersions: 4000, operations: 50_000, rangeWriteEvery: 300, key: tiny(9) });
  });

  it('over a long time, for many ranges', () => {
    walk({ ...usual, windowVersions: 500, operations: 35_000, rangeWriteEvery: 3, key: tiny(6) });
  });

  it('over a long time, for numbers behind a long prefix', () => {
    const key = numbers('k'.repeat(300), 50_000);
    walk({ ...usual, windowVersions: 5000, operations: 35_000, rangeWriteEvery: 1000, key });
  });

  it('over a long time, with a short window', () => {
    walk({ ...usual, windowVersions: 20, operations: 35_000, rangeWriteEvery: 20, key: tiny(5) });
  });

  it('for hard keys, any window, any floor, leaps of versions, little memory', () => {
    for (let round = 0; round < 25; round += 1) {
      const random = randomWalk(seed + round, 4000);
      try {
        play(random);
      } catch (error) {
        throw new Error(`with SEED=${seed + round}, ${random.name}`, { cause: error });
      }
    }
  });

  it('in more than 100,000 operations', () => {
    assert.ok(operations > 100_000, `${operations} operations`);
  });
});
