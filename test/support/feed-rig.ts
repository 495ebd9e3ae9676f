import { Core } from '../../src/core/core.js';
import { Feed, type FeedOptions } from '../../src/feed/feed.js';
import type { CloseReason } from '../../src/feed/subscriber.js';
import { LeaderRig } from './leader-rig.js';
import { MemoryLog } from './memory-log.js';
import { FakeSink } from './sink.js';

/** A feed behind a leader on a log in memory. */
export class FeedRig {
  readonly log = new MemoryLog();
  readonly feed: Feed;
  readonly leader: LeaderRig;
  readonly closed: CloseReason['kind'][] = [];
  nowMs = 0;

  constructor(options: Partial<FeedOptions> = {}) {
    this.feed = new Feed(
      this.log,
      Core.load(),
      {
        subscriberBufferBytes: 1 << 20,
        subscriberGraceMs: 1000,
        keepaliveMs: 1_000_000,
        maxSubscribers: 100,
        tailBytes: 1 << 20,
        catchUpCacheBytes: 1 << 20,
        nowMs: () => this.nowMs,
        ...options,
      },
      { subscriberClosed: (reason) => this.closed.push(reason.kind) },
    );
    this.leader = new LeaderRig({ maxInFlight: 10_000 }, this.log, this.feed);
  }

  static async started(options: Partial<FeedOptions> = {}): Promise<FeedRig> {
    const rig = new FeedRig(options);
    await rig.leader.leader.start();
    return rig;
  }

  /** Accepts transactions, one batch each, without making them durable. */
  accept(count: number): void {
    for (let left = count; left > 0; left -= 1) this.leader.submit({ writes: ['key'] });
  }

  /** Accepts transactions in one batch, without making them durable. */
  acceptTogether(count: number): void {
    this.leader.submit(...Array.from({ length: count }, () => ({ writes: ['key'] })));
  }

  commit(count: number): void {
    this.accept(count);
    this.log.sync();
  }

  subscribe(options: { after?: number; durable?: boolean; sink?: FakeSink } = {}): FakeSink {
    const sink = options.sink ?? new FakeSink();
    this.feed.subscribe(sink, { after: options.after, durable: options.durable ?? true });
    return sink;
  }

  stop(): void {
    this.feed.stop();
  }
}
