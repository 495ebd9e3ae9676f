import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Core } from '../../src/core/core.js';
import { decodeRecord } from '../../src/core/decode.js';
import { scanRecords } from '../../src/core/scan.js';
import { encodeRecords } from './records.js';

const core = Core.load();
const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
const fromHex = (...parts: readonly string[]): Uint8Array =>
  Uint8Array.from(Buffer.from(parts.join(''), 'hex'));

/** Made by hand from the layout, with a checksum from another implementation. */
const GOLDEN = fromHex(
  '5c5bfa30', // checksum of all that follows
  '70000000', // length
  '01', // a transaction
  '00',
  '1600', // bytes of the request ID
  '03000000', // operations
  'ffffffffffff1f00', // version
  '0500000001000000', // the version before
  '0300000000000000', // durable version
  '959c0c149c010000', // time of acceptance
  '1f000000', // bytes of the operations
  '00000000',
  '01010000006b0500000076616c7565', // write k = value
  '0200000000', // delete the empty key
  '03010000007f0100000080', // delete from 7f up to 80
  '6772c3bc6e2d303132333435363738392d6162636465', // request ID
  '000000', // padding
);
const EMPTY = fromHex('debb593d38000000010000000000000001', '00'.repeat(39));

const golden = encodeRecords(
  [
    {
      requestId: 'grün-0123456789-abcde',
      operations: [
        { kind: 'write', key: ascii('k'), value: ascii('value') },
        { kind: 'delete', key: ascii('') },
        { kind: 'rangeDelete', begin: ascii('\x7f'), end: ascii('\x80') },
      ],
    },
  ],
  { firstVersion: 2 ** 53 - 1, prevVersion: 2 ** 32 + 5, durableVersion: 3, timestampMs: 1769862896789 },
);
const nothing = { requestId: '', operations: [] };
const three = encodeRecords([nothing, { ...nothing, requestId: 'second' }, nothing], {
  firstVersion: 10,
  prevVersion: 4,
  durableVersion: 3,
  timestampMs: 99,
});

describe('an encoded record', () => {
  it('is the documented bytes', () => {
    assert.deepEqual(golden.bytes, GOLDEN);
    assert.deepEqual([...golden.offsets], [0]);
    const { low, high } = core.hashRequestId('grün-0123456789-abcde');
    assert.deepEqual([...golden.requestIdHashes], [low, high]);
    assert.equal(golden.firstVersion, 2 ** 53 - 1);
    assert.equal(golden.lastVersion, 2 ** 53 - 1);
    assert.equal(golden.lastTimestampMs, 1769862896789);
  });

  it('of an empty transaction is a header', () => {
    const { bytes } = encodeRecords([nothing], {
      firstVersion: 1,
      prevVersion: 0,
      durableVersion: 0,
      timestampMs: 0,
    });
    assert.deepEqual(bytes, EMPTY);
  });

  it('follows the one before in version and place', () => {
    assert.deepEqual([three.firstVersion, three.lastVersion], [10, 12]);
    assert.deepEqual([...three.offsets], [0, 56, 120]);
    assert.equal(three.bytes.length, 176);
  });

  it('owns its memory', () => {
    for (const array of [three.bytes, three.offsets, three.requestIdHashes]) {
      assert.equal(array.byteLength, array.buffer.byteLength);
    }
  });
});

