import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CommitLostError,
  HeadwaterClient,
  IndeterminateError,
  OutcomeTruncatedError,
  OutcomeUnknownError,
  RefusedError,
  UnavailableError,
} from '../../src/client/index.js';
import { FakeClock } from './fake-clock.js';
import {
  type Answer,
  fakeServer,
  hang,
  json,
  problem,
  reset,
  resetUnread,
  resetWithin,
  type SeenRequest,
} from './fake-server.js';

const request = {
  leaderId: 'L1',
  readVersion: 7,
  preconditions: [{ type: 'point_read', key: 'k' }],
  operations: [{ type: 'write', key: 'k', value: new Uint8Array([0, 255]) }],
} as const;

const committed: Answer = (response, { body }) =>
  json({ status: 'committed', version: 8, leader_id: 'L1', request_id: body?.['request_id'] })(
    response,
    {} as SeenRequest,
  );
const statusCommitted = json({ status: 'committed', version: 8, leader_id: 'L1' });
const statusNotFound = json({ status: 'id_not_found' });

function setUp(url: string): { client: HeadwaterClient; clock: FakeClock } {
  const clock = new FakeClock();
  return { client: new HeadwaterClient({ url, clock, random: () => 0.5 }), clock };
}

test('sends bytes as base64 and always a request ID', async (t) => {
  const server = await fakeServer(t, committed);
  const result = await setUp(server.url).client.commit({
    leaderId: 'L1',
    readVersion: 7,
    preconditions: [
      { type: 'point_read', key: new Uint8Array([0xfb, 0xff]), version: 5 },
      { type: 'range_read', begin: 'a', end: 'b' },
    ],
    operations: [
      { type: 'write', key: '\u00e9', value: new Uint8Array() },
      { type: 'delete', key: 'k' },
      { type: 'range_delete', begin: '', end: 'z' },
    ],
  });
  const body = server.requests[0]?.body;
  assert.match(String(body?.['request_id']), /^[0-9a-f-]{36}$/);
  assert.deepEqual(body, {
    request_id: result.requestId,
    leader_id: 'L1',
    read_version: 7,
    preconditions: [
      { type: 'point_read', version: 5, key: '+/8=' },
      { type: 'range_read', begin: 'YQ==', end: 'Yg==' },
    ],
    operations: [
      { type: 'write', key: 'w6k=', value: '' },
      { type: 'delete', key: 'aw==' },
      { type: 'range_delete', begin: '', end: 'eg==' },
    ],
  });
  assert.match(String(server.requests[0]?.headers['content-type']), /^application\/json/);
  assert.deepEqual(result, {
    status: 'committed',
    version: 8,
    leaderId: 'L1',
    requestId: result.requestId,
    via: 'reply',
  });
});

test('keeps a path in the base address', async (t) => {
  const server = await fakeServer(t, committed);
  await setUp(`${server.url}/log`).client.commit(request);
  assert.equal(server.requests[0]?.path, '/log/v1/commit');
});

test('a lone surrogate in a string is refused before anything is sent', async (t) => {
  const server = await fakeServer(t);
  const operations = [{ type: 'delete', key: 'a\ud800' }] as const;
  await assert.rejects(setUp(server.url).client.commit({ ...request, operations }), TypeError);
  assert.equal(server.requests.length, 0);
});

test('not committed is a result, with the conflicts as bytes', async (t) => {
  const server = await fakeServer(t, (response, { body }) =>
    json({
      status: 'not_committed',
      version: 12,
      leader_id: 'L2',
      request_id: body?.['request_id'],
      conflicts: [
        { type: 'point_read', key: 'aw==' },
        { type: 'range_read', version: 3, begin: 'YQ==', end: 'Yg==' },
      ],
    })(response, {} as SeenRequest),
  );
  const result = await setUp(server.url).client.commit(request);
  assert.deepEqual(result, {
    status: 'not_committed',
    version: 12,
    leaderId: 'L2',
    requestId: result.requestId,
    conflicts: [
      { type: 'point_read', version: 7, key: new Uint8Array([0x6b]) },
      { type: 'range_read', version: 3, begin: new Uint8Array([0x61]), end: new Uint8Array([0x62]) },
    ],
  });
});

