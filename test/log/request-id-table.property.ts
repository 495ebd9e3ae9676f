import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashesIn, RequestIdTable } from '../../src/log/file/request-id-table.js';
import { Random } from '../support/random.js';
import { seed } from '../support/seed.js';

/** Few distinct hashes, so that many collide, in both lanes or in one. */
function someHash(random: Random): [number, number] {
  const narrow = random.chance(0.3);
  const low = narrow ? 0xffff_fff0 + random.below(16) : random.below(2 ** 32);
  return [low, random.chance(0.5) ? random.below(3) : random.below(2 ** 32)];
}

test('the table finds exactly what was added, while it grows and when it has settled', () => {
  const random = new Random(seed);
  const table = new RequestIdTable();
  const model = new Map<string, Set<number>>();
  for (let record = 0; record < 20_000; record += 1) {
    const [low, high] = someHash(random);
    const offset = 4096 + record * 64;
    table.add(low, high, offset);
    const key = `${low} ${high}`;
    model.set(key, (model.get(key) ?? new Set()).add(offset));
    const [otherLow, otherHigh] = someHash(random);
    for (const [l, h] of [
      [low, high],
      [otherLow, otherHigh],
    ] as const) {
      const found = table.offsets(l, h);
      assert.deepEqual(new Set(found), model.get(`${l} ${h}`) ?? new Set());
      assert.equal(found.length, new Set(found).size, 'each once');
    }
  }
  assert.equal(table.count, 20_000);
  while (!table.settle(100));
  for (const [key, offsets] of model) {
    const [low, high] = key.split(' ').map(Number);
    assert.deepEqual(new Set(table.offsets(low!, high!)), offsets);
  }
  const slots = table.lanes.length / 3;
  assert.equal(Math.log2(slots) % 1, 0);
  assert(slots >= 2 * table.count, 'at most half of the slots are taken');
  let hashes = 0;
  for (const piece of hashesIn(table.lanes, 0)) hashes += piece.length / 2;
  assert.equal(hashes, table.count);
});

test('hashes of a table that grows meanwhile are all there', () => {
  const random = new Random(seed);
  const table = new RequestIdTable();
  const added = new Set<string>();
  for (let record = 0; record < 3000; record += 1) {
    const [low, high] = someHash(random);
    table.add(low, high, 4096 + record * 8);
    added.add(`${low} ${high}`);
  }
  const seen = new Set<string>();
  for (const piece of table.hashes()) {
    for (let at = 0; at < piece.length; at += 2) seen.add(`${piece[at]} ${piece[at + 1]}`);
    for (let record = 0; record < 3000; record += 1) table.add(record, record, 4096);
  }
  for (const key of added) assert(seen.has(key));
});
