import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import {
  GapError,
  HeadwaterClient,
  ProtocolError,
  RefusedError,
  type Subscription,
  type SubscriptionEvent,
  TruncatedError,
} from '../../src/client/index.js';
import { FakeClock } from './fake-clock.js';
import {
  type Answer,
  checkpoint,
  type FakeServer,
  fakeServer,
  json,
  problem,
  reset,
  stream,
  transaction,
} from './fake-server.js';

function setUp(url: string): { client: HeadwaterClient; clock: FakeClock } {
  const clock = new FakeClock();
  return { client: new HeadwaterClient({ url, clock, random: () => 0.5 }), clock };
}

/** The next `count` events, each in a word: `t5`, `c5`, `d5`. */
async function take(events: Subscription, count: number): Promise<string[]> {
  const taken: string[] = [];
  while (taken.length < count) {
    const { value } = await events.next();
    assert.ok(value !== undefined);
    taken.push(inAWord(value));
  }
  return taken;
}

function inAWord(event: SubscriptionEvent): string {
  if (event.type === 'transaction') return `t${event.version}`;
  return event.type === 'checkpoint' ? `c${event.committedVersion}` : `d${event.after}`;
}

function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let settle: ((value: T) => void) | undefined;
  const promise = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (value) => settle?.(value) };
}

/** The `after` of every connection, in order. */
const afters = (server: FakeServer) => server.to('GET', '/v1/subscribe').map((seen) => seen.query['after']);

test('hands out transactions with their operations as bytes', async (t) => {
  const data = {
    request_id: 'r1',
    version: 4,
    prev_version: 3,
    timestamp: '2026-01-31T12:34:56.789Z',
    leader_id: 'L1',
    operations: [
      { type: 'write', key: 'AP8=', value: '' },
      { type: 'delete', key: '' },
      { type: 'range_delete', begin: 'AA==', end: 'AQ==' },
    ],
  };
  const server = await fakeServer(
    t,
    stream([`event: transaction\ndata: ${JSON.stringify(data)}\n\n`], 'stays'),
  );
  const events = setUp(server.url).client.subscribe({ after: 3 });
  assert.equal(events.position, 3);
  const { value } = await events.next();
  assert.deepEqual(value, {
    type: 'transaction',
    requestId: 'r1',
    version: 4,
    prevVersion: 3,
    timestamp: '2026-01-31T12:34:56.789Z',
    leaderId: 'L1',
    operations: [
      { type: 'write', key: new Uint8Array([0, 255]), value: new Uint8Array() },
      { type: 'delete', key: new Uint8Array() },
      { type: 'range_delete', begin: new Uint8Array([0]), end: new Uint8Array([1]) },
    ],
  });
  assert.equal(events.position, 4);
  assert.deepEqual(server.requests[0]?.query, { after: '3', durable: 'true' });
  assert.equal(server.requests[0]?.headers['accept'], 'text/event-stream');
  await events.return();
});

for (const end of ['ends', 'breaks'] as const) {
  test(`a connection that ${end} is resumed after the last version taken`, async (t) => {
    const server = await fakeServer(
      t,
      stream([transaction(1), transaction(2), transaction(3).slice(0, 30)], end),
      stream([], end),
      reset,
      stream([transaction(3), transaction(4)], 'stays'),
    );
    const { client, clock } = setUp(server.url);
    const events = client.subscribe({ after: 0 });
    assert.deepEqual(await take(events, 4), ['t1', 't2', 't3', 't4']);
    assert.deepEqual(afters(server), ['0', '2', '2', '2']);
    assert.equal(events.reconnects, 3);
    assert.deepEqual(clock.waits, [25, 50, 100], 'waits grow while there is no progress');
    await events.return();
  });
}

test('waits no longer after a connection that was good for a while', async (t) => {
  const empty: Answer = (response, request) => {
    clock.advance(6000);
    return stream([': keepalive\n\n'], 'ends')(response, request);
  };
  const server = await fakeServer(t, empty, empty, empty, stream([transaction(1)], 'stays'));
  const { client, clock } = setUp(server.url);
  const events = client.subscribe({ after: 0 });
  await take(events, 1);
  assert.deepEqual(clock.waits, [25, 25, 25]);
  await events.return();
});

