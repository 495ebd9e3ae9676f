import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { HeadwaterClient } from '../../src/client/index.js';
import { compareTrees } from './compare.js';
import { encodeEntry } from './entry.js';
import { entryKey, partKey } from './key.js';
import { PART_BYTES, plan, SHARED_BYTES, SHARED_ENTRIES } from './plan.js';
import { TreeBuilder } from './tree-builder.js';
import { contradictions } from './verdict.js';
import { resolvePath, type TreeEntry, walk } from './walk.js';
import { Writers } from './writers.js';

async function folders(t: TestContext): Promise<readonly [string, string]> {
  const folder = await mkdtemp(join(tmpdir(), 'mirror-tree-test-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const name of ['source', 'copy']) await mkdir(join(folder, name));
  return [join(folder, 'source'), join(folder, 'copy')];
}

const LARGE = PART_BYTES * 2 + 1;

/** Every kind of entry there is, with names that sort badly and one that is no UTF-8. */
async function makeTree(root: string): Promise<void> {
  await mkdir(join(root, 'empty'));
  await mkdir(join(root, 'a/b'), { recursive: true });
  await writeFile(join(root, 'a-b'), 'beside');
  await writeFile(join(root, 'a/b/deep'), 'deep');
  await writeFile(join(root, 'a/nothing'), '');
  await writeFile(join(root, 'a/run'), '#!/bin/sh\n');
  await chmod(join(root, 'a/run'), 0o755);
  await writeFile(join(root, 'large'), Buffer.alloc(LARGE, 'large '));
  await writeFile(resolvePath(root, Buffer.from([0xff, 0xfe])), 'raw');
  await symlink('nowhere/at all', join(root, 'dangling'));
  await symlink('a', join(root, 'to-a'));
}

test('walks every kind of entry, in the order of the bytes, without following links', async (t) => {
  const [source] = await folders(t);
  await makeTree(source);
  const found: string[] = [];
  for await (const { path, entry } of walk(source)) found.push(`${path.toString('latin1')} ${entry.kind}`);
  assert.deepEqual(found, [
    'a directory',
    'a/b directory',
    'a/b/deep file',
    'a/nothing file',
    'a/run file',
    'a-b file',
    'dangling link',
    'empty directory',
    'large file',
    'to-a link',
    '\xff\xfe file',
  ]);
});

test('large files are jobs of their own, small ones share', async () => {
  async function* entries(): AsyncGenerator<TreeEntry> {
    yield { path: Buffer.from('large'), entry: { kind: 'file', size: LARGE, executable: false } };
    for (let index = 0; index < SHARED_ENTRIES + 1; index += 1) {
      yield { path: Buffer.from(`small-${index}`), entry: { kind: 'file', size: 10, executable: false } };
    }
    yield { path: Buffer.from('middle'), entry: { kind: 'file', size: SHARED_BYTES, executable: false } };
  }
  const jobs = (await plan(entries())).map((job) => job.map((step) => step.map(({ length }) => length)));
  assert.deepEqual(jobs, [
    [[PART_BYTES], [PART_BYTES], [1]],
    [Array(SHARED_ENTRIES).fill(10)],
    [[10]],
    [[SHARED_BYTES]],
  ]);
});

/** Commits everything in memory, in the order in which it comes. */
function memoryClient(builder: TreeBuilder): { client: HeadwaterClient; largestBody: () => number } {
  let version = 0;
  let largest = 0;
  let applied: Promise<unknown> = Promise.resolve();
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    if (init?.method !== 'POST') return Response.json({ version, leader_id: 'L' });
    const text = String(init.body);
    largest = Math.max(largest, text.length);
    const { operations, request_id } = JSON.parse(text) as {
      operations: { type: 'write'; key: string; value: string }[];
      request_id: string;
    };
    version += 1;
    const at = version;
    applied = applied.then(async () => {
      for (const { type, key, value } of operations) {
        if (key === btoa('\0manifest')) await builder.finish();
        else
          await builder.apply({ type, key: Buffer.from(key, 'base64'), value: Buffer.from(value, 'base64') });
      }
    });
    await applied;
    return Response.json({ status: 'committed', version: at, leader_id: 'L', request_id });
  };
  return { client: new HeadwaterClient({ url: 'http://memory', fetch }), largestBody: () => largest };
}

test('writers and builder make an equal tree, within the limit of a commit', async (t) => {
  const [source, copy] = await folders(t);
  await makeTree(source);
  const builder = new TreeBuilder(copy);
  const { client, largestBody } = memoryClient(builder);
  const writers = new Writers(client, source, new AbortController().signal);
  await writers.run(await plan(walk(source)), 4);
  assert.deepEqual(await compareTrees(source, copy), []);
  assert.deepEqual([writers.entries, builder.entries, writers.files], [11, 11, 6]);
  assert.ok(largestBody() < 2 ** 20);
});

test('every difference between two trees is found', async (t) => {
  const [source, copy] = await folders(t);
  await makeTree(source);
  await makeTree(copy);
  await writeFile(join(copy, 'extra'), '');
  await rm(join(copy, 'empty'), { recursive: true });
  await chmod(join(copy, 'a/run'), 0o644);
  await writeFile(join(copy, 'a-b'), 'besides');
  const changed = Buffer.alloc(LARGE, 'large ');
  changed.writeUInt8(0, LARGE - 1);
  await writeFile(join(copy, 'large'), changed);
  await rm(join(copy, 'to-a'));
  await symlink('b', join(copy, 'to-a'));
  const differences = await compareTrees(source, copy);
  assert.deepEqual(differences.map((difference) => difference.split(' ')[0]).sort(), [
    'a-b',
    'a/run',
    'empty',
    'extra',
    'large',
    'to-a',
  ]);
});

test('the builder refuses what would leave the tree or leave it incomplete', async (t) => {
  const [, copy] = await folders(t);
  const path = Buffer.from('file');
  const file = { kind: 'file', size: 3, executable: false } as const;
  const builder = new TreeBuilder(copy);
  const write = (key: Uint8Array, value: Uint8Array) => builder.apply({ type: 'write', key, value });
  await assert.rejects(write(entryKey(Buffer.from('../file')), encodeEntry(file)), RangeError);
  await assert.rejects(write(entryKey(path), encodeEntry(file)), /0 bytes of 3/);
  await assert.rejects(write(partKey(path, 1), path), /part 1/);
  await assert.rejects(builder.apply({ type: 'delete', key: entryKey(path) }), /delete/);
  await write(partKey(path, 0), Buffer.from('abc'));
  await assert.rejects(builder.finish(), /1 files/);
  await write(entryKey(path), encodeEntry(file));
  await builder.finish();
});

test('contradictions between writers and reader are found', () => {
  const committed = new Map([
    [1, 'a'],
    [2, 'b'],
  ]);
  assert.deepEqual(contradictions(committed, new Set(['x']), new Map(committed)), []);
  assert.equal(contradictions(committed, new Set(), new Map([[1, 'a']])).length, 1);
  assert.equal(contradictions(committed, new Set(), new Map([...committed, [3, 'c']])).length, 1);
  assert.equal(contradictions(committed, new Set(['x']), new Map([...committed, [3, 'x']])).length, 1);
  assert.equal(
    contradictions(
      committed,
      new Set(),
      new Map([
        [1, 'a'],
        [2, 'other'],
      ]),
    ).length,
    1,
  );
});
