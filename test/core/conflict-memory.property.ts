import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Core } from '../../src/core/core.js';
import { Decider } from '../../src/core/decider.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';
import { seed } from '../support/seed.js';
import type { Read, Transaction, Write } from './conflict-model.js';
import { ConflictRig } from './conflict-rig.js';
import { Prng } from './prng.js';

describe('the memory of the conflict set', () => {
  /** Decides transactions of `writes` writes over and over; keys never repeat within a window. */
  const churn = (keyLength: (prng: Prng) => number, rangeEvery: number): void => {
    const prng = new Prng(seed);
    const core = Core.load();
    const packer = new TransactionPacker(core);
    const writes = 100;
    const key = (): Uint8Array => {
      const bytes = Buffer.alloc(keyLength(prng), 0x61);
      bytes.writeUInt32BE(prng.below(2 ** 32), 0);
      bytes.writeUInt32BE(prng.below(2 ** 32), bytes.length - 4);
      return bytes;
    };
    const transactions = Array.from({ length: 1500 }, () => {
      packer.reset();
      for (let count = 0; count < writes; count += 1) {
        const begin = key();
        if (prng.below(rangeEvery) === 0) packer.rangeDelete(begin, Buffer.concat([begin, Buffer.of(0xff)]));
        else packer.write(begin, new Uint8Array(0));
      }
      return packer.finish('');
    });
    const decider = new Decider(core, { windowVersions: 500, conflictBytesMax: 2 ** 28, floor: 0 });
    const peaks: { bytes: number; entries: number; memory: number }[] = [];
    let version = 0;
    for (let round = 0; round < 20; round += 1) {
      const peak = { bytes: 0, entries: 0, memory: 0 };
      for (let from = 0; from < transactions.length; from += 50) {
        const stamp = { firstVersion: version + 1, prevVersion: version, durableVersion: 0, timestampMs: 0 };
        decider.decide(transactions.slice(from, from + 50), stamp);
        version += 50;
        peak.bytes = Math.max(peak.bytes, decider.bytes);
        peak.entries = Math.max(peak.entries, decider.entries);
        peak.memory = core.wasm.bytes.length;
      }
      peaks.push(peak);
    }
    decider.verify();
    assert.equal(decider.floor, version - 500, 'memory was never short');
    const [, second] = peaks;
    const last = peaks.at(-1);
    assert.ok(second && last);
    const live = 500 * writes * (rangeEvery === Number.MAX_SAFE_INTEGER ? 1 : 2);
    assert.ok(last.entries < live * 1.5, `${last.entries} entries for ${live}`);
    assert.ok(last.bytes <= second.bytes * 1.05, `${second.bytes} bytes, then ${last.bytes}`);
    // All memory together grows by an eighth at a time: one step may come late, a second one would be a leak.
    assert.ok(last.memory <= second.memory * 1.2, `${second.memory} bytes of memory, then ${last.memory}`);
  };

  it('is steady over three million point writes', () => {
    churn(() => 16, Number.MAX_SAFE_INTEGER);
  });

  it('is steady over three million writes of keys of many lengths, and ranges', () => {
    churn((prng) => 8 + prng.below(prng.oneOf([8, 60, 400])), 10);
  });

  it('is free again after ranges have covered many keys and nodes', () => {
    const prng = new Prng(seed);
    const rig = new ConflictRig({ windowVersions: 2, conflictBytesMax: 2 ** 28 });
    const key = (): Uint8Array => {
      const bytes = Buffer.alloc(120, prng.below(4));
      bytes.writeUInt32BE(prng.below(2 ** 32), 116);
      return bytes;
    };
    const cover: Write = { kind: 'rangeDelete', begin: Uint8Array.of(0), end: Uint8Array.of(9) };
    let peak = 0;
    for (let round = 0; round < 400; round += 1) {
      const writes = Array.from(
        { length: round % 20 === 0 ? 6000 : 200 },
        (): Write => ({ kind: 'delete', key: key() }),
      );
      rig.decide([
        { reads: [], writes },
        { reads: [], writes: [cover] },
      ]);
      const idle = Array.from({ length: round % 20 === 0 ? 30 : 3 }, () => ({
        reads: [],
        writes: Array<Write>(100).fill(cover),
      }));
      rig.decide(idle);
      peak = Math.max(peak, rig.decider.bytes);
      assert.equal(rig.decider.entries, 2);
    }
    assert.ok(rig.decider.bytes <= 2 ** 19, `${rig.decider.bytes} bytes for 2 entries, ${peak} before`);
    rig.decider.verify();
  });

  it('short of it, the history is forgotten from its oldest end, and what is left stays exact', () => {
    const prng = new Prng(seed);
    for (let round = 0; round < 12; round += 1) {
      const rig = new ConflictRig({ windowVersions: 100_000, conflictBytesMax: 2 ** 20 });
      const lengths = prng.oneOf([
        [100],
        [3000],
        [10, 20_000],
        [1, 50, 500, 5000],
        [40_000, 90_000],
        [200_000, 30],
      ]);
      const key = (): Uint8Array => {
        const bytes = Buffer.alloc(prng.oneOf(lengths), prng.oneOf([0x00, 0x80]));
        bytes[0] = prng.below(256);
        bytes[bytes.length - 1] = prng.below(256);
        return bytes;
      };
      const range = (): { begin: Uint8Array; end: Uint8Array } => {
        const begin = key();
        const end = key();
        const order = Buffer.compare(begin, end);
        if (order === 0) return { begin, end: Buffer.concat([begin, Buffer.of(0)]) };
        return order < 0 ? { begin, end } : { begin: end, end: begin };
      };
      for (let count = 0; count < 800; count += 1) {
        const version = Math.max(0, rig.version - prng.below(30));
        const reads: readonly Read[] = [
          { kind: 'point', version, key: key() },
          { kind: 'range', version, ...range() },
        ];
        const writes = Array.from({ length: prng.below(prng.below(20) === 0 ? 60 : 4) }, (): Write => {
          if (prng.below(10) === 0) return { kind: 'rangeDelete', ...range() };
          return { kind: 'write', key: key(), value: new Uint8Array(0) };
        });
        const transaction: Transaction = { reads: prng.below(2) === 0 ? reads : [], writes };
        rig.decideShortOfMemory(transaction);
        assert.ok(rig.decider.bytes <= 2 ** 20);
        if (count % 50 === 0) rig.decider.verify();
      }
      rig.decider.verify();
    }
  });
});
