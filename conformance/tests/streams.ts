import { setTimeout as sleep } from 'node:timers/promises';
import type { KeySpace } from '../model/key-space.js';
import type { LogEvent } from '../model/log-view.js';
import { type Operation, pointRead, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Commit, TestContext } from '../run/test-context.js';
import { Truncated } from '../run/violation.js';
import { allOf } from './all-of.js';
import { blame } from './blame.js';

async function commitSeveral(t: TestContext, space: KeySpace, count: number): Promise<Commit[]> {
  const commits: Commit[] = [];
  for (let index = 0; index < count; index += 1) {
    commits.push(await t.write([write(space.key(`${index}`), `${t.random.below(1e9)}`)], space));
  }
  return commits;
}

/** A server may truncate its log at any time: what it cannot stream any more is not judged here. */
async function unlessTruncated(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Truncated)) throw error;
  }
}

/** A stream from below the run, where nothing tells yet whether its first transaction has a predecessor. */
async function checkBegin(t: TestContext, after: bigint, id: string): Promise<void> {
  const stream = await t.api.subscribe({ after });
  if ('refused' in stream) {
    t.check(id, stream.refused === 410, `after=${after} was answered with ${stream.refused}`);
    t.saw('STREAM-AFTER-FUTURE', `after=${after} is truncated`);
    return;
  }
  const item = await stream.next(`the first transaction above ${after}`, id);
  const { unprovenStart } = stream;
  stream.close();
  if (item.kind !== 'transaction' || unprovenStart === undefined) return;
  // Either the log begins with this transaction, or there is one at its prev_version that was left out.
  const before = await t.api.subscribe({ after: unprovenStart - 1n });
  if ('refused' in before) return;
  const first = await before.next(`the first transaction above ${unprovenStart - 1n}`, id);
  before.close();
  if (first.kind !== 'transaction') return;
  t.check(
    id,
    first.event.version === item.event.version,
    `a stream after=${after} began with version ${item.event.version}, although there is a transaction at ${first.event.version}`,
  );
}