test('starts at the latest committed version, and stays there while nothing comes', async (t) => {
  const server = await fakeServer(
    t,
    reset,
    json({ version: 7, leader_id: 'L1' }),
    stream([], 'ends'),
    stream([transaction(8)], 'stays'),
  );
  const events = setUp(server.url).client.subscribe();
  assert.equal(events.position, undefined);
  assert.deepEqual(await take(events, 1), ['t8']);
  assert.deepEqual(afters(server), ['7', '7']);
  await events.return();
});

const breaks: readonly (readonly [string, string])[] = [
  ['a gap', transaction(4)],
  ['a repeat', transaction(2)],
  ['an old transaction', transaction(1)],
];
for (const [name, wrong] of breaks) {
  test(`${name} is mended by a reconnect`, async (t) => {
    const server = await fakeServer(
      t,
      stream([transaction(1), transaction(2), wrong], 'stays'),
      stream([transaction(3), transaction(4)], 'stays'),
    );
    const events = setUp(server.url).client.subscribe({ after: 0 });
    assert.deepEqual(await take(events, 4), ['t1', 't2', 't3', 't4']);
    assert.deepEqual(afters(server), ['0', '2']);
    await events.return();
  });

  test(`${name} that stays is an error, and nothing behind it is handed out`, async (t) => {
    const server = await fakeServer(
      t,
      stream([transaction(1) + transaction(2) + wrong + transaction(5)], 'stays'),
      stream([wrong, transaction(5)], 'stays'),
    );
    const events = setUp(server.url).client.subscribe({ after: 0 });
    assert.deepEqual(await take(events, 2), ['t1', 't2']);
    await assert.rejects(events.next(), (error) => {
      assert.ok(error instanceof GapError && error.kind === 'gap');
      assert.equal(error.lastVersion, 2);
      return true;
    });
    assert.equal(events.position, 2);
    assert.deepEqual(await events.next(), { done: true, value: undefined });
  });
}

test('a gap behind the start is an error too', async (t) => {
  const gap = stream([transaction(9, 8)], 'stays');
  const server = await fakeServer(t, gap, gap);
  await assert.rejects(setUp(server.url).client.subscribe({ after: 7 }).next(), GapError);
});

test('410 is an error of its own', async (t) => {
  const server = await fakeServer(t, problem(410, 'truncated'));
  await assert.rejects(
    setUp(server.url).client.subscribe({ after: 1 }).next(),
    (error) => error instanceof TruncatedError && error.kind === 'truncated',
  );
});

test('any other 4xx ends the subscription, also on a reconnect', async (t) => {
  const server = await fakeServer(t, stream([transaction(1)], 'ends'), problem(400, 'version-ahead-of-log'));
  const events = setUp(server.url).client.subscribe({ after: 0 });
  await take(events, 1);
  await assert.rejects(events.next(), RefusedError);
});

test('503 is tried again, no sooner than asked', async (t) => {
  const server = await fakeServer(
    t,
    problem(503, 'unavailable', { 'retry-after': '3' }),
    stream([transaction(1)], 'stays'),
  );
  const { client, clock } = setUp(server.url);
  const events = client.subscribe({ after: 0 });
  await take(events, 1);
  assert.deepEqual(clock.waits, [3025]);
  await events.return();
});

const nonsense: readonly (readonly [string, Answer])[] = [
  ['a reply that is no stream', json({})],
  ['data that is not JSON', stream(['event: transaction\ndata: {\n\n'], 'stays')],
  ['data that is no object', stream(['event: transaction\ndata: []\n\n'], 'stays')],
  ['a version that is none', stream([transaction(1).replace('"version":1', '"version":1.5')], 'stays')],
  ['an unknown operation', stream([transaction(1).replace('"write"', '"increment"')], 'stays')],
  ['a key that is not base64', stream([transaction(1).replace(btoa('k'), 'k')], 'stays')],
];
for (const [name, answer] of nonsense) {
  test(`${name} is a protocol error`, async (t) => {
    const server = await fakeServer(t, answer);
    await assert.rejects(setUp(server.url).client.subscribe({ after: 0 }).next(), ProtocolError);
  });
}

test('unknown events are passed over', async (t) => {
  const server = await fakeServer(
    t,
    stream(['event: later\ndata: x\n\ndata: y\n\n', transaction(1)], 'stays'),
  );
  const events = setUp(server.url).client.subscribe({ after: 0 });
  assert.deepEqual(await take(events, 1), ['t1']);
  await events.return();
});

