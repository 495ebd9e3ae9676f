import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Core } from '../../src/core/core.js';
import { Decider } from '../../src/core/decider.js';
import { decodeRecord } from '../../src/core/decode.js';
import type { Read, Transaction, Write } from './conflict-model.js';
import { ConflictRig } from './conflict-rig.js';

const ascii = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text, 'latin1'));
const point = (version: number, key: string): Read => ({ kind: 'point', version, key: ascii(key) });
const range = (version: number, begin: string, end: string): Read => {
  return { kind: 'range', version, begin: ascii(begin), end: ascii(end) };
};
const write = (key: string): Write => ({ kind: 'write', key: ascii(key), value: ascii('value') });
const remove = (key: string): Write => ({ kind: 'delete', key: ascii(key) });
const removeRange = (begin: string, end: string): Write => {
  return { kind: 'rangeDelete', begin: ascii(begin), end: ascii(end) };
};
const transaction = (reads: readonly Read[], writes: readonly Write[] = []): Transaction => ({
  reads,
  writes,
});
const options = { windowVersions: 1000, conflictBytesMax: 2 ** 24, floor: 0 };
const stamp = { firstVersion: 1, prevVersion: 0, durableVersion: 0, timestampMs: 0 };

describe('preconditions', () => {
  it('hold until their key is written or deleted', () => {
    const rig = new ConflictRig();
    rig.decide([transaction([point(0, 'k')], [write('k')])]);
    const { conflicts } = rig.decide([
      transaction([point(0, 'k')]),
      transaction([point(1, 'k')], [remove('k')]),
      transaction([point(1, 'k')]),
      transaction([point(2, 'k')]),
    ]);
    const at = (settledAt: number) => ({ preconditions: [0], settledAt });
    assert.deepEqual(conflicts, [at(1), undefined, at(2), undefined]);
  });

  it('of a range count its beginning and not its end', () => {
    const rig = new ConflictRig();
    rig.decide([transaction([], [write('b'), write('d')])]);
    const { conflicts } = rig.decide([
      transaction([range(0, 'b', 'b\0')]),
      transaction([range(0, 'b\0', 'd')]),
      transaction([range(0, 'b\0', 'd\0')]),
      transaction([range(0, '', 'b')]),
      transaction([range(0, '', '\xff')]),
    ]);
    assert.deepEqual(
      conflicts.map((conflict) => conflict !== undefined),
      [true, false, true, false, true],
    );
  });

  it('of a range delete count its beginning and not its end', () => {
    const rig = new ConflictRig();
    rig.decide([transaction([], [removeRange('b', 'd')])]);
    const { conflicts } = rig.decide([
      transaction([point(0, 'b')]),
      transaction([point(0, 'c')]),
      transaction([point(0, 'cz')]),
      transaction([point(0, 'd')]),
      transaction([point(0, 'a\xff')]),
      transaction([range(0, 'a', 'b')]),
      transaction([range(0, 'd', 'e')]),
      transaction([range(0, 'c\xff', 'e')]),
    ]);
    assert.deepEqual(
      conflicts.map((conflict) => conflict !== undefined),
      [true, true, true, false, false, false, false, true],
    );
  });

  it('are all listed when they are violated, with the newest change that did it', () => {
    const rig = new ConflictRig();
    rig.decide([transaction([], [write('a')]), transaction([], [write('b')]), transaction([], [write('c')])]);
    const { conflicts, records } = rig.decide([
      transaction([
        point(0, 'a'),
        point(1, 'a'),
        range(1, 'a', 'c'),
        point(0, 'z'),
        point(1, 'b'),
        point(3, 'c'),
      ]),
    ]);
    assert.deepEqual(conflicts, [{ preconditions: [0, 2, 4], settledAt: 2 }]);
    assert.equal(records, undefined);
  });

  it("are not violated by their own transaction's writes, but by those before it in the batch", () => {
    const rig = new ConflictRig();
    const { conflicts, records } = rig.decide([
      transaction([point(0, 'k'), range(0, '', '\xff')], [write('k'), removeRange('a', 'z')]),
      transaction([point(0, 'm')], [write('x')]),
      transaction([point(0, '0')], [write('0')]),
    ]);
    assert.deepEqual(conflicts, [undefined, { preconditions: [0], settledAt: 1 }, undefined]);
    assert.deepEqual([records?.firstVersion, records?.lastVersion], [1, 2]);
  });

  it('are not violated by writes of transactions that did not commit', () => {
    const rig = new ConflictRig();
    const { conflicts } = rig.decide([
      transaction([], [write('a')]),
      transaction([point(0, 'a')], [write('b')]),
      transaction([point(0, 'b')], [write('c')]),
    ]);
    assert.deepEqual(
      conflicts.map((conflict) => conflict?.settledAt),
      [undefined, 1, undefined],
    );
  });

  it('below the floor are violated, at the floor they count', () => {
    const rig = new ConflictRig({ floor: 100, firstVersion: 200 });
    const { conflicts } = rig.decide([transaction([point(99, 'k'), point(100, 'k'), range(0, 'a', 'b')])]);
    assert.deepEqual(conflicts, [{ preconditions: [0, 2], settledAt: 100 }]);
    rig.decide([transaction([], [write('k')])]);
    const again = rig.decide([transaction([point(99, 'k'), point(100, 'x')])]);
    assert.deepEqual(again.conflicts, [{ preconditions: [0], settledAt: 200 }]);
  });

  it('tell versions apart up to 2^53 - 1', () => {
    const top = 2 ** 53 - 1;
    const rig = new ConflictRig({ floor: top - 10, firstVersion: top - 1 });
    rig.decide([transaction([], [write('k')])]);
    const { conflicts } = rig.decide([transaction([point(top - 2, 'k')])]);
    assert.deepEqual(conflicts, [{ preconditions: [0], settledAt: top - 1 }]);
    rig.decide([transaction([point(top - 1, 'k')], [write('k')])]);
    assert.equal(rig.version, top);
  });
});

