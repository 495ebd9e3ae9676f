import assert from 'node:assert/strict';
import type { Core } from '../../src/core/core.js';
import { Feed } from '../../src/feed/feed.js';
import { until } from '../support/leader-rig.js';
import { FakeSink } from '../support/sink.js';
import type { HeldLog } from './held-log.js';
import type { HistoricRecord, History } from './leader-history.js';

/** A connection that notes whether it was told of a version as durable before it was. */
class WatchedSink extends FakeSink {
  toldTooEarly = false;
  readonly #log: HeldLog;
  readonly #claims: RegExp;

  constructor(log: HeldLog, durable: boolean) {
    super();
    this.#log = log;
    this.#claims = durable ? /"version":(\d+)/g : /"committed_version":(\d+)/g;
  }

  override write(bytes: Uint8Array): void {
    super.write(bytes);
    for (const [, version] of Buffer.from(bytes).toString().matchAll(this.#claims)) {
      if (Number(version) > this.#log.durableVersion) this.toldTooEarly = true;
    }
  }
}

interface Stream {
  readonly after: number;
  readonly durable: boolean;
  readonly sink: WatchedSink;
}

/** The feed behind a leader, with subscribers that are never slow. */
export class WatchedFeed {
  readonly observer: Feed;
  readonly #log: HeldLog;
  readonly #streams: Stream[] = [];

  constructor(log: HeldLog, core: Core) {
    this.#log = log;
    this.observer = new Feed(
      log,
      core,
      {
        subscriberBufferBytes: 1 << 20,
        subscriberGraceMs: 1000,
        keepaliveMs: 1_000_000,
        maxSubscribers: 100,
        tailBytes: 400,
        catchUpCacheBytes: 400,
        nowMs: () => 0,
      },
      { subscriberClosed: () => undefined },
    );
  }

  subscribe(after: number | undefined, durable: boolean): void {
    if (this.observer.refusal(after) !== undefined) return;
    const sink = new WatchedSink(this.#log, durable);
    this.#streams.push({ after: after ?? this.observer.durableVersion, durable, sink });
    this.observer.subscribe(sink, { after, durable });
  }

  /** Once everything accepted is durable: streams that were not ended have been sent all of it. */
  async checkComplete(log: readonly HistoricRecord[]): Promise<void> {
    await until(() => [...this.observer.subscribers].every(({ live }) => live));
    for (const { after, sink } of this.#streams) {
      if (sink.state !== 'open') continue;
      const wanted = log.map(({ version }) => version).filter((version) => version > after);
      assert.deepEqual(sink.versions, wanted, 'a stream is not complete');
    }
  }

  /** Every stream is a run of what was accepted, without a hole or a repeat, and says nothing too early. */
  check({ terms, log }: History): void {
    const accepted = new Map(
      terms.flatMap((term) => term.accepted.map((record) => [record.version, record] as const)),
    );
    const durable = new Set(log.map(({ version }) => version));
    for (const stream of this.#streams) checkStream(stream, accepted, durable);
  }

  stop(): void {
    this.observer.stop();
  }
}

function checkStream(
  { after, durable, sink }: Stream,
  accepted: ReadonlyMap<number, HistoricRecord>,
  log: ReadonlySet<number>,
): void {
  assert.equal(sink.toldTooEarly, false, 'a stream told of a durable version that was none');
  let position = after;
  for (const { event, data } of sink.events) {
    if (event === 'checkpoint') {
      assert.equal(durable, false);
      assert.ok(data.committed_version <= position, 'a checkpoint ahead of its stream');
      continue;
    }
    assert.ok(data.version > position, 'a repeat');
    if (position === after) assert.ok(data.prev_version <= after, 'a hole at the start');
    else assert.equal(data.prev_version, position, 'a broken chain');
    const record = accepted.get(data.version);
    assert.deepEqual([data.prev_version, data.leader_id], [record?.prevVersion, record?.leaderId]);
    if (durable) assert.ok(log.has(data.version), 'an event that is not in the log');
    position = data.version;
  }
}