const unanswered: readonly (readonly [string, Answer])[] = [
  ['a reset before the request is read', resetUnread],
  ['a reset after the request is read', reset],
  ['a reset within the reply', resetWithin],
  ['503 outcome-unknown', problem(503, 'outcome-unknown')],
  ['503 of unknown origin', json({}, 503)],
  ['502 of a proxy', json('bad gateway', 502)],
  ['500', problem(500, 'internal')],
  ['a reply that is not JSON', (response) => void response.writeHead(200).end('<html>')],
  [
    'the reply to another request',
    json({ status: 'committed', version: 9, leader_id: 'L1', request_id: 'x' }),
  ],
  ['a reused ID that was fresh', problem(400, 'request-id-reused')],
];

for (const [name, answer] of unanswered) {
  test(`${name}: the status tells that it was committed`, async (t) => {
    const server = await fakeServer(t, answer, statusCommitted);
    const result = await setUp(server.url).client.commit(request);
    const requestId = result.requestId;
    assert.deepEqual(result, { status: 'committed', version: 8, leaderId: 'L1', requestId, via: 'status' });
    assert.deepEqual(
      server.to('GET', '/v1/status').map((seen) => seen.query),
      [{ request_id: requestId, min_version: '7' }],
    );
    assert.equal(server.to('POST', '/v1/commit').length, 1);
  });

  test(`${name}: the status tells that it was not committed`, async (t) => {
    const server = await fakeServer(t, answer, statusNotFound);
    await assert.rejects(setUp(server.url).client.commit(request), (error) => {
      assert.ok(error instanceof CommitLostError && error.kind === 'lost');
      assert.equal(error.requestId, server.to('GET', '/v1/status')[0]?.query['request_id']);
      return true;
    });
    assert.equal(server.to('POST', '/v1/commit').length, 1, 'no blind retry');
  });
}

test('a truncated log leaves the outcome indeterminate, by an error of its own', async (t) => {
  const server = await fakeServer(t, reset, json({ status: 'log_truncated' }));
  await assert.rejects(setUp(server.url).client.commit(request), (error) => {
    assert.ok(error instanceof OutcomeTruncatedError && error instanceof IndeterminateError);
    assert.equal(error.kind, 'log_truncated');
    return true;
  });
});

test('asks for the outcome until the server answers, waiting longer each time', async (t) => {
  const server = await fakeServer(
    t,
    reset,
    reset,
    problem(503, 'unavailable', { 'retry-after': '2' }),
    json({}, 500),
    resetWithin,
    statusCommitted,
  );
  const { client, clock } = setUp(server.url);
  const result = await client.commit(request);
  assert.equal(result.status, 'committed');
  assert.deepEqual(clock.waits, [25, 2000 + 50, 100, 200]);
  const asked = server.to('GET', '/v1/status').map((seen) => seen.query['request_id']);
  assert.deepEqual(asked, Array(5).fill(result.requestId));
});

test('the reply signal ends the wait for the reply, not the question for the outcome', async (t) => {
  const replyLimit = new AbortController();
  const server = await fakeServer(t, () => replyLimit.abort(), statusCommitted);
  const result = await setUp(server.url).client.commit(request, { replySignal: replyLimit.signal });
  assert.equal(result.status === 'committed' && result.via, 'status');
});

test('the signal ends everything and leaves the outcome unknown', async (t) => {
  const caller = new AbortController();
  const server = await fakeServer(t, () => caller.abort(new Error('enough')));
  await assert.rejects(setUp(server.url).client.commit(request, { signal: caller.signal }), (error) => {
    assert.ok(error instanceof OutcomeUnknownError && error.kind === 'outcome_unknown');
    assert.equal(error.minVersion, 7);
    assert.equal(error.requestId, server.requests[0]?.body?.['request_id']);
    assert.equal((error.cause as Error).message, 'enough');
    return true;
  });
  assert.equal(server.requests.length, 1);
});

test('the signal ends the question for the outcome', async (t) => {
  const caller = new AbortController();
  const server = await fakeServer(t, reset, (response) => {
    caller.abort();
    void hang(response, {} as SeenRequest);
  });
  await assert.rejects(
    setUp(server.url).client.commit(request, { signal: caller.signal }),
    OutcomeUnknownError,
  );
});

