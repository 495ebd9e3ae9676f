import { setTimeout as sleep } from 'node:timers/promises';
import type { KeySpace } from '../model/key-space.js';
import { write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import { type TestContext, USUAL_PACE_MS } from '../run/test-context.js';
import { allOf } from './all-of.js';
import { blame } from './blame.js';
import { holdLog } from './hold-log.js';
import { LogFollower } from './log-follower.js';

const MIB = 2 ** 20;
const LARGEST_VALUE = 32_768;
const SMALLEST_VALUE = 256;
/** What a connection of this machine may hold beside the buffer of the server. */
const CONNECTION_BYTES = 8 * MIB;
/** Commits at the same time: more on a server that takes long for each. */
const WIDTH = { usual: 3, slow: 16 };
/** One value is small beside the buffer of a reader, so that the buffer fills step by step. */
const VALUES_PER_BUFFER = 16;
/** What is thrown where a stream leaves something out. */
const GAPS = ['STREAM-COMPLETE', 'STREAM-AFTER', 'EVENT-PREV-VERSION'];

/** Commits values of so many bytes altogether; the version of the last. */
async function commitBytes(t: TestContext, space: KeySpace, bytes: number): Promise<bigint> {
  const { maxCommitBytes = 1_000_000, subscriberBufferBytes = MIB } = t.hooks;
  // In base64, and with the rest of the body, it has to stay below the limit.
  const limit = Math.min(
    Math.floor((maxCommitBytes - 1000) * 0.7),
    subscriberBufferBytes / VALUES_PER_BUFFER,
  );
  let length = Math.max(SMALLEST_VALUE, Math.min(LARGEST_VALUE, Math.floor(limit)));
  const width = t.run.paceMs > USUAL_PACE_MS ? WIDTH.slow : WIDTH.usual;
  let left = bytes;
  const text = t.bytes(length);
  await allOf(
    Array.from({ length: width }, async (_, writer) => {
      while (left > 0) {
        const value = text.slice(0, length);
        left -= length;
        const { answer } = await t.send(
          () => ({ operations: [write(space.key(`${writer}`), value)] }),
          space,
        );
        if (answer.kind === 'committed') continue;
        left += value.length;
        if (answer.kind === 'not_committed') continue;
        if (answer.httpStatus !== 413 || value.length <= SMALLEST_VALUE)
          t.skip(`the server refuses commits of ${value.length} bytes with ${answer.httpStatus}`);
        length = Math.min(length, Math.ceil(value.length / 2));
      }
    }),
  );
  return (await t.write([write(space.key('end'), `${bytes}`)], space)).version;
}

/** Commits a little now and then for a while: a server may give a reader some time before it closes its connection. */
async function commitNowAndThen(t: TestContext, space: KeySpace, ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  while (performance.now() < deadline) {
    await t.write([write(space.key('now and then'), `${deadline - performance.now()}`)], space);
    await sleep(100);
  }
}

/** Followers of the log from now on, whose streams are open. */
async function openFollowers(t: TestContext, count: number): Promise<LogFollower[]> {
  const space = t.space();
  const { version: after } = await t.write([write(space.key('start'), 'x')], space);
  const followers = Array.from(
    { length: count },
    (_, index) => new LogFollower(t, { after, durable: index % 2 === 0 }),
  );
  for (const follower of followers) await connect(t, follower);
  return followers;
}

async function connect(t: TestContext, follower: LogFollower): Promise<void> {
  const refused = await follower.connect();
  if (refused === 410) t.skip('the server truncates its log faster than it can be read');
  t.check(
    'STREAM-AFTER-HELD',
    refused === undefined,
    `after=${follower.position} is answered with ${refused}`,
  );
}

/** Reads everything up to `version` without a gap, on new connections where the server closes them. */
async function catchUp(t: TestContext, follower: LogFollower, version: bigint, id: string): Promise<void> {
  const ending = await blame(id, GAPS, () => follower.readTo(version, id));
  // What it has not read may have been truncated meanwhile.
  if (ending === 'truncated')
    t.transcript.note('suite', () => 'the log was truncated before a slow reader had read it');
}

export const slowReaderTests: readonly Test[] = [
  {
    name: 'stream/slow-reader',
    title:
      'A reader that stops reading holds up nobody; when it goes on it misses nothing, or its connection was closed.',
    requirements: ['STREAM-SLOW-READER-ALONE', 'STREAM-SLOW-READER', 'STREAM-SLOW-READER-CLOSED'],
    phase: 'alone',
    run: async (t) => {
      const buffer = t.hooks.subscriberBufferBytes;
      const unknown = t.options.depth === 'quick' ? 4 * MIB : 16 * MIB;
      const bytes = buffer === undefined ? unknown : 2 * buffer + CONNECTION_BYTES;
      const [slow, slowEarly, ...quick] = await openFollowers(t, 4);
      const space = t.space();
      let last = 0n;
      for (const follower of [slow!, slowEarly!]) follower.stream?.pause();
      let over = false;
      const committing = (async () => {
        last = await commitBytes(t, space, bytes);
      })().finally(() => {
        over = true;
      });
      const reading = quick.map(async (follower) => {
        while (!over) {
          await catchUp(t, follower, t.committed, 'STREAM-SLOW-READER-ALONE');
          await sleep(5);
        }
        await catchUp(t, follower, last, 'STREAM-SLOW-READER-ALONE');
      });
      await allOf([committing, ...reading]);
      const graceMs = buffer === undefined ? 0 : t.lasting(1500, 6500);
      await commitNowAndThen(t, space, graceMs);
      for (const follower of [slow!, slowEarly!]) {
        const { stream } = follower;
        stream?.resume();
        const { version: next } = await t.write([write(space.key('next'), 'x')], space);
        await catchUp(t, follower, next, 'STREAM-SLOW-READER');
        t.check(
          'STREAM-SLOW-READER-CLOSED',
          buffer === undefined || stream !== follower.stream,
          `a reader did not read while values of ${bytes} bytes were committed and for ${graceMs} ms more, with a buffer of ${buffer} bytes for it, and its connection was not closed`,
        );
        const { version: later } = await t.write([write(space.key('later'), 'x')], space);
        await catchUp(t, follower, later, 'STREAM-SLOW-READER');
      }
    },
  },
  {
    name: 'stream/slow-readers-among-many',
    title:
      'Of many readers half stop reading for a while: the others are not held up, and nobody sees a gap.',
    requirements: ['STREAM-SLOW-READER-ALONE', 'STREAM-SLOW-READER', 'STREAM-SAME-LOG'],
    phase: 'alone',
    run: async (t) => {
      const followers = await openFollowers(t, 32);
      const isSlow = (_: unknown, index: number): boolean => index % 4 < 2;
      const slow = followers.filter(isSlow);
      const quick = followers.filter((one) => !slow.includes(one));
      for (const follower of slow) follower.stream?.pause();
      const space = t.space();
      const bytes = (t.options.depth === 'quick' ? 0.5 : 1) * MIB;
      const last = await commitBytes(t, space, bytes);
      await allOf(quick.map((follower) => catchUp(t, follower, last, 'STREAM-SLOW-READER-ALONE')));
      for (const follower of slow) follower.stream?.resume();
      const { version: next } = await t.write([write(space.key('next'), 'x')], space);
      await allOf(followers.map((follower) => catchUp(t, follower, next, 'STREAM-SLOW-READER')));
      for (const follower of followers) follower.close();
    },
  },
  {
    name: 'stream/slow-catch-up',
    title:
      'A reader that stops reading while it catches up, and goes on when others have committed, misses nothing.',
    requirements: ['STREAM-SLOW-READER', 'STREAM-COMPLETE'],
    phase: 'alone',
    run: async (t) => {
      const { base, release } = await holdLog(t);
      const space = t.space();
      const bytes = (t.options.depth === 'quick' ? 2 : 6) * MIB;
      await commitBytes(t, space, bytes);
      const followers = [true, false].map((durable) => new LogFollower(t, { after: base, durable }));
      for (const follower of followers) {
        await connect(t, follower);
        follower.stream?.pause();
      }
      const last = await commitBytes(t, space, bytes / 8);
      for (const follower of followers) follower.stream?.resume();
      await allOf(followers.map((follower) => catchUp(t, follower, last, 'STREAM-SLOW-READER')));
      const { version: next } = await t.write([write(space.key('next'), 'x')], space);
      await allOf(followers.map((follower) => catchUp(t, follower, next, 'STREAM-SLOW-READER')));
      for (const follower of followers) follower.close();
      await release();
    },
  },
];
