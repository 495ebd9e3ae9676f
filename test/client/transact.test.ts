import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ContendedError, HeadwaterClient, OutcomeTruncatedError } from '../../src/client/index.js';
import { FakeClock } from './fake-clock.js';
import { type Answer, fakeServer, json, reset } from './fake-server.js';

const version = (at: number, leaderId: string): Answer => json({ version: at, leader_id: leaderId });

const decided =
  (status: 'committed' | 'not_committed', at: number, leaderId: string): Answer =>
  (response, seen) =>
    json({ status, version: at, leader_id: leaderId, request_id: seen.body?.['request_id'], conflicts: [] })(
      response,
      seen,
    );

function setUp(url: string): { client: HeadwaterClient; clock: FakeClock } {
  const clock = new FakeClock();
  return { client: new HeadwaterClient({ url, clock, random: () => 0.5 }), clock };
}

test('reads at the latest version, and again at the one a conflict names', async (t) => {
  const server = await fakeServer(
    t,
    version(5, 'L1'),
    decided('not_committed', 6, 'L1'),
    decided('not_committed', 20, 'L2'),
    decided('committed', 21, 'L2'),
  );
  const { client, clock } = setUp(server.url);
  const result = await client.transact((tx) => {
    tx.pointRead('a').rangeRead('b', 'c', 2).write('d', 'e').delete('f').rangeDelete('g', 'h');
    return `built at ${tx.readVersion}`;
  });
  assert.equal(result.version, 21);
  assert.equal(result.value, 'built at 20');
  assert.deepEqual(
    result.failedRounds.map((round) => round.outcome),
    ['not_committed', 'not_committed'],
  );
  const bodies = server.to('POST', '/v1/commit').map((seen) => seen.body);
  assert.deepEqual(
    bodies.map((body) => [body?.['read_version'], body?.['leader_id']]),
    [
      [5, 'L1'],
      [6, 'L1'],
      [20, 'L2'],
    ],
  );
  assert.deepEqual(bodies[2]?.['preconditions'], [
    { type: 'point_read', version: 20, key: 'YQ==' },
    { type: 'range_read', version: 2, begin: 'Yg==', end: 'Yw==' },
  ]);
  assert.equal(new Set(bodies.map((body) => body?.['request_id'])).size, 3);
  assert.deepEqual(clock.waits, [25, 50]);
});

test('a lost commit is done again at a version asked for anew', async (t) => {
  const server = await fakeServer(
    t,
    version(5, 'L1'),
    reset,
    json({ status: 'id_not_found' }),
    version(9, 'L2'),
    decided('committed', 10, 'L2'),
  );
  const result = await setUp(server.url).client.transact((tx) => void tx.write('k', 'v'));
  const [first, second] = server.to('POST', '/v1/commit').map((seen) => String(seen.body?.['request_id']));
  assert.deepEqual(result.failedRounds, [{ requestId: first, outcome: 'lost' }]);
  assert.deepEqual([result.requestId, result.version, result.via], [second, 10, 'reply']);
});

test('starts at a version that the caller knows', async (t) => {
  const server = await fakeServer(t, decided('committed', 8, 'L1'));
  const readAt = { version: 7, leaderId: 'L1' };
  await setUp(server.url).client.transact((tx) => void tx.write('k', 'v'), { readAt });
  assert.equal(server.requests[0]?.body?.['read_version'], 7);
});

test('gives up after the rounds allowed', async (t) => {
  const conflict = decided('not_committed', 6, 'L1');
  const server = await fakeServer(t, version(5, 'L1'), conflict, conflict);
  const { client, clock } = setUp(server.url);
  await assert.rejects(
    client.transact((tx) => void tx.write('k', 'v'), { rounds: 2 }),
    (error) => error instanceof ContendedError && error.kind === 'contended' && error.attempts === 2,
  );
  assert.equal(clock.waits.length, 1, 'no wait after the last round');
});

test('an indeterminate outcome is not tried again', async (t) => {
  const server = await fakeServer(t, version(5, 'L1'), reset, json({ status: 'log_truncated' }));
  await assert.rejects(
    setUp(server.url).client.transact((tx) => void tx.write('k', 'v')),
    OutcomeTruncatedError,
  );
});

test('what the function throws comes through, and nothing is sent', async (t) => {
  const server = await fakeServer(t, version(5, 'L1'));
  const failure = new Error('no such account');
  await assert.rejects(
    setUp(server.url).client.transact(() => Promise.reject(failure)),
    failure,
  );
  assert.equal(server.to('POST', '/v1/commit').length, 0);
});