test('events cut within characters and line ends', async (t) => {
  const text = (transaction(1) + transaction(2))
    .replaceAll('request-of', 'r\u00e9\u{1f4a7}')
    .replaceAll('\n', '\r\n');
  const bytes = new TextEncoder().encode(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
    bytes.subarray(i * 7, i * 7 + 7),
  );
  const server = await fakeServer(t, stream(pieces, 'stays'));
  const events = setUp(server.url).client.subscribe({ after: 0 });
  const { value } = await events.next();
  assert.equal(value?.requestId, 'r\u00e9\u{1f4a7}-version-1');
  assert.deepEqual(await take(events, 1), ['t2']);
  await events.return();
});

test('silence is given up, keepalives are no silence', async (t) => {
  let response: ServerResponse | undefined;
  const quiet: Answer = (quietResponse, request) => {
    response = quietResponse;
    return stream([], 'stays')(quietResponse, request);
  };
  const server = await fakeServer(t, quiet, stream([transaction(1)], 'stays'));
  const { client, clock } = setUp(server.url);
  const events = client.subscribe({ after: 0 });
  // One long wait for the reply, then one for each chunk.
  let waiting = clock.nextLongWait();
  const next = take(events, 1);
  for (let wait = 0; wait < 4; wait += 1) {
    await waiting;
    waiting = clock.nextLongWait();
    if (wait > 0) response?.write(': keepalive\n\n');
  }
  await waiting;
  assert.equal(events.reconnects, 0);
  assert.equal(clock.held, 1);
  clock.elapse();
  assert.deepEqual(await next, ['t1']);
  assert.equal(events.reconnects, 1);
  assert.equal(clock.held, 0, 'no clock runs while the consumer works');
  await events.return();
});

test('a server that never answers is given up', async (t) => {
  const server = await fakeServer(t, () => clock.elapse(), stream([transaction(1)], 'stays'));
  const { client, clock } = setUp(server.url);
  const events = client.subscribe({ after: 0 });
  assert.deepEqual(await take(events, 1), ['t1']);
  assert.equal(events.reconnects, 1);
  await events.return();
});

test('the signal ends a waiting iteration with its reason', async (t) => {
  const server = await fakeServer(t, stream([transaction(1)], 'stays'));
  const { client, clock } = setUp(server.url);
  const caller = new AbortController();
  const events = client.subscribe({ after: 0, signal: caller.signal });
  await take(events, 1);
  const waiting = clock.nextLongWait();
  const next = assert.rejects(events.next(), { message: 'enough' });
  await waiting;
  caller.abort(new Error('enough'));
  await next;
  assert.equal(clock.held, 0);
});

test('the signal also ends an iteration with events at hand, and one that has not begun', async (t) => {
  const server = await fakeServer(t, stream([transaction(1) + transaction(2)], 'stays'));
  const { client } = setUp(server.url);
  const caller = new AbortController();
  const events = client.subscribe({ after: 0, signal: caller.signal });
  await take(events, 1);
  caller.abort(new Error('enough'));
  await assert.rejects(events.next(), { message: 'enough' });
  await assert.rejects(client.subscribe({ after: 0, signal: caller.signal }).next(), { message: 'enough' });
});

test('leaving the loop closes the connection', async (t) => {
  const closed = deferred<void>();
  const server = await fakeServer(t, async (response, request) => {
    response.on('close', () => closed.resolve(undefined));
    await stream([transaction(1)], 'stays')(response, request);
  });
  const events = setUp(server.url).client.subscribe({ after: 0 });
  for await (const event of events) {
    assert.equal(event.version, 1);
    break;
  }
  await closed.promise;
  assert.equal(events.position, 1);
});

test('return ends a next that is waiting', async (t) => {
  const connected = deferred<ServerResponse>();
  const server = await fakeServer(t, async (response, request) => {
    await stream([], 'stays')(response, request);
    connected.resolve(response);
  });
  const { client, clock } = setUp(server.url);
  const events = client.subscribe({ after: 0 });
  const next = events.next();
  const response = await connected.promise;
  const end = { done: true, value: undefined };
  const closed = once(response, 'close');
  assert.deepEqual(await events.return(), end);
  assert.deepEqual(await next, end);
  await closed;
  assert.equal(clock.held, 0);
});

