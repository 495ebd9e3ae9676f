import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConflictRig } from './conflict-rig.js';
import { point, range, remove, removeRange, transaction, write } from './transactions.js';

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
