import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Api } from '../api/api.js';
import { Ledger } from '../model/ledger.js';
import { LogView } from '../model/log-view.js';
import { Witness } from '../model/witness.js';
import { type Received, StandIn } from '../testing/stand-in.js';
import { transaction } from '../testing/stand-in-stream.js';
import { HttpClient } from '../wire/http.js';
import { Transcript } from '../wire/transcript.js';
import { Recorder } from './recorder.js';

/** A recorder from version 0 on at a server that answers subscriptions as `react` says. */
async function record(t: TestContext, react: (received: Received, response: ServerResponse) => void) {
  const server = await StandIn.start(t, react);
  const http = new HttpClient(server.url, 1_000);
  t.after(() => http.close());
  const ledger = new Ledger();
  const shared = {
    http,
    ledger,
    view: new LogView(ledger),
    witness: new Witness(),
    patienceMs: 1_000,
    saw: () => undefined,
  };
  const recorder = new Recorder(new Api(shared, new Transcript(), 'recorder'), 0n);
  recorder.start();
  return { server, recorder };
}

const stream = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' });

async function until(done: () => boolean): Promise<void> {
  for (let tries = 0; !done() && tries < 400; tries += 1) await sleep(5);
  assert.ok(done());
}

/** Whether it stops before long. */
const stops = async (recorder: Recorder): Promise<boolean> =>
  Promise.race([recorder.stop().then(() => true), sleep(2_000, false)]);

test('it reads on where a stream was closed, and stops', async (t) => {
  const { server, recorder } = await record(t, ({ path }, response) => {
    if (path.endsWith('after=0')) stream(response).end(transaction(1) + transaction(2));
    else stream(response).write(transaction(3));
  });
  await until(() => recorder.last === 3n);
  assert.deepEqual(
    server.received.map(({ path }) => path),
    ['/v1/subscribe?after=0', '/v1/subscribe?after=2'],
  );
  assert.equal(recorder.hole, undefined);
  assert.equal(await stops(recorder), true);
  await until(() => server.open === 0);
});

test('it stops also while a stream is being opened', async (t) => {
  const { server, recorder } = await record(t, (_, response) => {
    setTimeout(() => stream(response).write(transaction(1)), 100);
  });
  await until(() => server.received.length === 1);
  assert.equal(await stops(recorder), true);
  await until(() => server.open === 0);
});

test('it tries again while it is refused', async (t) => {
  let refusals = 2;
  const { recorder } = await record(t, (_, response) => {
    refusals -= 1;
    if (refusals >= 0) response.writeHead(503).end();
    else stream(response).write(transaction(1));
  });
  await until(() => recorder.last === 1n);
  assert.equal(recorder.hole, undefined);
  assert.equal(await stops(recorder), true);
});

test('where the log was truncated it has a hole, and goes on behind it', async (t) => {
  const { recorder } = await record(t, ({ path }, response) => {
    if (path === '/v1/version') response.end('{"version":7,"leader_id":"A"}');
    else if (path.endsWith('after=0')) response.writeHead(410).end();
    else stream(response).write(transaction(8));
  });
  await until(() => recorder.last === 8n);
  assert.match(recorder.hole ?? '', /truncated at version 0/);
  assert.equal(await stops(recorder), true);
});

test('a rule that is broken makes a hole, and is kept', async (t) => {
  const { recorder } = await record(t, (_, response) => {
    stream(response).write(transaction(1) + transaction(3));
  });
  await until(() => recorder.hole !== undefined);
  assert.equal(recorder.last, 1n);
  assert.deepEqual(
    recorder.violations.map(({ requirement }) => requirement),
    ['STREAM-COMPLETE'],
  );
  assert.equal(await stops(recorder), true);
});
