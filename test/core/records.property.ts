import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Core } from '../../src/core/core.js';
import { decodeRecord } from '../../src/core/decode.js';
import { scanRecords } from '../../src/core/scan.js';
import { seed } from '../support/seed.js';
import type { Write } from './conflict-model.js';
import { ranges, tinyKeys } from './keys.js';
import { encodeRecords, type RecordContent } from './records.js';

const core = Core.load();
const keys = tinyKeys(6);
const operations: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), key: keys, value: fc.uint8Array({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('delete' as const), key: keys }),
  ranges(keys).map((range) => ({ kind: 'rangeDelete' as const, ...range })),
);
const contents: fc.Arbitrary<RecordContent> = fc.record({
  requestId: fc.string({ unit: 'binary', maxLength: 30 }),
  operations: fc.array(operations, { maxLength: 5 }),
});
const stamps = fc.record({
  firstVersion: fc.oneof(
    fc.integer({ min: 1, max: 100 }),
    fc.constant(2 ** 53 - 20),
    fc.constant(2 ** 32 - 2),
  ),
  durableVersion: fc.maxSafeNat(),
  timestampMs: fc.integer({ min: 0, max: 253_402_300_799_999 }),
});
const batches = fc
  .tuple(fc.array(contents, { minLength: 1, maxLength: 8 }), stamps)
  .map(([list, stamp]) => ({ list, stamp: { ...stamp, prevVersion: stamp.firstVersion - 1 } }));

describe('the record codec', () => {
  it('gives back what went in', () => {
    fc.assert(
      fc.property(batches, ({ list, stamp }) => {
        const batch = encodeRecords(list, stamp);
        const scan = scanRecords(core, batch.bytes);
        assert.equal(scan.stop, 'exhausted');
        assert.deepEqual(scan.offsets, batch.offsets);
        assert.deepEqual(scan.requestIdHashes, batch.requestIdHashes);
        for (const [index, { requestId, operations }] of list.entries()) {
          const record = decodeRecord(core, batch.bytes, batch.offsets[index]!);
          const version = stamp.firstVersion + index;
          assert.deepEqual(record, {
            requestId,
            version,
            prevVersion: version - 1,
            durableVersion: stamp.durableVersion,
            timestampMs: stamp.timestampMs,
            operations: operations.map(asDecoded),
            length: (batch.offsets[index + 1] ?? batch.bytes.length) - batch.offsets[index]!,
          });
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('notices every single flipped bit', () => {
    fc.assert(
      fc.property(contents, stamps, (content, stamp) => {
        const { bytes } = encodeRecords([content], { ...stamp, prevVersion: 0 });
        for (let bit = 0; bit < 8 * bytes.length; bit += 1) {
          const flipped = bytes.slice();
          flipped[bit >> 3]! ^= 1 << (bit & 7);
          const scan = scanRecords(core, flipped);
          assert.equal(scan.count, 0, `bit ${bit}`);
          assert.ok(scan.stop === 'damaged' || scan.stop === 'partial', `bit ${bit}: ${scan.stop}`);
          assert.throws(() => decodeRecord(core, flipped, 0), RangeError, `bit ${bit}`);
        }
      }),
      { seed, numRuns: 20 },
    );
  });

  it('finds the whole records before a tear, wherever it is and whatever is behind it', () => {
    fc.assert(
      fc.property(
        batches,
        fc.nat(),
        fc.constantFrom('cut', 'zeros', 'noise'),
        ({ list, stamp }, place, tail) => {
          const { bytes, offsets } = encodeRecords(list, stamp);
          const tear = place % bytes.length;
          const torn = bytes.slice(0, tail === 'cut' ? tear : bytes.length + 64);
          const filler = tail === 'noise' ? 0xa5 : 0;
          torn.fill(filler, tear);
          const scan = scanRecords(core, torn);
          const ends = [...offsets.subarray(1), bytes.length];
          const whole = ends.filter((end) => end <= tear).length;
          const tornAt = offsets[whole]!;
          // A record may end in such bytes: torn off and replaced by the same, they are still there.
          const isWhole =
            tail !== 'cut' && bytes.subarray(tear, ends[whole]).every((byte) => byte === filler);
          if (isWhole) {
            assert.ok(scan.count > whole);
            return;
          }
          assert.equal(scan.count, whole);
          assert.equal(scan.stopOffset, tornAt);
          const stops = tear === tornAt ? ['exhausted', 'end', 'damaged'] : ['partial', 'damaged'];
          assert.ok(stops.includes(scan.stop), scan.stop);
        },
      ),
      { seed, numRuns: 1000 },
    );
  });

  it('never reads outside of noise', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
        const scan = scanRecords(core, noise);
        assert.equal(scan.count, 0);
        assert.throws(() => decodeRecord(core, noise, 0), RangeError);
      }),
      { seed, numRuns: 2000 },
    );
  });
});

function asDecoded(write: Write): object {
  if (write.kind === 'write') return { type: 'write', key: write.key, value: write.value };
  if (write.kind === 'delete') return { type: 'delete', key: write.key };
  return { type: 'range_delete', begin: write.begin, end: write.end };
}
