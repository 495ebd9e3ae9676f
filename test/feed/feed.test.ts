import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FeedRig } from '../support/feed-rig.js';
import { settle, until } from '../support/leader-rig.js';
import { FakeSink } from '../support/sink.js';

describe('durable subscribers', () => {
  test('get the events of the specification, framed exactly', async () => {
    const rig = await FeedRig.started();
    const sink = rig.subscribe({ after: 0 });
    await settle();
    rig.leader.submit({ id: 'the-one-id-of-this-test', writes: ['key'] });
    rig.log.sync();
    const data =
      '{"request_id":"the-one-id-of-this-test","version":1,"prev_version":0,"timestamp":"1970-01-01T00:16:40.000Z",' +
      '"leader_id":"leader-1","operations":[{"type":"write","key":"a2V5","value":"dmFsdWU="}]}';
    assert.equal(sink.text, `event: transaction\ndata: ${data}\n\n`);
    rig.stop();
  });

  test('are sent nothing before it is durable, and no checkpoints', async () => {
    const rig = await FeedRig.started();
    const sink = rig.subscribe({ after: 0 });
    await settle();
    rig.accept(3);
    assert.equal(sink.text, '');
    rig.log.sync(2);
    assert.deepEqual(sink.versions, [1, 2]);
    rig.log.sync();
    assert.deepEqual(sink.versions, [1, 2, 3]);
    assert.deepEqual(sink.checkpoints, []);
    rig.stop();
  });

  test('start at the latest durable version when they do not say', async () => {
    const rig = await FeedRig.started();
    rig.commit(2);
    rig.accept(1);
    const sink = rig.subscribe();
    await settle();
    rig.log.sync();
    assert.deepEqual(sink.versions, [3]);
    rig.stop();
  });

  test('catch up from the log, then from memory, then live', async () => {
    const rig = await FeedRig.started({ tailBytes: 300 });
    rig.commit(20);
    assert.equal(rig.feed.tail.holdsAllAbove(5), false);
    const sink = rig.subscribe({ after: 5 });
    await until(() => sink.versions.length === 15);
    rig.commit(2);
    await until(() => sink.versions.length === 17);
    assert.deepEqual(
      sink.versions,
      Array.from({ length: 17 }, (_, index) => index + 6),
    );
    rig.stop();
  });
});

describe('undurable subscribers', () => {
  test('are sent accepted transactions at once, and checkpoints when they become durable', async () => {
    const rig = await FeedRig.started();
    const sink = rig.subscribe({ after: 0, durable: false });
    await settle();
    rig.accept(2);
    assert.deepEqual(sink.versions, [1, 2]);
    assert.deepEqual(sink.checkpoints, [0]);
    rig.log.sync();
    assert.deepEqual(sink.checkpoints, [0, 2]);
    assert.deepEqual(
      sink.events.map(({ event }) => event),
      ['checkpoint', 'transaction', 'transaction', 'checkpoint'],
    );
    rig.stop();
  });

  test('get a checkpoint at once that is not ahead of what they have', async () => {
    const rig = await FeedRig.started();
    rig.commit(4);
    const sink = rig.subscribe({ after: 1, durable: false });
    assert.equal(sink.checkpoints[0], 1);
    await settle();
    let position = 1;
    for (const { event, data } of sink.events) {
      if (event === 'transaction') position = data.version;
      else assert.ok(data.committed_version <= position);
    }
    assert.equal(sink.checkpoints.at(-1), 4);
    rig.stop();
  });

  test('are ended when the term ends, while durable ones stay', async () => {
    const rig = await FeedRig.started();
    const durable = rig.subscribe({ after: 0 });
    const undurable = rig.subscribe({ after: 0, durable: false });
    await settle();
    rig.accept(1);
    rig.log.fail();
    await settle();
    assert.equal(undurable.state, 'ended');
    assert.equal(durable.state, 'open');
    rig.commit(1);
    assert.deepEqual(durable.versions, [10_001]);
    assert.deepEqual(durable.events[0]?.data.prev_version, 0);
    rig.stop();
  });
});

