import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Incomplete } from '../run/violation.js';
import { breaksLater } from '../testing/breaks.js';
import {
  checkpoint,
  openStandInStream,
  type StandInStream,
  transaction,
} from '../testing/stand-in-stream.js';
import { NoAnswer } from '../wire/http.js';
import type { SubscribeQuery } from './api.js';
import { Reader } from './reader.js';

const PATIENCE_MS = 80;

type Opening = (opened: StandInStream) => void;

/** A reader, and the streams that it opened; each opening is a server's part, the status it refuses with, or a failure. */
async function read(query: SubscribeQuery, ...openings: readonly (Opening | number | Error)[]) {
  const queries: SubscribeQuery[] = [];
  const streams: StandInStream[] = [];
  const reader = await Reader.open(
    async (asked) => {
      const opening = openings[queries.length] ?? (() => undefined);
      queries.push(asked);
      if (typeof opening === 'number') return { refused: opening };
      if (opening instanceof Error) throw opening;
      const opened = openStandInStream(asked, PATIENCE_MS);
      streams.push(opened);
      opening(opened);
      return opened.stream;
    },
    query,
    { start: 4n, patienceMs: PATIENCE_MS, requirement: 'STREAM-AFTER-HELD' },
  );
  return { reader, queries, streams };
}

const sends =
  (...texts: readonly string[]): Opening =>
  ({ send }) => {
    for (const text of texts) send(text);
  };

const sendsAndCloses =
  (...texts: readonly string[]): Opening =>
  ({ send, body }) => {
    for (const text of texts) send(text);
    body.end();
  };

const versionsOf = (events: readonly { readonly version: bigint }[]): bigint[] =>
  events.map(({ version }) => version);

test('until reads up to what is wanted, and leaves the rest', async () => {
  const { reader } = await read(
    { after: 0n, durable: false },
    sends(transaction(1), checkpoint(1), transaction(2), checkpoint(2)),
  );
  const items = await reader.until(({ kind }) => kind === 'checkpoint', 'a checkpoint', 'CHECKPOINT-FOLLOWS');
  assert.deepEqual(
    items.map(({ kind }) => kind),
    ['transaction', 'checkpoint'],
  );
  assert.equal((await reader.poll(0))?.kind, 'transaction');
});

test('until begins to wait anew with every transaction, not with anything else', async () => {
  const { reader, streams } = await read({ after: 0n, durable: false });
  const { send } = streams[0]!;
  let version = 0;
  const transactions = setInterval(() => {
    version += 1;
    send(transaction(version));
  }, PATIENCE_MS / 2);
  const isFifth = (item: { kind: string; event?: { version: bigint } }): boolean =>
    item.kind === 'transaction' && item.event?.version === 5n;
  try {
    await reader.until(isFifth, 'the fifth transaction', 'STREAM-LIVE');
  } finally {
    clearInterval(transactions);
  }
  const others = setInterval(() => send(`: keepalive\n\n${checkpoint(version)}`), PATIENCE_MS / 4);
  const began = performance.now();
  try {
    const message = await breaksLater(
      'STREAM-LIVE',
      reader.until(() => false, 'more', 'STREAM-LIVE'),
    );
    assert.match(message, /in vain for more/);
  } finally {
    clearInterval(others);
  }
  assert.ok(performance.now() - began < 4 * PATIENCE_MS);
});

test('until gives up when its own reader is closed', async () => {
  const { reader } = await read({ after: 0n });
  const waiting = reader.until(() => false, 'nothing', 'STREAM-LIVE');
  setTimeout(() => reader.close(), 5);
  await assert.rejects(waiting, Incomplete);
});

test('untilVersion gives the transactions up to a version, and leaves the rest', async () => {
  const { reader } = await read({ after: 0n }, sends(transaction(1), transaction(2), transaction(3)));
  assert.deepEqual(versionsOf(await reader.untilVersion(2n)), [1n, 2n]);
  assert.deepEqual(versionsOf(await reader.untilVersion(3n)), [3n]);
});

