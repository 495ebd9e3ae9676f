import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FeedRig } from '../support/feed-rig.js';
import { settle, until } from '../support/leader-rig.js';
import { seed } from '../support/seed.js';
import { FakeSink } from '../support/sink.js';

type Step =
  | { readonly type: 'accept'; readonly count: number }
  | { readonly type: 'sync'; readonly batches: number }
  | { readonly type: 'fail' }
  | { readonly type: 'settle' }
  | { readonly type: 'subscribe'; readonly back: number; readonly durable: boolean }
  | { readonly type: 'pause' | 'resume'; readonly subscriber: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('accept' as const), count: fc.integer({ min: 1, max: 8 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ type: fc.constant('sync' as const), batches: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'fail' as const }) },
  { weight: 3, arbitrary: fc.constant({ type: 'settle' as const }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('subscribe' as const),
      back: fc.nat(30),
      durable: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constantFrom('pause' as const, 'resume' as const),
      subscriber: fc.nat(20),
    }),
  },
);

interface Reader {
  readonly after: number;
  readonly durable: boolean;
  readonly sink: FakeSink;
}

/** Every stream is a run of the log without a hole or a repeat, and checkpoints are never ahead of it. */
function checkReader({ after, durable, sink }: Reader, prevVersions: ReadonlyMap<number, number>): void {
  let position = after;
  for (const { event, data } of sink.events) {
    if (event === 'checkpoint') {
      assert.equal(durable, false);
      assert.ok(data.committed_version <= position, 'a checkpoint ahead of the stream');
      continue;
    }
    assert.ok(data.version > position, 'a repeat');
    if (position === after) assert.ok(data.prev_version <= after, 'a hole at the start');
    else assert.equal(data.prev_version, position, 'a broken chain');
    if (durable)
      assert.equal(prevVersions.get(data.version), data.prev_version, 'an event that is not in the log');
    position = data.version;
  }
}

test('every subscriber sees a chain without a hole or a repeat, whatever happens', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 60 }),
      fc.constantFrom(1, 400, 1 << 20),
      async (steps, tailBytes) => {
        const rig = await FeedRig.started({ tailBytes, catchUpCacheBytes: tailBytes });
        const readers: Reader[] = [];
        for (const next of steps) {
          if (next.type === 'accept') rig.acceptTogether(next.count);
          else if (next.type === 'sync') rig.log.sync(next.batches);
          else if (next.type === 'settle') await settle();
          else if (next.type === 'fail') {
            rig.log.fail();
            await settle();
          } else if (next.type === 'subscribe') {
            const after = Math.max(0, rig.feed.acceptedVersion - next.back);
            const sink = new FakeSink();
            rig.subscribe({ after, durable: next.durable, sink });
            readers.push({ after, durable: next.durable, sink });
          } else {
            const sink = readers[next.subscriber]?.sink;
            if (sink === undefined) continue;
            if (next.type === 'pause') sink.paused = true;
            else sink.resume();
          }
        }
        for (const { sink } of readers) sink.resume();
        rig.log.sync();
        await until(() => [...rig.feed.subscribers].every((subscriber) => subscriber.live));

        const prevVersions = new Map<number, number>();
        let prev = 0;
        for (const { firstVersion, lastVersion } of rig.log.segments()) {
          for (let version = firstVersion; version <= lastVersion; version += 1) {
            prevVersions.set(version, prev);
            prev = version;
          }
        }
        for (const reader of readers) {
          checkReader(reader, prevVersions);
          if (reader.sink.state !== 'open') continue;
          const wanted = [...prevVersions.keys()].filter((version) => version > reader.after);
          assert.deepEqual(reader.sink.versions, wanted);
        }
        rig.stop();
      },
    ),
    { seed, numRuns: 300 },
  );
});