describe('memory', () => {
  test('of the newest transactions stays in its bound, events included', async () => {
    const rig = await FeedRig.started({ tailBytes: 5000 });
    const sink = rig.subscribe({ after: 0 });
    await settle();
    rig.commit(200);
    assert.equal(sink.versions.length, 200);
    assert.ok(rig.feed.tail.bytes <= 5000, `${rig.feed.tail.bytes} bytes`);
    const late = rig.subscribe({ after: 180 });
    await until(() => late.versions.length === 20);
    assert.ok(rig.feed.tail.bytes <= 5000, `${rig.feed.tail.bytes} bytes after a catch-up`);
    rig.stop();
  });
});

describe('refusals', () => {
  test('above what is accepted, below what is held, beyond the bound', async () => {
    const rig = await FeedRig.started({ maxSubscribers: 1 });
    rig.commit(4);
    rig.accept(1);
    await rig.log.truncate(2);
    assert.equal(rig.feed.refusal(undefined), undefined);
    assert.equal(rig.feed.refusal(5), undefined);
    assert.deepEqual(rig.feed.refusal(6), { kind: 'version-ahead-of-log', acceptedVersion: 5 });
    assert.equal(rig.feed.refusal(2), undefined);
    assert.deepEqual(rig.feed.refusal(1), { kind: 'truncated', truncatedThrough: 2 });
    rig.subscribe({ after: 4 });
    assert.deepEqual(rig.feed.refusal(5), { kind: 'too-many-subscribers' });
    rig.stop();
  });
});

describe('slow readers', () => {
  test('are cut off once more than the bound has waited for longer than the grace', async () => {
    const rig = await FeedRig.started({ subscriberBufferBytes: 1000 });
    const slow = rig.subscribe({ after: 0 });
    const quick = rig.subscribe({ after: 0 });
    await settle();
    slow.paused = true;
    rig.commit(10);
    rig.nowMs += 999;
    rig.commit(1);
    assert.equal(slow.state, 'open');
    rig.nowMs += 1;
    rig.commit(1);
    assert.equal(slow.state, 'destroyed');
    assert.deepEqual(rig.closed, ['lagging']);
    assert.equal(quick.versions.length, 12);
    rig.stop();
  });

  test('are cut off also when nothing more is committed', async () => {
    const rig = await FeedRig.started({ subscriberBufferBytes: 1000 });
    const slow = rig.subscribe({ after: 0, durable: false });
    await settle();
    slow.paused = true;
    rig.commit(100);
    rig.nowMs += 1000;
    for (const subscriber of rig.feed.subscribers) subscriber.tick(1_000_000);
    assert.equal(slow.state, 'destroyed');
    rig.stop();
  });

  test('have no more than the bound, and one batch, buffered', async () => {
    const rig = await FeedRig.started({ subscriberBufferBytes: 1000 });
    const slow = rig.subscribe({ after: 0 });
    await settle();
    slow.paused = true;
    rig.commit(100);
    await settle();
    assert.ok(slow.unsentBytes < 1500, `${slow.unsentBytes} bytes`);
    rig.stop();
  });

  test('that take a burst in time miss nothing of it and go on', async () => {
    const rig = await FeedRig.started({ subscriberBufferBytes: 1000, tailBytes: 1000 });
    for (const durable of [true, false]) {
      const sink = rig.subscribe({ after: rig.feed.durableVersion, durable });
      await settle();
      sink.paused = true;
      const from = rig.feed.durableVersion;
      rig.commit(200);
      rig.nowMs += 999;
      while (sink.versions.length < 200) {
        sink.resume();
        await settle();
      }
      rig.nowMs += 5000;
      rig.commit(1);
      assert.equal(sink.state, 'open');
      assert.deepEqual(
        sink.versions,
        Array.from({ length: 201 }, (_, index) => from + index + 1),
      );
    }
    rig.stop();
  });

  test('are not cut off while they catch up, however slowly', async () => {
    const rig = await FeedRig.started({ subscriberBufferBytes: 1000, tailBytes: 1 });
    rig.commit(3000);
    const sink = new FakeSink();
    sink.paused = true;
    rig.subscribe({ after: 0, sink });
    await settle();
    assert.ok(sink.versions.length < 3000, 'no more than a bounded part is queued');
    while (sink.versions.length < 3000) {
      sink.resume();
      await settle();
      assert.equal(sink.state, 'open');
    }
    rig.stop();
  });
});