test('reads no more from the network than is taken', async () => {
  let pulls = 0;
  const body = new ReadableStream(
    {
      pull(controller) {
        pulls += 1;
        const version = pulls * 2 - 1;
        controller.enqueue(new TextEncoder().encode(transaction(version) + transaction(version + 1)));
      },
    },
    { highWaterMark: 0 },
  );
  const fetch = () =>
    Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  const events = new HeadwaterClient({ url: 'http://unused', fetch }).subscribe({ after: 0 });
  for (const chunks of [1, 1, 2, 2, 3]) {
    await events.next();
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(pulls, chunks);
  }
  await events.return();
});

test('not durable: checkpoints move the position; a reconnect goes back to the last one', async (t) => {
  const server = await fakeServer(
    t,
    stream([checkpoint(0), transaction(1), transaction(2), checkpoint(1), transaction(3)], 'ends'),
    stream([checkpoint(1), transaction(2), transaction(3), checkpoint(3)], 'ends'),
    stream([checkpoint(3), transaction(4)], 'stays'),
  );
  const events = setUp(server.url).client.subscribe({ after: 0, durable: false });
  assert.deepEqual(await take(events, 5), ['c0', 't1', 't2', 'c1', 't3']);
  assert.equal(events.position, 1);
  assert.deepEqual(await take(events, 5), ['d1', 'c1', 't2', 't3', 'c3']);
  assert.equal(events.position, 3);
  assert.deepEqual(await take(events, 2), ['c3', 't4'], 'nothing to discard');
  assert.deepEqual(afters(server), ['0', '1', '3']);
  assert.equal(server.requests[0]?.query['durable'], 'false');
  await events.return();
});

test('not durable: a new leader with another history', async (t) => {
  const server = await fakeServer(
    t,
    stream([checkpoint(1), transaction(2), transaction(3)], 'ends'),
    stream([checkpoint(1, 'L2'), transaction(2), transaction(100, 2, 'L2'), checkpoint(100, 'L2')], 'stays'),
  );
  const events = setUp(server.url).client.subscribe({ after: 1, durable: false });
  assert.deepEqual(await take(events, 7), ['c1', 't2', 't3', 'd1', 'c1', 't2', 't100']);
  assert.deepEqual(await take(events, 1), ['c100']);
  assert.equal(events.position, 100);
  await events.return();
});

const newLeaders: readonly (readonly [string, string])[] = [
  ['transaction', transaction(100, 1, 'L2')],
  ['checkpoint', checkpoint(1, 'L2')],
];
for (const [name, sign] of newLeaders) {
  test(`not durable: a new leader's ${name} on the same connection`, async (t) => {
    const server = await fakeServer(
      t,
      stream([checkpoint(1), transaction(2), sign, transaction(101, 100, 'L2')], 'stays'),
      stream([checkpoint(1, 'L2'), transaction(100, 1, 'L2'), transaction(101, 100, 'L2')], 'stays'),
    );
    const events = setUp(server.url).client.subscribe({ after: 1, durable: false });
    assert.deepEqual(await take(events, 6), ['c1', 't2', 'd1', 'c1', 't100', 't101']);
    assert.deepEqual(afters(server), ['1', '1']);
    await events.return();
  });
}

test('not durable: a new leader that goes on from the last transaction takes nothing back', async (t) => {
  const server = await fakeServer(
    t,
    stream([checkpoint(1), transaction(2), transaction(100, 2, 'L2'), checkpoint(100, 'L2')], 'stays'),
  );
  const events = setUp(server.url).client.subscribe({ after: 1, durable: false });
  assert.deepEqual(await take(events, 4), ['c1', 't2', 't100', 'c100']);
  await events.return();
});

test('not durable: a gap that stays is an error', async (t) => {
  const gap = stream([checkpoint(0), transaction(1), transaction(3)], 'stays');
  const server = await fakeServer(t, gap, gap);
  const events = setUp(server.url).client.subscribe({ after: 0, durable: false });
  assert.deepEqual(await take(events, 5), ['c0', 't1', 'd0', 'c0', 't1']);
  await assert.rejects(events.next(), GapError);
  assert.equal(events.position, 0, 'what came after it is not to be stored');
});

test('not durable: a checkpoint behind the position is passed over', async (t) => {
  const server = await fakeServer(
    t,
    stream([transaction(1), checkpoint(1)], 'ends'),
    stream([checkpoint(0), transaction(2)], 'stays'),
  );
  const events = setUp(server.url).client.subscribe({ after: 0, durable: false });
  assert.deepEqual(await take(events, 3), ['t1', 'c1', 't2']);
  await events.return();
});