test('a question for the outcome that is refused leaves it unknown', async (t) => {
  const server = await fakeServer(t, reset, problem(400, 'bad'));
  await assert.rejects(setUp(server.url).client.commit(request), (error) => {
    assert.ok(error instanceof OutcomeUnknownError && error.cause instanceof RefusedError);
    return true;
  });
});

test('an aborted signal sends nothing and rejects with its reason', async (t) => {
  const server = await fakeServer(t);
  const { client } = setUp(server.url);
  const reason = new Error('no');
  await assert.rejects(client.commit(request, { signal: AbortSignal.abort(reason) }), reason);
  await assert.rejects(client.commit(request, { replySignal: AbortSignal.abort(reason) }), reason);
  assert.equal(server.requests.length, 0);
});

test('a signal that outlives its requests has one listener, however many they are', async (t) => {
  const server = await fakeServer(t, ...Array<Answer>(20).fill(committed));
  const { client } = setUp(server.url);
  const { signal } = new AbortController();
  const added = t.mock.method(signal, 'addEventListener');
  await Promise.all(
    Array.from({ length: 20 }, () => client.commit(request, { signal, replySignal: signal })),
  );
  assert.equal(added.mock.callCount(), 1);
});

test('a refusal is definite and carries the problem', async (t) => {
  const errors = [{ pointer: '/operations/0/key', detail: 'not base64' }];
  const body = { type: 'urn:test:invalid', title: 'Invalid', status: 400, detail: 'see errors', errors };
  const server = await fakeServer(t, json(body, 400));
  await assert.rejects(setUp(server.url).client.commit(request), (error) => {
    assert.ok(error instanceof RefusedError && error.kind === 'refused');
    assert.equal(error.status, 400);
    assert.deepEqual(error.problem, body);
    return true;
  });
});

test('413 without a problem body is a refusal', async (t) => {
  const server = await fakeServer(t, (response) => void response.writeHead(413).end('too large'));
  await assert.rejects(setUp(server.url).client.commit(request), (error) => {
    assert.ok(error instanceof RefusedError);
    assert.deepEqual([error.status, error.problem], [413, {}]);
    return true;
  });
});

test('refused before acceptance: sent again under a new ID, no sooner than asked', async (t) => {
  const server = await fakeServer(
    t,
    problem(503, 'overloaded', { 'retry-after': '1' }),
    problem(503, 'unavailable', { 'retry-after': new Date(Date.UTC(2026, 0, 1, 0, 0, 3)).toUTCString() }),
    json({}, 429),
    committed,
  );
  const { client, clock } = setUp(server.url);
  const result = await client.commit(request);
  assert.equal(result.status, 'committed');
  assert.deepEqual(clock.waits, [1000 + 25, 3000 + 50, 100]);
  const ids = server.requests.map((seen) => seen.body?.['request_id']);
  assert.equal(new Set(ids).size, 4);
  assert.equal(ids[3], result.requestId);
});

test('refused before acceptance: given up after the attempts allowed', async (t) => {
  const server = await fakeServer(t, ...Array<Answer>(3).fill(problem(503, 'overloaded')));
  await assert.rejects(setUp(server.url).client.commit(request, { attempts: 3 }), UnavailableError);
  assert.equal(server.requests.length, 3);
});

test('refused before acceptance: the wait for the next attempt can be aborted', async (t) => {
  const server = await fakeServer(t, problem(503, 'overloaded', { 'retry-after': '3600' }));
  const { client, clock } = setUp(server.url);
  const caller = new AbortController();
  const waiting = clock.nextLongWait();
  const result = assert.rejects(client.commit(request, { signal: caller.signal }), { message: 'enough' });
  await waiting;
  caller.abort(new Error('enough'));
  await result;
  assert.equal(clock.held, 0);
});

test("a request ID of the caller's own is sent once", async (t) => {
  const server = await fakeServer(t, problem(503, 'unavailable'), problem(400, 'request-id-reused'));
  const { client } = setUp(server.url);
  const own = { ...request, requestId: 'chosen-by-the-caller-1' };
  await assert.rejects(client.commit(own), UnavailableError);
  await assert.rejects(client.commit(own), RefusedError);
  assert.deepEqual(
    server.requests.map((seen) => seen.body?.['request_id']),
    [own.requestId, own.requestId],
  );
});
