import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ledger } from './ledger.js';

const transaction = (requestId?: string) => ({
  ...(requestId === undefined ? {} : { requestId }),
  leaderId: 'A',
  readVersion: 0n,
  operations: [],
});

test('sending and answering stand on one scale, in the order in which they happened', () => {
  const ledger = new Ledger();
  const one = ledger.begin(transaction('1'), 'space', 'test');
  const two = ledger.begin(transaction('2'), undefined, 'test');
  assert.equal(one.answered, undefined);
  ledger.settle(one, { kind: 'unknown' });
  const three = ledger.begin(transaction('3'), 'space', 'test');
  ledger.settle(two, { kind: 'refused', status: 400 });
  const order = [one.sent, two.sent, one.answered, three.sent, two.answered];
  assert.deepEqual(
    order,
    order.toSorted((a, b) => a! - b!),
  );
  assert.equal(new Set(order).size, 5);
  assert.deepEqual(two.outcome, { kind: 'refused', status: 400 });
  assert.deepEqual(ledger.attempts, [one, two, three]);
});

test('all attempts with one request_id are found, and none without', () => {
  const ledger = new Ledger();
  const one = ledger.begin(transaction('1'), undefined, 'test');
  ledger.begin(transaction(), undefined, 'test');
  ledger.begin(transaction('2'), undefined, 'test');
  const again = ledger.begin(transaction('1'), undefined, 'test');
  assert.deepEqual(ledger.byRequestId('1'), [one, again]);
  assert.deepEqual(ledger.byRequestId('3'), []);
});
