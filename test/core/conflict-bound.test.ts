import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Core } from '../../src/core/core.js';
import type { Decider } from '../../src/core/decider.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';
import { boundedDecider } from './bounded-decider.js';
import { Prng } from './prng.js';

const NO_VALUE = new Uint8Array(0);
const MIB = 2 ** 20;
const packer = new TransactionPacker(Core.load());

/** Decides packed transactions at the versions that follow. */
class Run {
  readonly decider: Decider;
  version = 0;

  constructor(conflictBytesMax: number) {
    this.decider = boundedDecider(Core.load(), { windowVersions: 2 ** 30, conflictBytesMax, floor: 0 });
  }

  decide(batch: readonly Uint8Array[]): readonly boolean[] {
    const { conflicts } = this.decider.decide(batch, {
      firstVersion: this.version + 1,
      prevVersion: this.version,
      durableVersion: 0,
      timestampMs: 0,
    });
    const committed = conflicts.map((conflict) => conflict === undefined);
    this.version += committed.filter(Boolean).length;
    return committed;
  }

  /** One transaction; returns how far the floor rose. */
  write(...keys: readonly Uint8Array[]): number {
    const { floor } = this.decider;
    packer.reset();
    for (const key of keys) packer.write(key, NO_VALUE);
    this.decide([packer.finish('')]);
    return this.decider.floor - floor;
  }

  deleteRange(begin: string, end: string): void {
    packer.reset();
    packer.rangeDelete(Buffer.from(begin), Buffer.from(end));
    this.decide([packer.finish('')]);
  }
}

function randomKey(prng: Prng, length: number): Uint8Array {
  const key = new Uint8Array(length);
  for (let at = 0; at < Math.min(length, 8); at += 1) key[at] = prng.below(256);
  return key;
}