describe('the window', () => {
  it('raises the floor behind the newest version, batch or no batch', () => {
    const rig = new ConflictRig({ windowVersions: 3 });
    rig.decide(Array.from({ length: 10 }, () => transaction([], [write('k')])));
    assert.equal(rig.decider.floor, 7);
    const { conflicts } = rig.decide([transaction([point(6, 'x')]), transaction([point(7, 'x')])]);
    assert.deepEqual(conflicts, [{ preconditions: [0], settledAt: 7 }, undefined]);
  });

  it('of nothing accepts the newest version alone', () => {
    const rig = new ConflictRig({ windowVersions: 0 });
    rig.decide([transaction([], [write('k')])]);
    const { conflicts } = rig.decide([transaction([point(0, 'x')]), transaction([point(1, 'k')])]);
    assert.deepEqual(conflicts, [{ preconditions: [0], settledAt: 1 }, undefined]);
  });

  it('forgets: what it has overtaken leaves the memory', () => {
    const rig = new ConflictRig({ windowVersions: 100 });
    const key = (index: number): string => String((index * 7919) % 100_000);
    for (let index = 0; index < 5000; index += 1) {
      rig.decide([
        transaction([], index % 10 === 0 ? [removeRange(key(index), `${key(index)}~`)] : [write(key(index))]),
      ]);
    }
    assert.ok(rig.decider.entries < 200, `${rig.decider.entries} entries`);
    for (let index = 0; index < 300; index += 1) rig.decide([transaction([], [write('k')])]);
    assert.equal(rig.decider.entries, 1);
    rig.decider.verify();
  });
});

