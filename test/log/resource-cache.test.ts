import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ResourceCache } from '../../src/log/file/resource-cache.js';
import { isLogError } from './log-rig.js';

class Resource {
  isOpen = true;
  constructor(readonly key: number) {}
  async close(): Promise<void> {
    assert(this.isOpen, 'closed twice');
    this.isOpen = false;
  }
}

function cacheOf(limit: number): { cache: ResourceCache<number, Resource>; opened: Resource[] } {
  const opened: Resource[] = [];
  const cache = new ResourceCache<number, Resource>(limit, async (key) => {
    const resource = new Resource(key);
    opened.push(resource);
    return resource;
  });
  return { cache, opened };
}

const open = (opened: readonly Resource[]): number[] =>
  opened.filter((one) => one.isOpen).map((one) => one.key);

test('what was used last stays open, what was used longest ago is closed', async () => {
  const { cache, opened } = cacheOf(2);
  for (const key of [1, 2, 1, 3, 1]) await cache.use(key, async (one) => assert(one.isOpen));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(open(opened), [1, 3]);
  assert.equal(opened.length, 3);
  await cache.close();
  assert.deepEqual(open(opened), []);
});

test('a resource in use is never closed', async () => {
  const { cache, opened } = cacheOf(1);
  let release: (() => void) | undefined;
  const held = cache.use(1, (one) =>
    new Promise<void>((resolve) => {
      release = resolve;
    }).then(() => assert(one.isOpen)),
  );
  await cache.use(2, async () => undefined);
  cache.drop(1);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(open(opened), [1, 2]);
  release?.();
  await held;
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(open(opened), [2]);
});

test('users at the same time share one', async () => {
  const { cache, opened } = cacheOf(4);
  await Promise.all([1, 1, 1].map((key) => cache.use(key, async () => undefined)));
  assert.equal(opened.length, 1);
});

test('what could not be opened is tried again', async () => {
  let attempts = 0;
  const cache = new ResourceCache<number, Resource>(4, async (key) => {
    attempts += 1;
    if (attempts === 1) throw new Error('not yet');
    return new Resource(key);
  });
  await assert.rejects(
    cache.use(1, async () => undefined),
    /not yet/,
  );
  await cache.use(1, async () => undefined);
  assert.equal(attempts, 2);
});

test('an error of the user leaves the resource open', async () => {
  const { cache, opened } = cacheOf(4);
  const failing = cache.use(1, async () => {
    throw new Error('mine');
  });
  await assert.rejects(failing, /mine/);
  assert.deepEqual(open(opened), [1]);
  assert.equal(await cache.use(1, async (one) => one.key), 1);
  assert.equal(opened.length, 1);
});

test('after closing nothing is opened', async () => {
  const { cache } = cacheOf(4);
  await cache.close();
  await assert.rejects(
    cache.use(1, async () => undefined),
    isLogError('closed'),
  );
});

test('of what was closed nothing stays in memory', async () => {
  const errors: WeakRef<Error>[] = [];
  const cache = new ResourceCache<number, { close(): Promise<void> }>(1, async () => ({
    close: async () => {
      const error = new Error('of no account');
      errors.push(new WeakRef(error));
      throw error;
    },
  }));
  for (let key = 0; key < 50; key += 1) await cache.use(key, async () => undefined);
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  assert.equal(errors.length, 49);
  assert.equal(errors.slice(0, 40).filter((error) => error.deref() !== undefined).length, 0);
  await cache.close();
});
