import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RetentionPolicies } from '../../src/retention/policies.js';
import type { PolicyStore } from '../../src/retention/policy-store.js';

/** A store whose saves finish when the test says so. */
class GatedStore implements PolicyStore {
  stored = new Map<string, number>();
  saves = 0;
  failure: Error | undefined;
  readonly #waiting: (() => void)[] = [];

  async load(): Promise<Map<string, number>> {
    return new Map(this.stored);
  }

  async save(policies: ReadonlyMap<string, number>): Promise<void> {
    this.saves += 1;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.failure !== undefined) throw this.failure;
    this.stored = new Map(policies);
  }

  async release(): Promise<void> {
    while (this.#waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    this.#waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const log = (truncatedThrough: number) => ({
  truncatedThrough,
  segments: () => [
    { firstVersion: truncatedThrough + 5, lastVersion: 100, bytes: 1, lastTimestampMs: 0, sealed: false },
  ],
});

const open = async (truncatedThrough = 0, max = 10) => {
  const store = new GatedStore();
  return { store, policies: await RetentionPolicies.open(log(truncatedThrough), store, max) };
};

describe('retention policies', () => {
  test('are created, updated, listed in order, and deleted', async () => {
    const { store, policies } = await open();
    const put = async (id: string, version: number) => {
      const result = policies.put(id, version);
      await store.release();
      return result;
    };
    assert.deepEqual(await put('b', 7), { kind: 'created' });
    assert.deepEqual(await put('a', 9), { kind: 'created' });
    assert.deepEqual(await put('b', 8), { kind: 'updated' });
    assert.deepEqual(policies.list(), [
      { policyId: 'a', preventTruncate: 9 },
      { policyId: 'b', preventTruncate: 8 },
    ]);
    const deleted = policies.delete('b');
    await store.release();
    await deleted;
    await policies.delete('never-there');
    assert.equal(policies.get('b'), undefined);
    assert.deepEqual([...store.stored], [['a', 9]]);
  });

  test('hold from the moment they are asked for, and until their end is durable', async () => {
    const { store, policies } = await open();
    const created = policies.put('a', 7);
    assert.equal(policies.lowestHold, 7);
    assert.equal(policies.get('a'), undefined, 'not shown before it is durable');
    await store.release();
    await created;
    const raised = policies.put('a', 20);
    assert.equal(policies.lowestHold, 7);
    await store.release();
    await raised;
    assert.equal(policies.lowestHold, 20);
    const deleted = policies.delete('a');
    assert.equal(policies.lowestHold, 20);
    await store.release();
    await deleted;
    assert.equal(policies.lowestHold, Number.POSITIVE_INFINITY);
  });

  test('changes that arrive during a save share the next one', async () => {
    const { store, policies } = await open();
    const first = policies.put('a', 1);
    await new Promise((resolve) => setImmediate(resolve));
    const others = [policies.put('b', 2), policies.put('c', 3), policies.put('d', 4)];
    await store.release();
    await first;
    await store.release();
    await Promise.all(others);
    assert.equal(store.saves, 2);
    assert.equal(store.stored.size, 4);
  });

  test('a failed save fails the change, and the next one works', async () => {
    const { store, policies } = await open();
    store.failure = new Error('ENOSPC');
    const failed = policies.put('a', 1);
    await store.release();
    assert.deepEqual(await failed, { kind: 'not-stored', error: store.failure });
    assert.equal(policies.lowestHold, Number.POSITIVE_INFINITY);
    store.failure = undefined;
    const next = policies.put('b', 2);
    await store.release();
    assert.deepEqual(await next, { kind: 'created' });
    assert.deepEqual([...store.stored], [['b', 2]], 'what failed is not stored later');
    const again = policies.put('a', 1);
    await store.release();
    assert.deepEqual(await again, { kind: 'created' });
  });

  test('a version that is gone is refused, with the oldest that is held', async () => {
    const { store, policies } = await open(50);
    assert.deepEqual(await policies.put('a', 50), { kind: 'truncated', oldestVersion: 55 });
    assert.equal(store.saves, 0);
    const good = policies.put('a', 51);
    await store.release();
    assert.deepEqual(await good, { kind: 'created' });
  });

  test('are bounded in number; updates still work at the bound', async () => {
    const { store, policies } = await open(0, 1);
    const only = policies.put('a', 1);
    await store.release();
    await only;
    assert.deepEqual(await policies.put('b', 1), { kind: 'too-many', max: 1 });
    const update = policies.put('a', 2);
    await store.release();
    assert.deepEqual(await update, { kind: 'updated' });
  });
});