describe('reset', () => {
  it('starts with an empty history at the floor', () => {
    const rig = new ConflictRig({ floor: 5, firstVersion: 10 });
    rig.decide([transaction([], [write('k')])]);
    rig.decider.reset(10);
    assert.deepEqual([rig.decider.floor, rig.decider.entries], [10, 0]);
    const packed = [transaction([point(10, 'k')]), transaction([point(9, 'x')])].map((each) =>
      rig.pack(each),
    );
    const { conflicts } = rig.decider.decide(packed, { ...stamp, firstVersion: 1000, prevVersion: 10 });
    assert.deepEqual(conflicts, [undefined, { preconditions: [0], settledAt: 10 }]);
  });

  it('may go back below the floor before', () => {
    const rig = new ConflictRig({ floor: 50 });
    rig.decider.reset(20);
    const { conflicts } = rig.decider.decide([rig.pack(transaction([point(20, 'k')]))], {
      ...stamp,
      firstVersion: 21,
      prevVersion: 20,
    });
    assert.deepEqual(conflicts, [undefined]);
  });
});

describe('keys', () => {
  it('may be empty', () => {
    const rig = new ConflictRig();
    rig.decide([transaction([], [write('')])]);
    const { conflicts } = rig.decide([
      transaction([point(0, '')]),
      transaction([point(0, '\0')]),
      transaction([range(0, '', '\0')], []),
      transaction([range(0, '\0', '\xff')], [removeRange('', '\0')]),
    ]);
    assert.deepEqual(
      conflicts.map((conflict) => conflict !== undefined),
      [true, false, true, false],
    );
  });

  it('may be long, and differ in their last byte only', () => {
    const rig = new ConflictRig();
    const long = 'x'.repeat(100_000);
    const huge = 'x'.repeat(2 ** 20);
    rig.decide([transaction([], [write(`${long}b`), write(huge)])]);
    const { conflicts } = rig.decide([
      transaction([point(0, `${long}a`)]),
      transaction([point(0, `${long}b`)]),
      transaction([range(0, `${long}a`, `${long}b`)]),
      transaction([range(0, `${long}a`, `${long}c`)]),
      transaction([point(0, huge)], []),
      transaction([point(0, `${huge}x`), point(0, huge.slice(1))], [removeRange('x', huge)]),
      transaction([point(1, huge), point(1, long)]),
    ]);
    assert.deepEqual(
      conflicts.map((conflict) => conflict?.preconditions),
      [undefined, [0], undefined, [0], [0], undefined, [1]],
    );
    rig.decider.verify();
  });

  it('may share a KiB by the thousand', () => {
    const rig = new ConflictRig({ windowVersions: 100_000 });
    const prefix = 'p'.repeat(1024);
    const writes = Array.from({ length: 5000 }, (_, index) =>
      write(prefix + ((index * 2654435761) % 2 ** 32)),
    );
    for (let from = 0; from < writes.length; from += 50) {
      rig.decider.decide([rig.pack(transaction([], writes.slice(from, from + 50)))], {
        ...stamp,
        firstVersion: from + 1,
        prevVersion: from,
      });
    }
    rig.decider.verify();
    assert.equal(rig.decider.entries, 5000);
    const reads = writes.map((each, index) => {
      return {
        kind: 'point' as const,
        version: Math.floor(index / 50) * 50,
        key: (each as { key: Uint8Array }).key,
      };
    });
    const { conflicts } = rig.decider.decide([rig.pack(transaction(reads))], {
      ...stamp,
      firstVersion: 6000,
      prevVersion: 5999,
    });
    assert.equal(conflicts[0]?.preconditions.length, 5000);
    assert.equal(conflicts[0]?.settledAt, 4951);
  });

  it('may share more than a MiB, on both sides of a node', () => {
    const rig = new ConflictRig();
    const prefix = 'p'.repeat(2 ** 21);
    for (let index = 0; index < 200; index += 1) {
      const batch = [rig.pack(transaction([], [write(prefix + String.fromCharCode((index * 37) % 200))]))];
      rig.decider.decide(batch, { ...stamp, firstVersion: index + 1, prevVersion: index });
    }
    rig.decider.verify();
    assert.equal(rig.decider.entries, 200);
  });

  it('are all covered by one range', () => {
    const rig = new ConflictRig({ windowVersions: 100_000 });
    for (let index = 0; index < 200; index += 1) {
      rig.decide([
        transaction(
          [],
          Array.from({ length: 20 }, (_, part) => write(`${(index * 31) % 200}/${part}`)),
        ),
      ]);
    }
    rig.decide([transaction([], [removeRange('', '\xff\xff')])]);
    rig.decider.verify();
    const { conflicts } = rig.decide([
      transaction([point(200, '77/3')]),
      transaction([range(200, '5', '50')]),
      transaction([point(200, '')]),
      transaction([point(200, '\xff\xff')]),
      transaction([point(201, '77/3'), range(201, '', '\xff')], [write('77/3')]),
      transaction([range(201, '5', '8')]),
    ]);
    assert.deepEqual(
      conflicts.map((conflict) => conflict?.settledAt),
      [201, 201, 201, undefined, undefined, 203],
    );
    rig.decider.verify();
    for (let index = 0; index < 20; index += 1) rig.decide([transaction([], Array(50).fill(write('k')))]);
    rig.decider.verify();
    assert.ok(rig.decider.entries <= 6, 'what the range covered was freed');
  });
});

