import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { breaksLater } from '../testing/breaks.js';
import { checkpoint, openStandInStream, transaction } from '../testing/stand-in-stream.js';
import type { SubscribeQuery } from './api.js';

const PATIENCE_MS = 80;

const open = (query: SubscribeQuery = { after: 0n }) => openStandInStream(query, PATIENCE_MS);

test('items come in order, and then nothing until the patience is over', async () => {
  const { stream, send } = open({ after: 0n, durable: false });
  send(`${transaction(1)}: keepalive\n\n:other\n\n${checkpoint(1)}`);
  const first = await stream.poll(PATIENCE_MS);
  assert.equal(first?.kind === 'transaction' && first.event.version, 1n);
  assert.equal((await stream.poll(0))?.kind, 'keepalive');
  assert.deepEqual(await stream.poll(0), { kind: 'checkpoint', version: 1n, leaderId: 'A' });
  assert.equal(stream.last, 1n);
  assert.equal(stream.checkpoint, 1n);
  const began = performance.now();
  assert.equal(await stream.poll(30), undefined);
  assert.ok(performance.now() - began >= 28);
});

test('an item wakes who waits for it', async () => {
  const { stream, send } = open();
  setTimeout(() => send(transaction(1)), 10);
  const began = performance.now();
  assert.equal((await stream.poll(10_000))?.kind, 'transaction');
  assert.ok(performance.now() - began < 5_000);
});

test('next blames who is waited for in vain', async () => {
  const { stream, send } = open();
  send(transaction(1));
  assert.equal((await stream.next('a transaction', 'STREAM-LIVE')).kind, 'transaction');
  const message = await breaksLater('STREAM-LIVE', stream.next('a transaction', 'STREAM-LIVE', 20));
  assert.match(message, /waited 20 ms in vain for a transaction/);
});

test('the end of the connection is an item, and stays', async () => {
  const { stream, send, body } = open();
  send(transaction(1));
  body.end();
  assert.equal((await stream.poll(PATIENCE_MS))?.kind, 'transaction');
  assert.deepEqual(await stream.poll(PATIENCE_MS), { kind: 'end', why: 'the response ended' });
  assert.equal((await stream.poll(PATIENCE_MS))?.kind, 'end');
});

test('a connection that breaks says why', async () => {
  const { stream, body } = open();
  body.destroy(new Error('reset'));
  assert.deepEqual(await stream.poll(PATIENCE_MS), { kind: 'end', why: 'reset' });
});

test('close ends the connection, wakes who waits, and takes nothing more', async () => {
  const { stream, send, abort, body } = open();
  const waiting = stream.poll(10_000);
  stream.close();
  assert.deepEqual(await waiting, { kind: 'end', why: 'closed' });
  assert.equal(abort.signal.aborted, true);
  if (!body.destroyed) send(transaction(1));
  await sleep(5);
  assert.equal(stream.last, undefined);
});

test('a breach is thrown after what came before it, again and again, and ends the connection', async () => {
  const { stream, send, abort } = open();
  send(transaction(1) + transaction(5, 4) + transaction(6, 5));
  assert.equal((await stream.poll(PATIENCE_MS))?.kind, 'transaction');
  await breaksLater('STREAM-COMPLETE', stream.poll(PATIENCE_MS));
  await breaksLater('STREAM-COMPLETE', stream.poll(PATIENCE_MS));
  assert.equal(abort.signal.aborted, true);
});

test('who waits is told of a breach at once', async () => {
  const { stream, send } = open();
  const waiting = breaksLater('STREAM-NO-ID', stream.poll(60_000));
  send('id: 1\ndata: x\n\n');
  await waiting;
});

for (const [requirement, what, text] of [
  ['STREAM-NO-ID', 'an id beside the data', transaction(1).replace('event:', 'id: 1\nevent:')],
  ['STREAM-NO-ID', 'an id alone', 'id\n\n'],
  ['STREAM-SSE', 'what is not UTF-8', Buffer.from([0x64, 0xff, 0x0a])],
  ['EVENT-FIELDS', 'a transaction without data', 'event: transaction\n\n'],
  ['CHECKPOINT-FIELDS', 'a checkpoint without fields', 'event: checkpoint\ndata: {}\n\n'],
  ['STREAM-DURABLE-DEFAULT', 'a checkpoint that was not asked for', checkpoint(1)],
  ['KEEPALIVE-COMMENT', 'a keepalive event', 'event: keepalive\ndata: {}\n\n'],
  ['KEEPALIVE-COMMENT', 'a keepalive event without data', 'event: Keep-Alive\n\n'],
  ['KEEPALIVE-COMMENT', 'a ping', 'event: ping\ndata\n\n'],
  ['KEEPALIVE-COMMENT', 'data without a name', 'data: x\n\n'],
] as const)
  test(`a stream does not have ${what}`, async () => {
    const { stream, send } = open();
    send(text);
    await breaksLater(requirement, stream.poll(PATIENCE_MS));
  });

test('other events and fields are let pass, and their names kept', async () => {
  const { stream, send } = open();
  send(`retry: 100\n\nfoo: bar\n\nevent: note\ndata: x\n\n: x\n\n${transaction(1)}`);
  assert.equal((await stream.poll(PATIENCE_MS))?.kind, 'transaction');
  assert.deepEqual([...stream.otherEvents], ['note']);
});

test('a mistake of the suite is not taken for one of the server', async () => {
  const { stream, send } = open();
  const mistake = new TypeError('not a function');
  stream.otherEvents.add = () => {
    throw mistake;
  };
  send('event: note\ndata: x\n\n');
  await assert.rejects(stream.poll(PATIENCE_MS), (error) => error === mistake);
});

test('a reader that pauses gets everything once it goes on', async () => {
  const { stream, send } = open();
  stream.pause();
  send(transaction(1));
  assert.equal(await stream.poll(20), undefined);
  stream.resume();
  assert.equal((await stream.poll(PATIENCE_MS))?.kind, 'transaction');
});