test('untilVersion has nothing to wait for where the version was read before', async () => {
  const { reader, streams } = await read(
    { after: 0n, durable: false },
    sends(transaction(1), transaction(2)),
  );
  await reader.untilVersion(2n);
  assert.deepEqual(await reader.untilVersion(2n), []);
  assert.deepEqual(await reader.untilVersion(1n), []);
  streams[0]!.send(checkpoint(2));
  await sleep(5);
  assert.deepEqual(await reader.untilVersion(2n), [], 'whatever else has come since');
  streams[0]!.send(transaction(5, 2));
  await sleep(5);
  assert.deepEqual(await reader.untilVersion(2n), [], 'also a later transaction');
  assert.deepEqual(versionsOf(await reader.untilVersion(5n)), [5n]);
});

test('untilVersion waits for what was not read yet, although it has come', async () => {
  const { reader } = await read({ after: 0n }, sends(transaction(1)));
  await sleep(5);
  assert.equal(reader.last, 1n);
  assert.deepEqual(versionsOf(await reader.untilVersion(1n)), [1n]);
});

test('untilVersion tells a version that was left out, and one that does not come', async () => {
  const { reader } = await read({ after: 0n }, sends(transaction(1), transaction(3, 1)));
  await breaksLater('STREAM-COMPLETE', reader.untilVersion(2n));
  await breaksLater('STREAM-LIVE', reader.untilVersion(4n));
  await breaksLater('STREAM-RESUME', reader.untilVersion(4n, 'STREAM-RESUME'));
});

test('where the server closes the stream, it goes on behind the last transaction', async () => {
  const { reader, queries } = await read(
    { after: 0n },
    sendsAndCloses(transaction(1), transaction(2)),
    sendsAndCloses(),
    sends(transaction(3)),
  );
  assert.deepEqual(versionsOf(await reader.untilVersion(3n)), [1n, 2n, 3n]);
  assert.deepEqual(queries, [{ after: 0n }, { after: 2n }, { after: 2n }]);
});

test('with durable=false it goes on behind the last checkpoint', async () => {
  const query = { after: 0n, durable: false };
  const { reader, queries } = await read(
    query,
    sendsAndCloses(transaction(1), checkpoint(1), transaction(2)),
    sendsAndCloses(),
    sends(transaction(2), transaction(3)),
  );
  assert.deepEqual(versionsOf(await reader.untilVersion(3n)), [1n, 2n, 2n, 3n]);
  assert.deepEqual(queries, [query, { ...query, after: 1n }, { ...query, after: 1n }]);
});

test('before anything has come, it goes on where it began', async () => {
  for (const [query, after] of [
    [{ after: 0n }, 0n],
    [{}, 4n],
    [{ durable: false }, 4n],
  ] as const) {
    const { reader, queries } = await read(query, sendsAndCloses(), sends(transaction(Number(after) + 1)));
    await reader.untilVersion(after + 1n);
    assert.deepEqual(queries, [query, { ...query, after }]);
  }
});

test('it subscribes again while the server is unavailable, and not when it was refused', async () => {
  for (const obstacle of [429, 502, 503, 504, new NoAnswer('reset')]) {
    const { queries } = await read({ after: 0n }, obstacle, sends());
    assert.equal(queries.length, 2);
  }
  for (const status of [400, 404, 500]) {
    const message = await breaksLater('STREAM-AFTER-HELD', read({ after: 0n }, status));
    assert.match(message, new RegExp(`answered ${status}`));
  }
  await assert.rejects(read({ after: 0n }, 410), Incomplete);
});

test('it does not try for ever', async () => {
  await breaksLater('STREAM-AFTER-HELD', read({ after: 0n }, ...Array.from({ length: 100 }, () => 503)));
  const failures = Array.from({ length: 100 }, () => new NoAnswer('refused'));
  await assert.rejects(read({ after: 0n }, ...failures), NoAnswer);
});

test('once it is closed it has ended, and subscribes no more', async () => {
  const { reader, queries, streams } = await read({ after: 0n });
  reader.close();
  assert.equal((await reader.poll(PATIENCE_MS))?.kind, 'end');
  assert.equal(streams[0]!.abort.signal.aborted, true);
  assert.equal(queries.length, 1);
});