describe('the bound of the memory', () => {
  const bigKey = (index: number): string => `${index}`.padEnd(8000, '.');

  it('is kept: the oldest versions are forgotten first', () => {
    const bytesMax = 2 ** 20;
    const rig = new ConflictRig({ windowVersions: 100_000, conflictBytesMax: bytesMax });
    for (let index = 0; index < 2000; index += 1) {
      rig.decideShortOfMemory(
        transaction([point(Math.max(rig.decider.floor, rig.version - 20), 'x')], [write(bigKey(index))]),
      );
      assert.ok(rig.decider.bytes <= bytesMax);
      if (index % 100 === 0) rig.decider.verify();
    }
    assert.equal(rig.committed, 2000);
    assert.ok(rig.decider.floor < rig.version - 20, `the floor ${rig.decider.floor} is not above need`);
    assert.ok(rig.decider.floor > rig.version - 131, 'no more than fits is claimed to be known');
  });

  it('does not stop a transaction that is larger: afterwards its version is all that is known', () => {
    const rig = new ConflictRig({ conflictBytesMax: 2 ** 20 });
    rig.decide([transaction([], [write('before')])]);
    const large = Array.from({ length: 300 }, (_, index) => write(bigKey(index)));
    rig.decideShortOfMemory(transaction([point(0, 'x'), point(1, 'before')], large));
    assert.deepEqual([rig.version, rig.decider.floor], [2, 2]);
    rig.decider.verify();
    rig.decideShortOfMemory(transaction([point(1, 'x')]));
    assert.equal(rig.refused, 1);
    rig.decideShortOfMemory(transaction([point(2, bigKey(1)), point(2, 'before')], [write('k')]));
    rig.decideShortOfMemory(transaction([point(2, 'k')]));
    assert.equal(rig.refused, 2);
    assert.ok(rig.decider.bytes <= 2 ** 20);
  });

  it('does not stop a key that is larger', () => {
    const rig = new ConflictRig({ conflictBytesMax: 2 ** 20 });
    const key = 'k'.repeat(2 ** 20);
    rig.decideShortOfMemory(transaction([], [write('a'), write(key)]));
    assert.equal(rig.decider.floor, 1);
    rig.decideShortOfMemory(transaction([point(1, key)], [removeRange('a', key)]));
    assert.equal(rig.decider.floor, 2);
    rig.decider.verify();
  });

  it('lets other sizes of keys use what was freed', () => {
    const rig = new ConflictRig({ windowVersions: 20, conflictBytesMax: 2 ** 20 });
    for (let index = 0; index < 3000; index += 1) {
      const length = 1 << (Math.floor(index / 150) % 15);
      rig.decideShortOfMemory(transaction([], [write(`${index}`.padEnd(length, '.'))]));
    }
    assert.equal(rig.decider.floor, rig.version - 20, 'memory was never short');
    rig.decider.verify();
  });
});

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