describe('decodeRecord', () => {
  it('takes a record apart', () => {
    assert.deepEqual(decodeRecord(core, GOLDEN, 0), {
      requestId: 'grün-0123456789-abcde',
      version: 2 ** 53 - 1,
      prevVersion: 2 ** 32 + 5,
      durableVersion: 3,
      timestampMs: 1769862896789,
      operations: [
        { type: 'write', key: ascii('k'), value: ascii('value') },
        { type: 'delete', key: ascii('') },
        { type: 'range_delete', begin: ascii('\x7f'), end: ascii('\x80') },
      ],
      length: GOLDEN.length,
    });
  });

  it('finds it at an offset, also in a view', () => {
    const padded = new Uint8Array(3 + 16 + GOLDEN.length);
    padded.set(GOLDEN, 19);
    assert.equal(decodeRecord(core, padded.subarray(3), 16).version, 2 ** 53 - 1);
  });

  it('refuses what is no whole, undamaged record', () => {
    for (let length = 0; length < GOLDEN.length; length += 1) {
      assert.throws(() => decodeRecord(core, GOLDEN.subarray(0, length), 0), RangeError);
    }
    for (const offset of [-8, 8, GOLDEN.length, GOLDEN.length + 8]) {
      assert.throws(() => decodeRecord(core, GOLDEN, offset), RangeError);
    }
    assert.throws(() => decodeRecord(core, new Uint8Array(64), 0), RangeError);
  });

  it('says what is wrong', () => {
    for (const offset of [-8, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => decodeRecord(core, GOLDEN, offset), /offset must be an integer/);
    }
    assert.throws(() => decodeRecord(core, GOLDEN, GOLDEN.length), /the bytes end at 112/);
    assert.throws(() => decodeRecord(core, GOLDEN, GOLDEN.length + 8), /the bytes end at 112/);
    assert.throws(() => decodeRecord(core, GOLDEN.subarray(0, 104), 0), /partial/);
    assert.throws(() => decodeRecord(core, new Uint8Array(64), 0), /end/);
    assert.throws(() => decodeRecord(core, changed(GOLDEN, 4, 8), 0), /length/);
    assert.throws(() => decodeRecord(core, changed(GOLDEN, 60, 0xff), 0), /checksum/);
  });

  it('refuses what an encoder never writes, even under a right checksum', () => {
    const last = GOLDEN.length - 1;
    for (const [at, value] of [
      [9, 1],
      [52, 1],
      [55, 0x80],
      [last, 1],
      [last - 2, 0xff],
      [81, 0x80],
      [81, 0x81],
    ] as const) {
      const forged = sealed(GOLDEN, at, value);
      assert.throws(() => decodeRecord(core, forged, 0), /layout/, `byte ${at} = ${value}`);
      const { stop, fault } = scanRecords(core, forged);
      assert.deepEqual([stop, fault], ['damaged', 'layout'], `byte ${at} = ${value}`);
    }
    assert.equal(scanRecords(core, sealed(GOLDEN, 81, 0x7e)).count, 1, 'another range is a range');
    assert.equal(scanRecords(core, sealed(GOLDEN, last - 3, 0xff)).count, 1, 'not padding: the request ID');
  });

  it('refuses lengths that lead outside, even under a right checksum', () => {
    for (const [at, value] of [
      [10, 0xff],
      [12, 0xff],
      [12, 2],
      [48, 0xff],
      [48, 0x1e],
      [56, 9],
      [57, 0xff],
      [62, 0xff],
      [8, 2],
      [22, 0x20],
      [46, 0x20],
    ] as const) {
      const forged = sealed(GOLDEN, at, value);
      assert.throws(() => decodeRecord(core, forged, 0), RangeError, `byte ${at} = ${value}`);
      assert.equal(scanRecords(core, forged).stop, 'damaged', `byte ${at} = ${value}`);
    }
  });
});

