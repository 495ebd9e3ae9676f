import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Core } from '../../src/core/core.js';
import { scanRecords } from '../../src/core/scan.js';
import { seed } from '../support/seed.js';
import type { Read, Transaction, Write } from './conflict-model.js';
import { ConflictRig } from './conflict-rig.js';
import { ranges, tinyKeys } from './keys.js';

const keys = tinyKeys(3);
const reads: fc.Arbitrary<Read> = fc.oneof(
  fc.record({ kind: fc.constant('point' as const), version: fc.nat({ max: 9 }), key: keys }),
  fc.record({ version: fc.nat({ max: 9 }), range: ranges(keys) }).map(({ version, range }) => {
    return { kind: 'range' as const, version, ...range };
  }),
);
const writes: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), key: keys, value: keys }),
  fc.record({ kind: fc.constant('delete' as const), key: keys }),
  ranges(keys).map((range) => ({ kind: 'rangeDelete' as const, ...range })),
);
const transactions: fc.Arbitrary<Transaction> = fc.record({
  reads: fc.array(reads, { maxLength: 3 }),
  writes: fc.array(writes, { maxLength: 3 }),
});
/** A place (a share of the length) and what to put there; lengths and counts are hit by small values. */
const changes = fc.array(
  fc.tuple(
    fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    fc.oneof(fc.nat({ max: 255 }), fc.nat({ max: 4 })),
  ),
  { minLength: 1, maxLength: 3 },
);

describe('a packed transaction with changed bytes', () => {
  it('is refused with a RangeError or decided, and never harms the conflict set', () => {
    const rig = new ConflictRig();
    const core = Core.load();
    let version = 1;
    let refused = 0;
    let decided = 0;
    fc.assert(
      fc.property(transactions, changes, (transaction, list) => {
        const packed = rig.pack(transaction);
        for (const [place, value] of list) packed[Math.floor(place * packed.length)] = value;
        try {
          const stamp = {
            firstVersion: version,
            prevVersion: version - 1,
            durableVersion: 0,
            timestampMs: 0,
          };
          const { records } = rig.decider.decide([packed], stamp);
          decided += 1;
          if (records === undefined) return;
          version += 1;
          assert.equal(scanRecords(core, records.bytes).count, 1);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
          refused += 1;
        }
        rig.decider.verify();
      }),
      { seed, numRuns: 5000 },
    );
    assert.ok(refused > 500 && decided > 500, `${refused} refused, ${decided} decided`);
  });
});