describe('other ends', () => {
  test('a catch-up that truncation overtakes is cut', async () => {
    const rig = await FeedRig.started({ tailBytes: 1, catchUpCacheBytes: 0 });
    rig.commit(3000);
    const sink = new FakeSink();
    sink.paused = true;
    rig.subscribe({ after: 0, sink });
    await settle();
    await rig.log.truncate(2990);
    rig.feed.truncated();
    sink.resume();
    await settle();
    assert.equal(sink.state, 'destroyed');
    assert.deepEqual(rig.closed, ['unreadable']);
    rig.stop();
  });

  test('a client that left is forgotten', async () => {
    const rig = await FeedRig.started();
    const sink = new FakeSink();
    const subscription = rig.feed.subscribe(sink, { after: 0, durable: true });
    await settle();
    subscription.left();
    rig.commit(1);
    assert.equal(rig.feed.subscribers.size, 0);
    assert.equal(sink.text, '');
    rig.stop();
  });

  test('a stop ends every stream', async () => {
    const rig = await FeedRig.started();
    const sink = rig.subscribe({ after: 0 });
    rig.stop();
    assert.equal(sink.state, 'ended');
    assert.deepEqual(rig.feed.refusal(0), { kind: 'stopped' });
  });
});

describe('sharing', () => {
  test('one encoding serves all live subscribers of both kinds', async () => {
    const rig = await FeedRig.started();
    const written: Uint8Array[] = [];
    for (const durable of [true, true, false, false]) {
      const sink = new FakeSink();
      sink.write = (bytes) => {
        if (Buffer.from(bytes).includes('transaction')) written.push(bytes);
      };
      rig.subscribe({ after: 0, durable, sink });
    }
    await settle();
    rig.commit(1);
    assert.equal(written.length, 4);
    assert.equal(new Set(written).size, 1);
    rig.stop();
  });

  test('subscribers that catch up at once share reads', async () => {
    const rig = await FeedRig.started({ tailBytes: 1 });
    rig.commit(50);
    let reads = 0;
    const read = rig.log.read.bind(rig.log);
    rig.log.read = (after) => {
      reads += 1;
      return read(after);
    };
    const sinks = Array.from({ length: 20 }, () => rig.subscribe({ after: 0 }));
    await until(() => sinks.every((sink) => sink.versions.length === 50));
    assert.ok(reads <= 50, `${reads} reads for 50 blocks`);
    rig.stop();
  });
});

describe('keepalives', () => {
  test('are comments, sent after silence, not into an unread buffer', async () => {
    const rig = await FeedRig.started({ keepaliveMs: 40 });
    const silent = rig.subscribe({ after: 0 });
    const blocked = rig.subscribe({ after: 0 });
    await settle();
    blocked.paused = true;
    blocked.unsentBytes = 1;
    const [silentSubscriber, blockedSubscriber] = [...rig.feed.subscribers];
    silentSubscriber?.tick(1000);
    assert.equal(silent.text, '');
    rig.nowMs += 1000;
    silentSubscriber?.tick(1000);
    blockedSubscriber?.tick(1000);
    assert.equal(silent.text, ': keepalive\n\n');
    assert.equal(blocked.text, '');
    rig.stop();
  });
});
