import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from './random.js';

const draw = (random: Random, count = 8): number[] => Array.from({ length: count }, () => random.fraction());

test('the numbers are those of mulberry32', () => {
  assert.deepEqual(
    draw(new Random(1), 3).map((fraction) => fraction * 2 ** 32),
    [2693262067, 11749833, 2265367787],
  );
});

test('one seed gives the same numbers again, another one others', () => {
  assert.deepEqual(draw(new Random(7)), draw(new Random(7)));
  assert.notDeepEqual(draw(new Random(7)), draw(new Random(8)));
  assert.deepEqual(draw(Random.for(7, 'a/b')), draw(Random.for(7, 'a/b')));
  assert.notDeepEqual(draw(Random.for(7, 'a/b')), draw(Random.for(7, 'a/c')));
  assert.notDeepEqual(draw(Random.for(7, 'a/b')), draw(Random.for(8, 'a/b')));
});

test('numbers below a limit are all drawn, about equally often, and no others', () => {
  const random = new Random(3);
  const counts = new Map<number, number>();
  for (let round = 0; round < 6000; round += 1) {
    const number = random.below(6);
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  assert.deepEqual([...counts.keys()].sort(), [0, 1, 2, 3, 4, 5]);
  for (const count of counts.values()) assert.ok(count > 850 && count < 1150, `${count}`);
  assert.equal(random.below(1), 0);
});

test('a chance comes as often as it should', () => {
  const random = new Random(4);
  const hits = Array.from({ length: 4000 }, () => random.chance(0.25)).filter(Boolean).length;
  assert.ok(hits > 900 && hits < 1100, `${hits}`);
  assert.equal(random.chance(0), false);
  assert.equal(random.chance(1), true);
});

test('picking takes from the list, and from an empty one nothing', () => {
  const random = new Random(5);
  const picked = new Set(Array.from({ length: 100 }, () => random.pick(['a', 'b', 'c'])));
  assert.deepEqual([...picked].sort(), ['a', 'b', 'c']);
  assert.throws(() => random.pick([]), RangeError);
});

test('shuffling keeps every item, leaves the list as it is, and gives every order', () => {
  const random = new Random(6);
  const items = [1, 2, 3];
  const orders = new Map<string, number>();
  for (let round = 0; round < 1200; round += 1) {
    const shuffled = random.shuffle(items);
    assert.deepEqual(shuffled.toSorted(), items);
    orders.set(shuffled.join(), (orders.get(shuffled.join()) ?? 0) + 1);
  }
  assert.deepEqual(items, [1, 2, 3]);
  assert.equal(orders.size, 6);
  for (const count of orders.values()) assert.ok(count > 140 && count < 260, `${count}`);
});
