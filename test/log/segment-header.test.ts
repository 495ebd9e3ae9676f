import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Core } from '../../src/core/core.js';
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  HEADER_BYTES,
  headerChecksum,
  type SegmentHeader,
} from '../../src/log/file/segment-header.js';

const core = Core.load();
const header: SegmentHeader = {
  leaderId: 'leader-\u00e9',
  versionFloor: 0x0001_0203_0405_0607,
  prevVersion: 0x11_1213_1415,
  prevTimestampMs: 1_700_000_000_001,
  termStartedMs: 1_700_000_000_002,
  maxInFlight: 10_000,
  hashKey: Uint8Array.from({ length: 16 }, (_, index) => 0xa0 + index),
};

/** The first bytes; zeros follow up to 4096. */
const GOLDEN = [
  '48575345474d4e54', // magic
  '707f7c80', // checksum
  '01000000', // format version
  '0706050403020100', // version floor
  '1514131211000000', // previous version
  '0168e5cf8b010000', // its time
  '0268e5cf8b010000', // start of the term
  '10270000', // in flight
  '09000000', // length of the leader ID
  'a0a1a2a3a4a5a6a7a8a9aaabacadaeaf', // hash key
  '6c65616465722dc3a9', // leader ID
].join('');

test('a header has the bytes that the format says', () => {
  const bytes = encodeSegmentHeader(core, header);
  assert.equal(bytes.length, HEADER_BYTES);
  assert.equal(Buffer.from(bytes.subarray(0, 81)).toString('hex'), GOLDEN);
  assert(bytes.subarray(81).every((byte) => byte === 0));
});

test('a header is decoded to what was encoded', () => {
  const bytes = encodeSegmentHeader(core, header);
  assert.deepEqual(decodeSegmentHeader(core, bytes), header);
  assert.equal(headerChecksum(bytes), Buffer.from(bytes).readUInt32LE(8));
});

test('every flipped bit of a header is noticed', () => {
  for (let at = 0; at < 100; at += 1) {
    const bytes = encodeSegmentHeader(core, header);
    bytes[at]! ^= 1 << (at % 8);
    assert.equal(typeof decodeSegmentHeader(core, bytes), 'string', `byte ${at}`);
  }
});

test('a header of a later format, or cut short, is refused in words', () => {
  const bytes = encodeSegmentHeader(core, header);
  assert.match(String(decodeSegmentHeader(core, bytes.subarray(0, 4095))), /cut short/);
  const view = new DataView(bytes.buffer);
  view.setUint32(12, 2, true);
  view.setUint32(8, core.crc32c(bytes.subarray(12)), true);
  assert.match(String(decodeSegmentHeader(core, bytes)), /format version is 2/);
});

test('what does not fit into a header is refused', () => {
  assert.throws(() => encodeSegmentHeader(core, { ...header, leaderId: 'x'.repeat(257) }), RangeError);
  assert.throws(() => encodeSegmentHeader(core, { ...header, hashKey: new Uint8Array(15) }), RangeError);
  assert.throws(() => encodeSegmentHeader(core, { ...header, versionFloor: 2 ** 53 }), RangeError);
});

test('a header that would say something else is not made', () => {
  for (const maxInFlight of [0, 2 ** 32, 1.5, Number.NaN]) {
    assert.throws(() => encodeSegmentHeader(core, { ...header, maxInFlight }), RangeError);
  }
});
