import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Core } from '../../src/core/core.js';
import { Decider } from '../../src/core/decider.js';
import { decodeRecord } from '../../src/core/decode.js';
import { ConflictRig } from './conflict-rig.js';
import { ascii, point, range, remove, removeRange, transaction, write } from './transactions.js';

const options = { windowVersions: 1000, conflictBytesMax: 2 ** 24, floor: 0 };
const stamp = { firstVersion: 1, prevVersion: 0, durableVersion: 0, timestampMs: 0 };

describe('records of a batch', () => {
  it('are those that committed, in order, with what they were stamped with', () => {
    const rig = new ConflictRig();
    const batch = [
      transaction([], [write('a')]),
      transaction([point(0, 'a')], [write('b')]),
      transaction([point(4, 'a')], [remove('c'), removeRange('d', 'e')]),
    ].map((each) => rig.pack(each));
    const { records } = rig.decider.decide(batch, {
      firstVersion: 4,
      prevVersion: 2,
      durableVersion: 1,
      timestampMs: 1234,
    });
    assert.ok(records);
    assert.deepEqual([records.firstVersion, records.lastVersion, records.lastTimestampMs], [4, 5, 1234]);
    const core = Core.load();
    const [first, second] = [...records.offsets].map((offset) => decodeRecord(core, records.bytes, offset));
    assert.deepEqual([first?.version, first?.prevVersion, first?.durableVersion], [4, 2, 1]);
    assert.deepEqual([second?.version, second?.prevVersion, second?.durableVersion], [5, 4, 1]);
    assert.deepEqual(
      second?.operations.map((operation) => operation.type),
      ['delete', 'range_delete'],
    );
  });

  it('of nothing are none', () => {
    const rig = new ConflictRig();
    assert.deepEqual(rig.decider.decide([], stamp), { conflicts: [], records: undefined });
  });

  it('hold nothing of the batch before', () => {
    const [one, two] = [new ConflictRig(), new ConflictRig()];
    one.decide([
      transaction([], [{ kind: 'write', key: ascii('k'), value: new Uint8Array(500).fill(0xff) }]),
    ]);
    two.decide([transaction([])]);
    for (const key of ['', '1', '12', '123', '1234', '12345', '123456', '1234567']) {
      const after = one.decide([transaction([], [write(key)])]);
      const fresh = two.decide([transaction([], [write(key)])]);
      assert.deepEqual(after.records?.bytes, fresh.records?.bytes);
    }
  });

  it('stay when the next batch is decided', () => {
    const rig = new ConflictRig();
    const { records } = rig.decide([transaction([], [write('a')])]);
    const copy = records?.bytes.slice();
    rig.decide([transaction([], [write('bbbbbbbb')])]);
    assert.deepEqual(records?.bytes, copy);
  });
});

describe('what cannot be is refused, and nothing is decided', () => {
  const rig = new ConflictRig();
  const good = rig.pack(transaction([point(0, 'k')], [write('k')]));

  it('stamps whose versions do not grow or are no versions', () => {
    const decider = new Decider(Core.load(), { ...options, floor: 10 });
    for (const bad of [
      { firstVersion: 10 },
      { firstVersion: 11, prevVersion: 11 },
      { firstVersion: 11.5 },
      { firstVersion: 2 ** 53 - 1, prevVersion: 2 ** 53 },
      { firstVersion: 2 ** 53 - 2 },
      { firstVersion: 11, prevVersion: -1 },
      { firstVersion: 11, durableVersion: Number.NaN },
      { firstVersion: 11, timestampMs: 253_402_300_800_000 },
    ]) {
      assert.throws(() => decider.decide([good, good, good], { ...stamp, ...bad }), RangeError);
    }
    assert.deepEqual([decider.entries, decider.floor], [0, 10]);
    const empty = rig.pack(transaction([]));
    decider.decide([empty], { ...stamp, firstVersion: 11 });
    assert.throws(() => decider.decide([empty], { ...stamp, firstVersion: 11 }), RangeError);
  });

  it('options out of their range', () => {
    for (const bad of [
      { windowVersions: -1 },
      { windowVersions: 1.5 },
      { windowVersions: 2 ** 30 + 1 },
      { conflictBytesMax: 2 ** 23 - 1 },
      { conflictBytesMax: 2 ** 31 + 1 },
      { conflictBytesMax: Number.NaN },
      { floor: -1 },
      { floor: 2 ** 53 },
    ]) {
      assert.throws(() => new Decider(Core.load(), { ...options, ...bad }), RangeError);
    }
    assert.throws(() => new Decider(Core.load(), options).reset(-1), RangeError);
  });

  it('a second conflict set on one core', () => {
    const core = Core.load();
    assert.ok(new Decider(core, options));
    assert.throws(() => new Decider(core, options), /already carries a conflict set/);
  });

  /** `good` with numbers (u32) written over it. */
  const forged = (...numbers: readonly (readonly [at: number, value: number])[]): Uint8Array => {
    const bytes = good.slice();
    const view = new DataView(bytes.buffer);
    for (const [at, value] of numbers) view.setUint32(at, value, true);
    return bytes;
  };

  it('a transaction with a length or a count that is not its own', () => {
    const decider = new Decider(Core.load(), options);
    for (const at of [0, 4, 8, 12, 24 + 9, 24 + 14 + 1, 24 + 14 + 6]) {
      for (const value of [0, 1, 2, 100, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, 0xffff_ffff]) {
        const bytes = forged([at, value]);
        if (Buffer.compare(bytes, good) === 0) continue;
        assert.throws(() => decider.decide([bytes, good], stamp), RangeError, `${value} at ${at}`);
      }
    }
    // Two lengths that lead far outside together, and add up to the right sum modulo 2^32.
    const far = [24 + 9, 0x7000_0000] as const;
    assert.throws(() => decider.decide([forged([0, 2], [8, 0x7fff_ffff], far)], stamp), RangeError);
    assert.throws(() => decider.decide([forged([8, 0xffff_fff0], [12, 7 + 14 + 0x10])], stamp), RangeError);
    assert.deepEqual([decider.entries, decider.floor], [0, 0]);
  });

  it('a transaction with a range that does not begin before its end', () => {
    const decider = new Decider(Core.load(), options);
    const read = rig.pack(transaction([range(0, 'a', 'b')]));
    const removal = rig.pack(transaction([], [removeRange('a', 'b')]));
    for (const [packed, beginAt] of [
      [read, 24 + 13],
      [removal, 24 + 5],
    ] as const) {
      for (const begin of ['b', 'c', '\xff']) {
        const bytes = packed.slice();
        bytes.set(ascii(begin), beginAt);
        assert.throws(() => decider.decide([bytes], stamp), RangeError);
      }
    }
    assert.deepEqual(decider.decide([read, removal], stamp).conflicts, [undefined, undefined]);
  });

  it('a transaction with lengths that lead outside, wherever it stands in the batch', () => {
    const decider = new Decider(Core.load(), options);
    for (let length = 0; length < good.length; length += 1) {
      assert.throws(
        () => decider.decide([good, good.subarray(0, length)], stamp),
        /transaction 1 .*inconsistent/,
      );
    }
    assert.throws(() => decider.decide([Uint8Array.of(...good, 0), good], stamp), /transaction 0/);
    assert.equal(decider.entries, 0);
    assert.deepEqual(decider.decide([good], stamp).conflicts, [undefined]);
  });
});
