import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadwaterClient, NetworkError, ProtocolError, TruncatedError } from '../../src/client/index.js';
import { FakeClock } from './fake-clock.js';
import { type Answer, fakeServer, json, problem, reset } from './fake-server.js';

function client(url: string, clock = new FakeClock()): HeadwaterClient {
  return new HeadwaterClient({ url, clock, random: () => 0.5, backoff: { baseMs: 100, maxMs: 300 } });
}

test('version: tries again after transient failures, with capped exponential backoff', async (t) => {
  const found = json({ version: 3, leader_id: 'L1' });
  const server = await fakeServer(t, reset, json({}, 503), reset, reset, found);
  const clock = new FakeClock();
  assert.deepEqual(await client(server.url, clock).version(), { version: 3, leaderId: 'L1' });
  assert.deepEqual(clock.waits, [50, 100, 150, 150]);
});

test('version: gives up after the attempts allowed', async (t) => {
  const server = await fakeServer(t, reset, reset);
  await assert.rejects(client(server.url).version({ attempts: 2 }), NetworkError);
  assert.equal(server.requests.length, 2);
});

test('version: rejects with the reason of the signal', async (t) => {
  const caller = new AbortController();
  const server = await fakeServer(t, () => caller.abort(new Error('enough')));
  await assert.rejects(client(server.url).version({ signal: caller.signal }), { message: 'enough' });
});

for (const body of [
  [],
  { leader_id: 'L1' },
  { version: -1, leader_id: 'L1' },
  { version: 1.5, leader_id: 'L1' },
]) {
  test(`version: ${JSON.stringify(body)} is no reply to it`, async (t) => {
    const server = await fakeServer(t, json(body));
    await assert.rejects(client(server.url).version(), ProtocolError);
  });
}

test('status: all three outcomes, and the ID is encoded', async (t) => {
  const server = await fakeServer(
    t,
    json({ status: 'committed', version: 4, leader_id: 'L1' }),
    json({ status: 'id_not_found' }),
    json({ status: 'log_truncated' }),
  );
  const headwater = client(server.url);
  const ask = () => headwater.status('an ID & more?', 2);
  assert.deepEqual(await ask(), { status: 'committed', version: 4, leaderId: 'L1' });
  assert.deepEqual(await ask(), { status: 'id_not_found' });
  assert.deepEqual(await ask(), { status: 'log_truncated' });
  assert.deepEqual(server.requests[0]?.query, { request_id: 'an ID & more?', min_version: '2' });
});

test('retention: set, get, list, delete', async (t) => {
  const noContent: Answer = (response) => void response.writeHead(204).end();
  const server = await fakeServer(
    t,
    json({}, 201),
    (response) => void response.writeHead(200).end(),
    json({ prevent_truncate: 5 }),
    problem(404, 'no-such-policy'),
    json([{ policy_id: 'a~b', prevent_truncate: 5 }]),
    noContent,
  );
  const headwater = client(server.url);
  assert.equal(await headwater.setRetention('a/b', 5), 'created');
  assert.equal(await headwater.setRetention('a~b', 6), 'updated');
  assert.equal(await headwater.getRetention('a~b'), 5);
  assert.equal(await headwater.getRetention('none'), undefined);
  assert.deepEqual(await headwater.listRetention(), [{ policyId: 'a~b', preventTruncate: 5 }]);
  assert.equal(await headwater.deleteRetention('a~b'), undefined);
  assert.deepEqual(
    server.requests.map(({ method, path, body }) => [method, path, body]),
    [
      ['PUT', '/v1/retention/a%2Fb', { prevent_truncate: 5 }],
      ['PUT', '/v1/retention/a~b', { prevent_truncate: 6 }],
      ['GET', '/v1/retention/a~b', undefined],
      ['GET', '/v1/retention/none', undefined],
      ['GET', '/v1/retention/', undefined],
      ['DELETE', '/v1/retention/a~b', undefined],
    ],
  );
});

test('retention: a version that is truncated already is an error of its own', async (t) => {
  const server = await fakeServer(t, problem(410, 'truncated'));
  await assert.rejects(client(server.url).setRetention('p', 1), TruncatedError);
});
