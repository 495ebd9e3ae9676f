import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CommitLostError,
  type Committed,
  HeadwaterClient,
  type TransactionEvent,
  UnavailableError,
} from '../../src/client/index.js';
import { ChildServer } from '../support/child-server.js';
import { seed } from '../support/seed.js';
import { temporaryDirectory } from '../support/server.js';

const WRITERS = 8;
const KILLS = 6;

/** A small generator of numbers below `limit`, the same for the same seed. */
function randomNumbers(state: number): (limit: number) => number {
  let current = state >>> 0;
  return (limit) => {
    current = (Math.imul(current, 1664525) + 1013904223) >>> 0;
    return Math.floor((current / 2 ** 32) * limit);
  };
}

interface History {
  readonly committed: Committed[];
  /** IDs of commits that got no reply and were found not to be committed. */
  readonly lost: string[];
  stopped: boolean;
}

/** Writes until told to stop; every attempt has an ID of its own. */
async function write(client: HeadwaterClient, writer: number, history: History): Promise<void> {
  let latest = await client.version();
  for (let count = 0; !history.stopped; count += 1) {
    const requestId = `writer-${writer}-commit-${count}-of-this-test`;
    try {
      const result = await client.commit({
        requestId,
        leaderId: latest.leaderId,
        readVersion: latest.version,
        preconditions: [{ type: 'point_read', key: `key-${writer}` }],
        operations: [{ type: 'write', key: `key-${writer}`, value: requestId }],
      });
      latest = result;
      if (result.status === 'committed') history.committed.push(result);
    } catch (error) {
      if (error instanceof CommitLostError) history.lost.push(requestId);
      else if (!(error instanceof UnavailableError)) throw error;
      latest = await client.version();
    }
  }
}

/** Everything in the log above version 0, up to and including a version. */
async function readLog(client: HeadwaterClient, through: number): Promise<TransactionEvent[]> {
  const events: TransactionEvent[] = [];
  for await (const event of client.subscribe({ after: 0 })) {
    events.push(event);
    if (event.version >= through) break;
  }
  return events;
}

describe('a server killed with SIGKILL under load', () => {
  test('loses nothing that it acknowledged, and repeats no version', async (t) => {
    const random = randomNumbers(seed);
    const server = new ChildServer(t, {
      'data-dir': await temporaryDirectory(t),
      'segment-bytes': 65536,
      'log-level': 'error',
    });
    await server.start();
    const client = new HeadwaterClient({ url: server.url });
    const history: History = { committed: [], lost: [], stopped: false };

    const followed: TransactionEvent[] = [];
    const leave = new AbortController();
    const follower = (async () => {
      for await (const event of client.subscribe({ after: 0, signal: leave.signal })) followed.push(event);
    })().catch((error: unknown) => {
      if (!leave.signal.aborted) throw error;
    });
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(client, writer, history));
    for (let kill = 0; kill < KILLS; kill += 1) {
      const before = history.committed.length;
      while (history.committed.length < before + 50 + random(200)) await sleep(1);
      await server.kill('SIGKILL');
      await server.start();
    }
    history.stopped = true;
    await Promise.all(writers);

    const last = await client.commit({ ...(await client.version()), readVersion: 0, operations: [] });
    const log = await readLog(client, last.version);
    while (followed.at(-1)?.version !== last.version) await sleep(1);
    leave.abort();
    await follower;

    const byVersion = new Map(log.map((event) => [event.version, event]));
    const ids = new Set(log.map((event) => event.requestId));
    assert.equal(byVersion.size, log.length, 'a version came twice');
    assert.equal(ids.size, log.length, 'a request was committed twice');
    log.forEach((event, index) => {
      assert.equal(event.prevVersion, log[index - 1]?.version ?? 0, 'the chain is broken');
    });
    for (const { version, requestId } of history.committed) {
      assert.equal(byVersion.get(version)?.requestId, requestId, `commit ${version} is gone`);
    }
    for (const requestId of history.lost)
      assert.ok(!ids.has(requestId), `${requestId} was said not to be committed`);
    assert.deepEqual(
      followed.map(({ version, requestId }) => ({ version, requestId })),
      log.map(({ version, requestId }) => ({ version, requestId })),
      'the follower saw another log',
    );
    assert.equal(new Set(log.map(({ leaderId }) => leaderId)).size, KILLS + 1);
  });
});

describe('SIGTERM under load', () => {
  test('answers or refuses every request, loses none, and exits with 0', async (t) => {
    const directory = await temporaryDirectory(t);
    const server = new ChildServer(t, { 'data-dir': directory, 'log-level': 'error' });
    await server.start();
    const client = new HeadwaterClient({ url: server.url });
    const history: History = { committed: [], lost: [], stopped: false };
    const writers = Array.from({ length: WRITERS }, (_, writer) => write(client, writer, history));
    while (history.committed.length < 100) await sleep(1);
    assert.equal(await server.kill('SIGTERM'), 0);
    await server.start();
    history.stopped = true;
    await Promise.all(writers);
    const { version } = await client.version();
    const byVersion = new Map(
      (await readLog(client, version)).map((event) => [event.version, event.requestId]),
    );
    for (const commit of history.committed) assert.equal(byVersion.get(commit.version), commit.requestId);
  });
});

describe('a second server on the same directory', () => {
  test('is refused with a sentence that names the first', async (t) => {
    const directory = await temporaryDirectory(t);
    const first = new ChildServer(t, { 'data-dir': directory });
    await first.start();
    const second = new ChildServer(t, { 'data-dir': directory });
    await assert.rejects(second.start(), (error: Error) => {
      assert.match(error.message, /in use by another process/);
      assert.match(error.message, new RegExp(String(first.pid)));
      return true;
    });
    await first.kill('SIGKILL');
    await second.start();
  });
});
