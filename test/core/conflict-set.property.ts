import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { seed } from '../support/seed.js';
import type { Bytes, Read, Transaction, Write } from './conflict-model.js';
import { ConflictRig } from './conflict-rig.js';
import { prefixedKeys, ranges, successor, tinyKeys } from './keys.js';
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

  /** Many entries, many nodes: longer than can be shrunk, so the batch that fails is named. */
  const walk = (options: {
    readonly windowVersions: number;
    readonly transactions: number;
    readonly rangeWriteEvery: number;
    readonly key: (prng: Prng) => Bytes;
  }): void => {
    const prng = new Prng(seed);
    const rig = new ConflictRig({ windowVersions: options.windowVersions });
    const range = (): { begin: Bytes; end: Bytes } => {
      const begin = options.key(prng);
      const end = prng.below(4) === 0 ? successor(begin) : options.key(prng);
      const order = Buffer.compare(begin, end);
      if (order === 0) return { begin, end: successor(begin) };
      return order < 0 ? { begin, end } : { begin: end, end: begin };
    };
    const lag = (): number =>
      prng.below(10) === 0 ? prng.below(options.windowVersions + 2) : prng.below(50);
    const list = <T>(max: number, make: () => T): T[] => Array.from({ length: prng.below(max + 1) }, make);
    for (let done = 0; done < options.transactions; ) {
      const batch = Array.from({ length: 1 + prng.below(8) }, (): Transaction => {
        const reads = list(2, (): Read => {
          if (prng.below(2) === 0) return { kind: 'point', version: lag(), key: options.key(prng) };
          return { kind: 'range', version: lag(), ...range() };
        });
        const writes = list(5, (): Write => {
          if (prng.below(options.rangeWriteEvery) === 0) return { kind: 'rangeDelete', ...range() };
          return { kind: 'write', key: options.key(prng), value: NO_VALUE };
        });
        operations += reads.length + writes.length;
        return atVersions({ reads, writes }, rig.version);
      });
      rig.decide(batch);
      done += batch.length;
      if (prng.below(40) === 0) rig.decider.verify();
    }
    rig.decider.verify();
    assert.ok(rig.committed > 0 && rig.refused > 0);
  };
  const tiny =
    (length: number) =>
    (prng: Prng): Bytes => {
      return Uint8Array.from({ length: prng.below(length + 1) }, () => prng.oneOf([0x00, 0x7f, 0x80, 0xff]));
    };
  const numbers =
    (prefix: string, end: number) =>
    (prng: Prng): Bytes => {
      return Uint8Array.from(Buffer.from(prefix + prng.below(end)));
    };

  it('over a long time, for many short keys and few ranges', () => {
    walk({ windowVersions: 4000, transactions: 15_000, rangeWriteEvery: 300, key: tiny(9) });
  });

  it('over a long time, for many ranges', () => {
    walk({ windowVersions: 500, transactions: 10_000, rangeWriteEvery: 3, key: tiny(6) });
  });

  it('over a long time, for numbers behind a long prefix', () => {
    walk({
      windowVersions: 5000,
      transactions: 10_000,
      rangeWriteEvery: 1000,
      key: numbers('k'.repeat(300), 50_000),
    });
  });

  it('over a long time, with a short window', () => {
    walk({ windowVersions: 20, transactions: 10_000, rangeWriteEvery: 20, key: tiny(5) });
  });

  it('in more than 100,000 operations', () => {
    assert.ok(operations > 100_000, `${operations} operations`);
  });
});

/** Turns lags behind the newest version into versions. */
function atVersions(transaction: Transaction, newest: number): Transaction {
  const reads = transaction.reads.map((read) => ({ ...read, version: Math.max(0, newest - read.version) }));
  return { reads, writes: transaction.writes };
}