describe('at the bound of its memory, the history', () => {
  it('does not depend on how transactions with large values are divided into batches', () => {
    const prng = new Prng(1);
    const value = new Uint8Array(600_000);
    const untouched = new Uint8Array(9);
    const stream = Array.from({ length: 120 }, (_, index) => {
      packer.reset();
      packer.pointRead(Math.max(0, index - (index % 3 === 0 ? 100 : 10)), untouched);
      packer.write(randomKey(prng, 8), value);
      for (let count = 0; count < 3000; count += 1) packer.write(randomKey(prng, 8), NO_VALUE);
      return packer.finish('');
    });
    const outcomes = [1, 5, 20].map((size) => {
      const run = new Run(8 * MIB);
      const committed: boolean[] = [];
      for (let from = 0; from < stream.length; from += size) {
        committed.push(...run.decide(stream.slice(from, from + size)));
      }
      return { committed, floor: run.decider.floor, entries: run.decider.entries };
    });
    const [one, five, twenty] = outcomes;
    assert.ok(one && one.floor > 0, 'the bound was met');
    assert.deepEqual(new Set(one.committed), new Set([true, false]));
    assert.deepEqual(five, one);
    assert.deepEqual(twenty, one);
  });

  /** The longest keys, and the share of the simple ideal that must survive. */
  for (const longest of [30, 130, 1000, 4000, 28_000, 60_000]) {
    it(`of keys of up to ${longest} bytes is at least half of what could fit`, () => {
      const bound = 8 * MIB;
      const run = new Run(bound);
      const prng = new Prng(2);
      // About 50 bytes are an entry's share of the nodes; from three quarters of the bound on, old versions go.
      const ideal = (0.75 * bound) / (longest / 2 + 50);
      let kept = Number.POSITIVE_INFINITY;
      while (run.version < 3 * ideal) {
        const batch = Array.from({ length: 20 }, () => {
          packer.reset();
          packer.write(randomKey(prng, 6 + prng.below(longest - 5)), NO_VALUE);
          return packer.finish('');
        });
        run.decide(batch);
        if (run.version > 1.5 * ideal) kept = Math.min(kept, run.version - run.decider.floor);
      }
      assert.ok(run.decider.floor > 0, 'the bound was met');
      assert.ok(kept >= ideal / 2, `${kept} of ${ideal} versions`);
      run.decider.verify();
    });
  }

  it('loses nothing to pages that hold a few old keys each, when the length of the keys changes', () => {
    const run = new Run(16 * MIB);
    const prng = new Prng(3);
    const hot: Uint8Array[] = [];
    let next = 0;
    let rise = 0;
    let kept = Number.POSITIVE_INFINITY;
    for (const length of [40, 56, 72, 24]) {
      for (let count = 0; count < 20_000; count += 1) {
        const keys = Array.from({ length: 10 }, () => randomKey(prng, length));
        if (hot.length < 4000 && prng.below(5) === 0) hot.push(keys[0]!);
        for (let each = 0; each < 3; each += 1, next += 1) keys.push(hot[next % hot.length] ?? keys[0]!);
        rise = Math.max(rise, run.write(...keys));
        if (run.version > 20_000) kept = Math.min(kept, run.version - run.decider.floor);
        if (count % 5000 === 0) run.decider.verify();
      }
    }
    assert.ok(rise < 100, `the floor rose by ${rise} versions at once`);
    assert.ok(kept > 8000, `${kept} versions`);
    run.decider.verify();
  });

  it('keeps what one large transaction has changed, as long as it fits', () => {
    const run = new Run(8 * MIB);
    const prng = new Prng(3);
    packer.reset();
    for (let left = 200_000; left > 0; left -= 1) packer.write(randomKey(prng, 6), NO_VALUE);
    run.decide([packer.finish('')]);
    assert.equal(run.decider.floor, 0);
    assert.ok(run.decider.entries > 190_000);
  });

  it('takes the room of what is forgotten before it gives up the rest', () => {
    const run = new Run(8 * MIB);
    const prng = new Prng(7);
    for (let turn = 0; turn < 1_000; turn += 1)
      run.write(...Array.from({ length: 100 }, () => randomKey(prng, 7)));
    run.write(...Array.from({ length: 150 }, () => randomKey(prng, 27_000)));
    const { version } = run;
    run.write(...Array.from({ length: 60 }, () => randomKey(prng, 27_000)));
    assert.ok(run.decider.floor <= version, 'its own changes are known');
    assert.ok(run.decider.entries >= 60);
    run.decider.verify();
  });

  it('uses pages that hold nothing for something else, in whatever order they became empty', () => {
    const bound = MIB;
    const key = (letter: string, index: number): Uint8Array => {
      return Buffer.from(`${letter}${String(index).padStart(6, '0')}`.padEnd(52, 'x'));
    };
    const floorAfter = (emptyLast: boolean, largePages: number): { floor: number; held: number } => {
      const run = new Run(bound);
      // As many as a page holds, and some in the next one.
      run.write(...Array.from({ length: 1150 }, (_, index) => key('a', index)));
      run.write(...Array.from({ length: 10 }, (_, index) => key('z', index)));
      run.write(...Array.from({ length: 100 }, (_, index) => Buffer.alloc(2000 + index, 'm')));
      const empty = (): void => run.deleteRange('y', '{');
      if (!emptyLast) empty();
      run.deleteRange('a000500', 'a000501');
      if (emptyLast) empty();
      for (let count = 0; count < 20; count += 1) run.write();
      const held = run.decider.bytes;
      run.write(Buffer.alloc(largePages * 65_536 - 100, 'q'));
      run.decider.verify();
      return { floor: run.decider.floor, held };
    };
    const { held } = floorAfter(false, 1);
    const largePages = (bound - held) / 65_536 + 1;
    const [first, last] = [floorAfter(false, largePages), floorAfter(true, largePages)];
    assert.equal(first.held, last.held + 65_536, 'an empty page is kept');
    assert.equal(first.floor, last.floor);
  });
});
