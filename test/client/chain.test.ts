import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Chain } from '../../src/client/chain.js';

const link = (version: number, prevVersion: number, leaderId = 'L1') => ({ version, prevVersion, leaderId });

test('follows prev_version, over gaps between terms', () => {
  const chain = new Chain(0, true);
  assert.ok(chain.append(link(1, 0)));
  assert.ok(chain.append(link(2, 1)));
  assert.ok(chain.append(link(1000, 2, 'L2')));
  assert.equal(chain.position, 1000);
});

test('a hole, a repeat and a step back change nothing', () => {
  const chain = new Chain(0, true);
  assert.ok(chain.append(link(5, 0)));
  for (const wrong of [link(7, 6), link(5, 0), link(5, 5), link(4, 5), link(3, 2), link(6, 4)]) {
    assert.ok(!chain.append(wrong), JSON.stringify(wrong));
  }
  assert.equal(chain.tip, 5);
});

test('may begin between two transactions, not beyond one', () => {
  assert.ok(new Chain(150, true).append(link(1000, 100)));
  assert.ok(new Chain(100, true).append(link(1000, 100)));
  assert.ok(!new Chain(150, true).append(link(1000, 151)));
  assert.ok(!new Chain(150, true).append(link(150, 100)));
});

test('the position is the last transaction that a checkpoint covers', () => {
  const chain = new Chain(0, false);
  for (const version of [1, 2, 3]) assert.ok(chain.append(link(version, version - 1)));
  assert.deepEqual([chain.position, chain.tip], [0, 3]);
  assert.ok(chain.checkpoint(2, 'L1'));
  assert.deepEqual([chain.position, chain.tip], [2, 3]);
  assert.ok(chain.checkpoint(1, 'L1'), 'a late one takes nothing back');
  assert.equal(chain.position, 2);
  assert.ok(chain.rewind());
  assert.deepEqual([chain.position, chain.tip], [2, 2]);
  assert.ok(!chain.rewind(), 'nothing more to take back');
});

test('after a rewind the last durable transaction is the one that has to be named', () => {
  const chain = new Chain(0, false);
  assert.ok(chain.append(link(1, 0)));
  assert.ok(chain.checkpoint(1, 'L1'));
  assert.ok(chain.append(link(2, 1)));
  chain.rewind();
  assert.ok(!chain.append(link(9, 0, 'L2')), 'transaction 1 was durable and cannot be missing');
  assert.ok(chain.append(link(9, 1, 'L2')));
});

test('a checkpoint ahead of the transactions does not move the position over them', () => {
  const chain = new Chain(0, false);
  assert.ok(chain.checkpoint(3, 'L1'));
  assert.equal(chain.position, 0);
  for (const version of [1, 2, 3, 4]) assert.ok(chain.append(link(version, version - 1)));
  assert.deepEqual([chain.position, chain.tip], [3, 4]);
});

test('what the checkpoint promised ends with the connection', () => {
  const chain = new Chain(0, false);
  assert.ok(chain.checkpoint(3, 'L1'));
  chain.rewind();
  assert.ok(chain.append(link(1, 0)));
  assert.equal(chain.position, 0);
});

test('what was known of the leader ends with the connection', () => {
  const chain = new Chain(0, false);
  assert.ok(chain.checkpoint(0, 'L1'));
  chain.rewind();
  assert.ok(chain.append(link(1, 0, 'L1')), 'the next connection tells by a transaction who leads');
  assert.ok(!chain.checkpoint(0, 'L2'));
});

test("a new leader's checkpoint is refused while it need not have what is pending", () => {
  const chain = new Chain(0, false);
  assert.ok(chain.checkpoint(0, 'L1'));
  assert.ok(chain.append(link(1, 0)));
  assert.ok(!chain.checkpoint(0, 'L2'));
  assert.ok(!chain.checkpoint(5, 'L2'), 'its log may have another way to 5');
  assert.ok(chain.checkpoint(1, 'L2'), 'its log ends with what was received last');
  assert.equal(chain.position, 1);
  assert.ok(chain.checkpoint(9, 'L3'), 'nothing is pending');
});

test('earlier leaders in the history are no change of leader', () => {
  const chain = new Chain(0, false);
  assert.ok(chain.checkpoint(0, 'L3'));
  assert.ok(chain.append(link(1, 0, 'L1')));
  assert.ok(chain.append(link(10, 1, 'L2')));
  assert.ok(chain.checkpoint(1, 'L3'));
  assert.ok(chain.append(link(20, 10, 'L3')));
  assert.ok(chain.checkpoint(10, 'L3'));
  assert.deepEqual([chain.position, chain.tip], [10, 20]);
});