describe('scanRecords', () => {
  it('reads the columns of every record', () => {
    const scan = scanRecords(core, three.bytes);
    assert.equal(scan.count, 3);
    assert.deepEqual([...scan.offsets], [0, 56, 120]);
    assert.deepEqual([...scan.versions], [10, 11, 12]);
    assert.deepEqual([...scan.prevVersions], [4, 10, 11]);
    assert.deepEqual([...scan.durableVersions], [3, 3, 3]);
    assert.deepEqual([...scan.timestampsMs], [99, 99, 99]);
    assert.deepEqual(scan.requestIdHashes, three.requestIdHashes);
    assert.deepEqual(
      [scan.stop, scan.stopOffset, scan.bytesNeeded, scan.fault],
      ['exhausted', 176, 0, undefined],
    );
  });

  it('hashes under its own key', () => {
    const keyed = Core.load({ hashKey: new Uint8Array(16).fill(9) });
    const { low, high } = keyed.hashRequestId('second');
    assert.deepEqual([...scanRecords(keyed, three.bytes).requestIdHashes.subarray(2, 4)], [low, high]);
  });

  it('stops at eight zero bytes', () => {
    const scan = scanRecords(core, concat(three.bytes, new Uint8Array(8), three.bytes));
    assert.deepEqual([scan.count, scan.stop, scan.stopOffset], [3, 'end', 176]);
    assert.equal(scanRecords(core, new Uint8Array(4096)).stop, 'end');
    assert.equal(scanRecords(core, new Uint8Array(0)).stop, 'exhausted');
  });

  it('asks for more when the last record is cut off', () => {
    for (let length = 1; length < GOLDEN.length; length += 1) {
      const scan = scanRecords(core, concat(three.bytes, GOLDEN.subarray(0, length)));
      assert.deepEqual([scan.count, scan.stop, scan.stopOffset], [3, 'partial', 176]);
      assert.equal(scan.bytesNeeded, length < 8 ? 8 : GOLDEN.length);
    }
  });

  it('calls a record longer than allowed damaged', () => {
    const whole = scanRecords(core, GOLDEN, { recordBytesMax: GOLDEN.length });
    assert.deepEqual([whole.count, whole.stop], [1, 'exhausted']);
    const short = scanRecords(core, GOLDEN.subarray(0, 8), { recordBytesMax: GOLDEN.length - 8 });
    assert.deepEqual([short.stop, short.fault], ['damaged', 'length']);
  });

  it('refuses a bound that is no number of bytes', () => {
    for (const recordBytesMax of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => scanRecords(core, GOLDEN, { recordBytesMax }), RangeError);
    }
    assert.equal(scanRecords(core, GOLDEN, { recordBytesMax: 2 ** 53 - 1 }).count, 1);
  });

  it('says what is wrong with a damaged record', () => {
    const faults: readonly (readonly [Uint8Array, string])[] = [
      [changed(GOLDEN, 60, 0xff), 'checksum'],
      [changed(GOLDEN, 0, 0), 'checksum'],
      [changed(GOLDEN, 4, 0x71), 'length'],
      [changed(GOLDEN, 4, 0x30), 'length'],
      [sealed(GOLDEN, 8, 2), 'kind'],
      [sealed(GOLDEN, 48, 0x1e), 'layout'],
    ];
    for (const [bytes, fault] of faults) {
      const scan = scanRecords(core, concat(three.bytes, bytes, three.bytes));
      assert.deepEqual([scan.count, scan.stop, scan.stopOffset, scan.fault], [3, 'damaged', 176, fault]);
    }
  });

  it('reads a large block, and a small one after it', () => {
    const large = encodeRecords(
      Array.from({ length: 2000 }, (_, index) => ({
        requestId: `request-${index}`,
        operations: [{ kind: 'write' as const, key: ascii('k'), value: new Uint8Array(5000) }],
      })),
      { firstVersion: 1, prevVersion: 0, durableVersion: 0, timestampMs: 0 },
    );
    assert.deepEqual([...scanRecords(core, large.bytes).offsets], [...large.offsets]);
    assert.equal(scanRecords(core, three.bytes).count, 3);
  });
});

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}

function changed(record: Uint8Array, at: number, value: number): Uint8Array {
  const copy = record.slice();
  copy[at] = value;
  return copy;
}

/** The record with a byte changed and a checksum that fits. */
function sealed(record: Uint8Array, at: number, value: number): Uint8Array {
  const copy = changed(record, at, value);
  new DataView(copy.buffer).setUint32(0, core.crc32c(copy.subarray(4)), true);
  return copy;
}
