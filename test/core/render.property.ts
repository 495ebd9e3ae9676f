import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Core } from '../../src/core/core.js';
import { renderTransactions } from '../../src/core/render.js';
import { seed } from '../support/seed.js';
import type { Write } from './conflict-model.js';
import { encodeRecords, type RecordContent } from './records.js';

const core = Core.load();
const bytes = fc.uint8Array({ maxLength: 70 });
const operations: fc.Arbitrary<Write> = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), key: bytes, value: bytes }),
  fc.record({ kind: fc.constant('delete' as const), key: bytes }),
  bytes.map((begin) => ({ kind: 'rangeDelete' as const, begin, end: Uint8Array.of(...begin, 0) })),
);
/** All of Unicode, and often what JSON escapes. */
const texts = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 5 }),
      fc.nat({ max: 0x1f }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('"', '\\', '/', '\x7f', '\u2028', '\u2029', '\ufeff', '\u{10ffff}'),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const contents: fc.Arbitrary<RecordContent> = fc.record({
  requestId: texts,
  operations: fc.array(operations, { maxLength: 6 }),
});
const frames = fc.record({
  prefix: fc.uint8Array({ maxLength: 40 }),
  suffix: fc.uint8Array({ maxLength: 40 }),
});

describe('rendered transactions', () => {
  it('are what JSON.stringify and Buffer make of them', () => {
    fc.assert(
      fc.property(
        fc.array(contents, { minLength: 1, maxLength: 6 }),
        texts,
        frames,
        fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 2 ** 53 - 7 })),
        fc.integer({ min: 0, max: 253_402_300_799_999 }),
        (list, leaderId, frame, firstVersion, timestampMs) => {
          const stamp = { firstVersion, prevVersion: firstVersion - 1, durableVersion: 0, timestampMs };
          const records = encodeRecords(list, stamp);
          const { text, ends } = renderTransactions(core, { bytes: records.bytes, leaderId }, frame);
          const parts = list.map(({ requestId, operations }, index) =>
            Buffer.concat([
              frame.prefix,
              Buffer.from(
                JSON.stringify({
                  request_id: requestId,
                  version: firstVersion + index,
                  prev_version: firstVersion + index - 1,
                  timestamp: new Date(timestampMs).toISOString(),
                  leader_id: leaderId,
                  operations: operations.map(asJson),
                }),
              ),
              frame.suffix,
            ]),
          );
          assert.equal(Buffer.from(text).toString('latin1'), Buffer.concat(parts).toString('latin1'));
          let end = 0;
          assert.deepEqual(
            [...ends],
            parts.map((part) => (end += part.length)),
          );
        },
      ),
      { seed, numRuns: 1500 },
    );
  });

  it('have the right date on days where calendars go wrong', () => {
    const frame = { prefix: new Uint8Array(0), suffix: new Uint8Array(0) };
    for (const day of [
      '1970-01-01',
      '1972-02-29',
      '1999-12-31',
      '2000-02-28',
      '2000-02-29',
      '2000-03-01',
      '2026-12-31',
      '2100-02-28',
      '2100-03-01',
      '2400-02-29',
      '9999-12-31',
    ]) {
      for (const time of ['00:00:00.000', '09:08:07.006', '23:59:59.999']) {
        const timestamp = `${day}T${time}Z`;
        const stamp = {
          firstVersion: 1,
          prevVersion: 0,
          durableVersion: 0,
          timestampMs: Date.parse(timestamp),
        };
        const { bytes: block } = encodeRecords([{ requestId: '', operations: [] }], stamp);
        const { text } = renderTransactions(core, { bytes: block, leaderId: '' }, frame);
        assert.equal(JSON.parse(Buffer.from(text).toString()).timestamp, timestamp);
      }
    }
  });

  it('refuse bytes that are no sound records, and never read outside', () => {
    const frame = { prefix: new Uint8Array(0), suffix: new Uint8Array(0) };
    const render = (block: Uint8Array) => renderTransactions(core, { bytes: block, leaderId: '' }, frame);
    const stamp = { firstVersion: 5, prevVersion: 4, durableVersion: 4, timestampMs: 7 };
    fc.assert(
      fc.property(contents, fc.nat(), fc.nat({ max: 255 }), (content, place, value) => {
        const { bytes: record } = encodeRecords([content], stamp);
        const at = place % record.length;
        record[at] = value;
        try {
          const { ends } = render(record);
          assert.equal(ends.length, 1);
        } catch (error) {
          assert.ok(error instanceof RangeError, String(error));
        }
        if (at > 0) assert.throws(() => render(record.subarray(0, at)), RangeError);
      }),
      { seed, numRuns: 2000 },
    );
  });
});

function asJson(write: Write): object {
  const base64 = (data: Uint8Array): string => Buffer.from(data).toString('base64');
  if (write.kind === 'write') return { type: 'write', key: base64(write.key), value: base64(write.value) };
  if (write.kind === 'delete') return { type: 'delete', key: base64(write.key) };
  return { type: 'range_delete', begin: base64(write.begin), end: base64(write.end) };
}
