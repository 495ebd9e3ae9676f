import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BLOCK_BYTES, BlockStarts } from '../../src/log/file/block-starts.js';
import { Random } from '../support/random.js';
import { seed } from '../support/seed.js';

test('a block is cut before the record that would make it too long', () => {
  const blocks = new BlockStarts(10);
  const half = BLOCK_BYTES / 2;
  blocks.add(10, 4096, 4096 + half);
  blocks.add(11, 4096 + half, 4096 + 2 * half);
  blocks.add(12, 4096 + 2 * half, 4104 + 2 * half);
  assert.deepEqual(blocks.find(11), { firstVersion: 10, start: 4096, end: 4096 + 2 * half });
  assert.deepEqual(blocks.find(12), { firstVersion: 12, start: 4096 + 2 * half, end: undefined });
});

test('a record longer than a block is a block alone', () => {
  const blocks = new BlockStarts(1);
  blocks.add(1, 4096, 4160);
  blocks.add(2, 4160, 4160 + 3 * BLOCK_BYTES);
  blocks.add(3, 4160 + 3 * BLOCK_BYTES, 4224 + 3 * BLOCK_BYTES);
  assert.equal(blocks.count, 3);
  assert.deepEqual(blocks.find(2), { firstVersion: 2, start: 4160, end: 4160 + 3 * BLOCK_BYTES });
});

test('every version is found in its block, also in a copy made of the lanes', () => {
  const random = new Random(seed);
  const blocks = new BlockStarts(1000);
  const starts: number[] = [];
  let at = 4096;
  for (let version = 1000; version < 6000; version += 1) {
    const length = 64 + 8 * random.below(random.chance(0.01) ? 20_000 : 500);
    blocks.add(version, at, at + length);
    starts.push(at);
    at += length;
  }
  const copy = new BlockStarts(1000, blocks.lanes.slice());
  for (let version = 1000; version < 6000; version += 1) {
    const block = copy.find(version);
    assert.deepEqual(block, blocks.find(version));
    const start = starts[version - 1000]!;
    assert(block.start <= start && start < (block.end ?? at));
    assert.equal(starts[block.firstVersion - 1000], block.start);
    if (block.end !== undefined && block.end - block.start > BLOCK_BYTES) assert.equal(block.start, start);
  }
});

test('a version before the first block is refused', () => {
  assert.throws(() => new BlockStarts(5).find(5), RangeError);
});
