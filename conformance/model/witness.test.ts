import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breaks } from '../testing/breaks.js';
import { Witness } from './witness.js';

const stated = (version: bigint) => ({
  version,
  by: 'a statement',
  whenBehind: 'BEHIND-IT',
  whenAhead: 'AHEAD-OF-IT',
});

test('at first nothing is known', () => {
  const witness = new Witness();
  const known = witness.knowledge();
  assert.equal(known.committed.by, 'nothing');
  assert.equal(known.at, 0);
  witness.checkNewVersion(0n, 'A', known);
});

test('the highest version counts, of transactions and of statements', () => {
  const witness = new Witness();
  witness.learnTransaction(5n, 'an answer', 'BEHIND-5');
  witness.learnTransaction(4n, 'a late answer', 'BEHIND-4');
  assert.deepEqual(witness.knowledge().committed, {
    version: 5n,
    by: 'an answer',
    whenBehind: 'BEHIND-5',
    whenAhead: 'LOG-VERSIONS-GROW',
  });
  witness.learnTransaction(5n, 'the same again', 'BEHIND-OTHER');
  assert.equal(witness.knowledge().committed.by, 'an answer');
  witness.learnStated(stated(7n));
  witness.learnStated(stated(6n));
  assert.deepEqual(witness.knowledge().committed, stated(7n));
  assert.equal(witness.knowledge().transaction.version, 5n);
  witness.learnTransaction(8n, 'an answer', 'BEHIND-8');
  assert.equal(witness.knowledge().committed.version, 8n);
  assert.equal(witness.knowledge().stated.version, 7n);
});

test('what was known does not grow with what is learnt later', () => {
  const witness = new Witness();
  const known = witness.knowledge();
  witness.learnTransaction(5n, 'an answer', 'BEHIND');
  witness.learnStated(stated(6n));
  witness.learnRetryVersion(7n, 'A');
  witness.learnLeader('A', known, 'an answer');
  assert.equal(known.committed.by, 'nothing');
  assert.equal(known.retry.size, 0);
  assert.equal(known.at, 0);
  witness.checkNewVersion(1n, 'A', known);
});

test('a new transaction is above every transaction that was known when it was sent', () => {
  const witness = new Witness();
  witness.learnTransaction(5n, 'an answer', 'BEHIND');
  const known = witness.knowledge();
  for (const version of [4n, 5n])
    breaks('LOG-VERSIONS-GROW', () => witness.checkNewVersion(version, 'A', known));
  witness.checkNewVersion(6n, 'A', known);
});

test('a new transaction is above every version that the server stated', () => {
  const witness = new Witness();
  witness.learnTransaction(5n, 'an answer', 'BEHIND');
  witness.learnStated(stated(9n));
  const known = witness.knowledge();
  breaks('AHEAD-OF-IT', () => witness.checkNewVersion(9n, 'A', known));
  breaks('LOG-VERSIONS-GROW', () => witness.checkNewVersion(5n, 'A', known));
  witness.checkNewVersion(10n, 'A', known);
});

test('a new transaction is above what its leader handed out to retry with', () => {
  const witness = new Witness();
  witness.learnRetryVersion(9n, 'A');
  witness.learnRetryVersion(8n, 'A');
  witness.learnRetryVersion(20n, 'B');
  const known = witness.knowledge();
  breaks('COMMIT-ANSWER-RETRY-VERSION', () => witness.checkNewVersion(9n, 'A', known));
  breaks('COMMIT-ANSWER-RETRY-VERSION', () => witness.checkNewVersion(20n, 'B', known));
  witness.checkNewVersion(10n, 'A', known);
  witness.checkNewVersion(1n, 'C', known);
});

test('a leader that was followed by another does not come back', () => {
  const witness = new Witness();
  witness.learnLeader('A', witness.knowledge(), 'an answer');
  witness.learnLeader('A', witness.knowledge(), 'an answer');
  const before = witness.knowledge();
  witness.learnLeader('B', before, 'an answer');
  witness.learnLeader('A', before, 'an answer to what was sent before');
  const after = witness.knowledge();
  witness.learnLeader('B', after, 'an answer');
  const message = breaks('LEADER-STABLE', () => witness.learnLeader('A', after, 'a version'));
  assert.ok(message.startsWith('a version names leader A,'));
});

test('answers that overtake each other do not end a term', () => {
  const witness = new Witness();
  const before = witness.knowledge();
  // Both were sent before either leader was heard of: the answer of the later term came first.
  witness.learnLeader('C', before, 'the faster answer');
  witness.learnLeader('B', before, 'the slower answer');
  witness.learnLeader('C', witness.knowledge(), 'an answer');
  const after = witness.knowledge();
  breaks('LEADER-STABLE', () => witness.learnLeader('B', after, 'an answer'));
});