export const streamTests: readonly Test[] = [
  {
    name: 'stream/event-fields',
    title:
      'The event of a commit has its request_id, version, leader, operations, and the version before it.',
    requirements: [
      'EVENT-FIELDS',
      'EVENT-REQUEST-ID',
      'EVENT-VERSION',
      'EVENT-PREV-VERSION',
      'EVENT-TIMESTAMP',
      'EVENT-LEADER',
      'STREAM-CONTENT-TYPE',
      'STREAM-SSE',
      'STREAM-NO-ID',
      'FIELD-VERSION-INTEGER',
      'FIELD-LEADER-STRING',
    ],
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      const commits = await commitSeveral(t, space, 5);
      for (const durable of [true, false]) {
        const stream = await t.api.stream({ after: start.version, durable });
        const events = await stream.untilVersion(commits.at(-1)!.version);
        for (const commit of commits) {
          const event = events.find(({ version }) => version === commit.version);
          t.check(
            'EVENT-VERSION',
            event !== undefined,
            `no event has version ${commit.version}, which was answered to a commit`,
          );
          t.check(
            'EVENT-REQUEST-ID',
            event?.requestId === commit.transaction.requestId,
            `version ${commit.version} was answered to ${commit.transaction.requestId}, and its event names ${event?.requestId}`,
          );
          t.check(
            'EVENT-LEADER',
            event?.leaderId === commit.leaderId,
            `version ${commit.version} was answered by ${commit.leaderId}, and its event names ${event?.leaderId}`,
          );
        }
        for (const other of stream.otherEvents)
          t.saw('EVENT-OPERATIONS-SHAPE', `events of a kind of its own: ${other}`);
        stream.close();
      }
    },
  },
  {
    name: 'stream/after-every-version',
    title: 'From each of several versions, a stream begins with the very next transaction.',
    requirements: ['STREAM-AFTER', 'STREAM-AFTER-HELD', 'STREAM-SAME-LOG', 'STREAM-COMPLETE'],
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      await commitSeveral(t, space, 10);
      const all = await (await t.api.stream({ after: start.version })).untilVersion(t.committed);
      const versions = [start.version, ...all.map(({ version }) => version)];
      await t.each(versions.slice(0, -1), 4, async (after, index) => {
        const stream = await t.api.stream({ after, durable: index % 2 === 0 });
        const item = await stream.until(
          (one) => one.kind === 'transaction',
          `the transaction after ${after}`,
          'STREAM-AFTER',
        );
        const first = item.at(-1);
        t.check(
          'STREAM-AFTER',
          first?.kind === 'transaction' && first.event.version === versions[index + 1],
          () =>
            `after=${after} began with version ${first?.kind === 'transaction' ? first.event.version : first?.kind}, not with ${versions[index + 1]}`,
        );
        stream.close();
      });
    },
  },
  {
    name: 'stream/after-zero',
    title: 'after=0 streams the log from its beginning, or answers 410 where that is truncated.',
    requirements: ['STREAM-AFTER-ZERO', 'STREAM-AFTER-TRUNCATED'],
    run: async (t) => {
      await commitSeveral(t, t.space(), 2);
      await blame('STREAM-AFTER-ZERO', ['STREAM-AFTER', 'STREAM-AFTER-DEFAULT'], () =>
        checkBegin(t, 0n, 'STREAM-AFTER-ZERO'),
      );
    },
  },
  {
    name: 'stream/after-default',
    title:
      'Without after, what was committed before does not come, and what commits once the stream is open does.',
    requirements: ['STREAM-AFTER-DEFAULT', 'STREAM-LIVE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      for (let round = 0; round < t.scale(3, 8); round += 1) {
        await commitSeveral(t, space, 2);
        const stream = await t.api.stream(round % 2 === 0 ? {} : { durable: false }, 'STREAM-AFTER-DEFAULT');
        const commit = await t.write([write(space.key('new'), `${round}`)], space);
        const events = await stream.untilVersion(commit.version, 'STREAM-AFTER-DEFAULT');
        const first = events[0];
        t.check(
          'STREAM-AFTER-DEFAULT',
          first !== undefined && first.version <= commit.version,
          `the stream began with version ${first?.version}, above ${commit.version}, which was committed after it was open`,
        );
        stream.close();
      }
    },
  },
  {
    name: 'stream/durable-default',
    title: 'With durable left out, or true, no checkpoint comes between or behind transactions.',
    requirements: ['STREAM-DURABLE-DEFAULT', 'STREAM-DURABLE-NO-CHECKPOINT'],
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      const streams = [
        await t.api.stream({}),
        await t.api.stream({ after: start.version }),
        await t.api.stream({ durable: true }),
        await t.api.stream({ after: start.version, durable: true }),
      ];
      const commits = await commitSeveral(t, space, 12);
      for (const stream of streams) await stream.untilVersion(commits.at(-1)!.version);
      const marker = await t.write([write(space.key('end'), 'x')], space);
      for (const stream of streams) await stream.untilVersion(marker.version);
    },
  },
  {
    name: 'stream/durable-only',
    title:
      'When a durable stream shows a transaction, GET /v1/version and its status know it as committed, under load.',
    requirements: ['STREAM-DURABLE-ONLY', 'STREAM-COMPLETE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      const stream = await t.api.stream({ after: start.version, durable: true });
      let writing = true;
      const writers = t
        .each(Array.from({ length: t.scale(24, 120) }), 6, async (_, index) => {
          await t.write([write(space.key(`${index}`), 'x')], space);
        })
        .finally(() => {
          writing = false;
        });
      // What goes wrong is thrown below, unless the reader finds something first.
      writers.catch(() => undefined);
      while (writing) {
        const item = await stream.poll(50);
        if (item?.kind === 'end') break;
        if (item?.kind !== 'transaction') continue;
        await t.now();
        if (t.random.chance(0.7) || t.run.shared.ledger.byRequestId(item.event.requestId).length === 0)
          continue;
        const status = await t.api.status(item.event.requestId, start.version);
        t.check(
          'STREAM-DURABLE-ONLY',
          status.kind !== 'id_not_found',
          `a durable stream showed version ${item.event.version}, and the status of its request is ${status.kind}`,
        );
      }
      await writers;
    },
  },
  {
    name: 'stream/checkpoints',
    title:
      'With durable=false, transactions come, and a checkpoint at or above the last one follows by itself.',
    requirements: [
      'STREAM-ACCEPTED',
      'CHECKPOINT-FOLLOWS',
      'CHECKPOINT-FIELDS',
      'CHECKPOINT-GROWS',
      'STREAM-ACCEPTED-COMMITS',
    ],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      for (const after of [start.version, undefined]) {
        const stream = await t.api.stream(
          { ...(after === undefined ? {} : { after }), durable: false },
          'STREAM-ACCEPTED',
        );
        for (let round = 0; round < t.scale(3, 6); round += 1) {
          const commit = (await commitSeveral(t, space, 1 + (round % 3))).at(-1)!;
          await stream.untilVersion(commit.version, 'STREAM-ACCEPTED');
          if (stream.checkpoint !== undefined && stream.checkpoint >= commit.version) continue;
          await stream.until(
            (item) => item.kind === 'checkpoint' && item.version >= commit.version,
            `a checkpoint at or above ${commit.version}, with nothing else being written`,
            'CHECKPOINT-FOLLOWS',
          );
        }
        stream.close();
      }
    },
  },
  {
    name: 'stream/checkpoints-under-load',
    title:
      'Checkpoints name durable versions only, do not go back, and are never ahead of the transactions sent.',
    requirements: [
      'CHECKPOINT-DURABLE',
      'CHECKPOINT-GROWS',
      'CHECKPOINT-NOT-AHEAD',
      'CHECKPOINT-FOLLOWS',
      'STREAM-ACCEPTED-COMMITS',
    ],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const { version: before } = await t.now();
      const start = await t.write([write(space.key('start'), 'x')], space);
      const live = await t.api.stream({ after: start.version, durable: false }, 'STREAM-ACCEPTED');
      let writing = true;
      const writers = t
        .each(Array.from({ length: t.scale(60, 400) }), 8, async (_, index) => {
          await t.write([write(space.key(`${index % 40}`), `${index}`)], space);
        })
        .finally(() => {
          writing = false;
        });
      const shown: LogEvent[] = [];
      const follow = async (): Promise<void> => {
        while (writing) {
          const item = await live.poll(50);
          if (item?.kind === 'end') return;
          if (item?.kind === 'transaction') shown.push(item.event);
          if (item?.kind === 'checkpoint') await t.now();
        }
      };
      const sendRejected = async (): Promise<void> => {
        while (writing)
          await t.mustBeRejected(
            'COMMIT-POINT-READ',
            'its key was written after that version',
            () => ({
              preconditions: [pointRead(space.key('start'), before)],
              operations: [write(space.key('rejected'), 'x')],
            }),
            space,
          );
      };
      const subscribeLate = async (): Promise<void> => {
        const late = await t.api.stream({ after: start.version, durable: false }, 'STREAM-ACCEPTED');
        const upTo = t.committed;
        while (writing && (late.last ?? 0n) < upTo) if ((await late.poll(200))?.kind === 'end') break;
        late.close();
      };
      const subscribeAgainAndAgain = async (): Promise<void> => {
        while (writing) await unlessTruncated(subscribeLate);
      };
      await allOf([writers, follow(), subscribeAgainAndAgain(), sendRejected()]);
      const end = await t.write([write(space.key('end'), 'x')], space);
      let isRead = false;
      await unlessTruncated(async () => {
        await (await t.api.stream({ after: start.version })).untilVersion(end.version);
        isRead = true;
      });
      if (!isRead) return;
      for (const { version, leaderId, requestId } of shown) {
        t.check(
          'STREAM-ACCEPTED-COMMITS',
          t.run.shared.view.get(version)?.requestId === requestId || leaderId !== end.leaderId,
          `${requestId} was streamed as accepted at version ${version}, its leader still leads, and the log does not have it there`,
        );
      }
    },
  },
  {
    name: 'stream/live',
    title: 'A single transaction reaches every open stream, without another one having to follow.',
    requirements: ['STREAM-LIVE', 'STREAM-COMPLETE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      const streams = await Promise.all(
        Array.from({ length: 12 }, (_, index) =>
          t.api.stream({ ...(index % 3 === 0 ? {} : { after: start.version }), durable: index % 2 === 0 }),
        ),
      );
      for (let round = 0; round < t.scale(3, 8); round += 1) {
        const commit = await t.write([write(space.key(`${round}`), 'x')], space);
        await Promise.all(streams.map((stream) => stream.untilVersion(commit.version)));
      }
    },
  },
  {
    name: 'stream/idle',
    title: 'A stream that was silent for a while still gets the next transaction.',
    requirements: ['STREAM-LIVE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      const streams = [
        await t.api.stream({}),
        await t.api.stream({ after: start.version, durable: false }),
        await t.api.stream({ after: start.version }),
      ];
      // Silence itself is what is tried out: there is nothing to wait for.
      await sleep(t.lasting(2_500, 6_000));
      const commit = await t.write([write(space.key('next'), 'x')], space);
      for (const stream of streams) await stream.untilVersion(commit.version);
    },
  },
  {
    name: 'stream/large-events',
    title: 'Events of many operations and of long values arrive whole.',
    requirements: ['STREAM-COMPLETE', 'EVENT-OPERATIONS', 'STREAM-SSE'],
    run: async (t) => {
      const space = t.space();
      const room = Math.min((t.hooks.maxCommitBytes ?? 130_000) * 0.6, 300_000);
      const start = await t.write([write(space.key('start'), 'x')], space);
      const live = await t.api.stream({});
      const commits: Commit[] = [];
      const send = async (operations: readonly Operation[]): Promise<void> => {
        commits.push(await t.write(operations, space));
      };
      await send([write(space.key('long'), t.bytes(Math.floor(room)))]);
      await send(
        Array.from({ length: Math.floor(room / 200) }, (_, index) =>
          write(space.key(`${index}`), t.bytes(40)),
        ),
      );
      await send([write(space.key('short'), 'x')]);
      const last = commits.at(-1)!.version;
      await live.untilVersion(last);
      await (await t.api.stream({ after: start.version })).untilVersion(last);
    },
  },
  {
    name: 'stream/parameters',
    title: 'after that is no integer, or durable that is neither true nor false, gets some 4xx.',
    requirements: ['STREAM-PARAMETERS', 'STREAM-AFTER-FUTURE'],
    run: async (t) => {
      for (const query of [
        'after=abc',
        'after=1.5',
        'durable=maybe',
        `after=${t.committed}&durable=banana`,
      ]) {
        const status = await t.api.subscribeStatus(query);
        t.check(
          'STREAM-PARAMETERS',
          status >= 400 && status < 500,
          `GET /v1/subscribe?${query} answered ${status}`,
        );
      }
      t.saw('STREAM-AFTER-FUTURE', `${await t.api.subscribeStatus(`after=${t.committed + 2n ** 40n}`)}`);
    },
  },
  {
    name: 'stream/seam',
    title: 'Where catch-up meets what is live, under load, nothing is repeated, left out or out of order.',
    requirements: [
      'STREAM-COMPLETE',
      'STREAM-SAME-LOG',
      'STREAM-AFTER',
      'EVENT-PREV-VERSION',
      'CHECKPOINT-NOT-AHEAD',
    ],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      await t.each(Array.from({ length: 40 }), 8, async (_, index) => {
        await t.write([write(space.key(`${index}`), 'x')], space);
      });
      let subscriptions = 0;
      const wanted = t.scale(40, 300);
      const deadline = performance.now() + t.lasting(4_000, 20_000);
      const isOver = (): boolean => subscriptions >= wanted || performance.now() > deadline;
      const writers = Array.from({ length: 6 }, async (_, writer) => {
        for (let turn = 0; !isOver(); turn += 1)
          await t.write([write(space.key(`w ${writer}`), `${turn}`)], space);
      });
      const follow = async (reader: number): Promise<void> => {
        const known = t.run.shared.view.inOrder().filter(({ version }) => version >= start.version);
        const lag = t.random.pick([1, 1, 2, 3, 5, 20, 100]);
        const after = known.at(-Math.min(lag, known.length))?.version ?? start.version;
        const stream = await t.api.stream({ after, durable: (subscriptions + reader) % 3 !== 0 });
        // Far enough to be live for a while.
        const target = t.committed + 1n;
        for (let count = 0; count < 30 && !isOver(); ) {
          const item = await stream.poll(500);
          if (item === undefined || item.kind === 'end') break;
          if (item.kind === 'transaction' && item.event.version > target) count += 1;
        }
        stream.close();
      };
      const readers = Array.from({ length: 5 }, async (_, reader) => {
        while (!isOver()) {
          subscriptions += 1;
          await unlessTruncated(() => follow(reader));
        }
      });
      await Promise.all([...writers, ...readers]);
      const end = await t.write([write(space.key('end'), 'x')], space);
      await unlessTruncated(async () => {
        await (await t.api.stream({ after: start.version })).untilVersion(end.version, 'STREAM-COMPLETE');
      });
    },
  },
  {
    name: 'stream/seam-quiet',
    title: 'A stream that is opened while single transactions commit misses none and repeats none.',
    requirements: ['STREAM-COMPLETE', 'STREAM-LIVE', 'STREAM-AFTER-DEFAULT'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      for (let round = 0; round < t.scale(10, 60); round += 1) {
        const before = t.committed;
        const [stream, commit] = await Promise.all([
          t.api.stream({ after: before, durable: round % 2 === 0 }),
          t.write([write(space.key(`${round}`), 'x')], space),
        ]);
        await stream.untilVersion(commit.version);
        const next = await t.write([write(space.key(`${round} next`), 'x')], space);
        await stream.untilVersion(next.version);
        stream.close();
      }
    },
  },
];
