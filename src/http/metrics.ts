import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Decider } from '../core/decider.js';
import type { Feed } from '../feed/feed.js';
import type { CloseReason, Subscriber } from '../feed/subscriber.js';
import type { CommitOutcome } from '../leader/commit.js';
import type { Leader } from '../leader/leader.js';
import type { Log } from '../log/log.js';
import type { RetentionPolicies } from '../retention/policies.js';
import type { BodyBudget } from './body-budget.js';

/** What the gauges are read from at each scrape. */
export interface MetricSources {
  readonly log: Log;
  readonly leader: Leader;
  readonly decider: Decider;
  readonly feed: Feed;
  readonly policies: RetentionPolicies;
  readonly bodies: BodyBudget;
}

/** From 50 microseconds to 10 seconds. */
const SECONDS_BUCKETS = [
  0.00005, 0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
];
const COUNT_BUCKETS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000];

const OUTCOME_LABELS: Readonly<Record<CommitOutcome['kind'], { readonly outcome: string }>> = {
  committed: { outcome: 'committed' },
  'not-committed': { outcome: 'not-committed' },
  refused: { outcome: 'refused' },
};

/** Everything on the `/metrics` page: what is counted as it happens, and what is read at each scrape. */
export class HttpMetrics {
  readonly registry = new Registry();
  readonly #commitSeconds = new Histogram({
    name: 'headwater_commit_seconds',
    help: 'Time from a commit request to its answer, by outcome (committed, not-committed, refused)',
    labelNames: ['outcome'],
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  readonly #commits = new Counter({
    name: 'headwater_commits_total',
    help: 'Commits that the leader answered, by outcome: committed, not-committed, or why it was refused',
    labelNames: ['outcome'],
    registers: [this.registry],
  });
  readonly #problems = new Counter({
    name: 'headwater_problems_total',
    help: 'Error answers over HTTP, by kind',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  readonly #batchRecords = new Histogram({
    name: 'headwater_log_batch_records',
    help: 'Transactions per write and sync of the log',
    buckets: COUNT_BUCKETS,
    registers: [this.registry],
  });
  readonly #batchBytes = new Counter({
    name: 'headwater_log_written_bytes_total',
    help: 'Bytes of records written to the log',
    registers: [this.registry],
  });
  readonly #syncSeconds = new Histogram({
    name: 'headwater_log_sync_seconds',
    help: 'Time of one write and sync of the log',
    buckets: SECONDS_BUCKETS,
    registers: [this.registry],
  });
  readonly #terms = new Counter({
    name: 'headwater_terms_total',
    help: 'Terms started by this process',
    registers: [this.registry],
  });
  readonly #truncatedSegments = new Counter({
    name: 'headwater_truncated_segments_total',
    help: 'Segments removed by truncation',
    registers: [this.registry],
  });
  readonly #subscribersClosed = new Counter({
    name: 'headwater_subscribers_closed_total',
    help: 'Streams that ended, by reason: left, lagging (over the buffer bound), ended, unreadable',
    labelNames: ['reason', 'durable'],
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** From a commit request to its answer. */
  commitTook(outcome: CommitOutcome['kind'], milliseconds: number): void {
    this.#commitSeconds.observe(OUTCOME_LABELS[outcome], milliseconds / 1000);
  }

  committed(outcome: CommitOutcome): void {
    this.#commits.inc({ outcome: outcome.kind === 'refused' ? outcome.refusal.kind : outcome.kind });
  }

  problem(kind: string): void {
    this.#problems.inc({ kind });
  }

  synced(records: number, bytes: number, seconds: number): void {
    this.#batchRecords.observe(records);
    this.#batchBytes.inc(bytes);
    this.#syncSeconds.observe(seconds);
  }

  termStarted(): void {
    this.#terms.inc();
  }

  truncated(segments: number): void {
    this.#truncatedSegments.inc(segments);
  }

  subscriberClosed(reason: CloseReason, durable: boolean): void {
    this.#subscribersClosed.inc({ reason: reason.kind, durable: String(durable) });
  }

  /** Adds the gauges; called once, when there is something to read them from. */
  readFrom({ log, leader, decider, feed, policies, bodies }: MetricSources): void {
    const gauge = (name: string, help: string, read: () => number) =>
      new Gauge({
        name: `headwater_${name}`,
        help,
        registers: [this.registry],
        collect() {
          this.set(read());
        },
      });
    gauge('available', '1 while commits are taken', () => Number(leader.available));
    gauge('accepted_version', 'Highest version accepted', () => leader.acceptedVersion);
    gauge('durable_version', 'Highest version on stable storage', () => leader.latest?.version ?? 0);
    gauge('truncated_through_version', 'Highest version truncated away', () => log.truncatedThrough);
    gauge(
      'oldest_version',
      'First version of the oldest segment',
      () => log.segments()[0]?.firstVersion ?? 0,
    );
    gauge('log_segments', 'Segments of the log', () => log.segments().length);
    gauge('log_bytes', 'Bytes of headers and records in the log', () =>
      log.segments().reduce((sum, segment) => sum + segment.bytes, 0),
    );
    gauge('receiving_bytes', 'Bytes of commit requests that are being received', () => bodies.bytes);
    gauge('in_flight_commits', 'Commits without an answer', () => leader.inFlightCount);
    gauge('in_flight_bytes', 'Packed bytes of the commits without an answer', () => leader.inFlightBytes);
    gauge('fences', 'Request IDs fenced by status lookups in this term', () => leader.fenceCount);
    gauge('request_id_window_bytes', 'Memory of the recent request IDs', () => leader.recentIdBytes);
    gauge('conflict_set_entries', 'Entries of the conflict set', () => decider.entries);
    gauge('conflict_set_bytes', 'Memory of the conflict set', () => decider.bytes);
    gauge('conflict_set_floor_version', 'Reads below this version are refused', () => decider.floor);
    gauge('retention_policies', 'Retention policies', () => policies.count);
    gauge('retention_hold_version', 'Lowest version held by a policy; 0 without policies', () =>
      Number.isFinite(policies.lowestHold) ? policies.lowestHold : 0,
    );
    gauge('feed_tail_bytes', 'Memory of the newest transactions and their events', () => feed.tail.bytes);
    gauge('feed_cache_bytes', 'Memory of blocks shared by catching-up subscribers', () => feed.blocks.bytes);
    this.#subscriberGauges(feed);
  }

  #subscriberGauges(feed: Feed): void {
    const byKind = (
      name: string,
      help: string,
      read: (group: readonly Subscriber[], head: number) => number,
    ) =>
      new Gauge({
        name: `headwater_${name}`,
        help,
        labelNames: ['durable'],
        registers: [this.registry],
        collect() {
          for (const durable of [true, false]) {
            const group = [...feed.subscribers].filter((subscriber) => subscriber.durable === durable);
            this.set(
              { durable: String(durable) },
              read(group, durable ? feed.durableVersion : feed.acceptedVersion),
            );
          }
        },
      });
    byKind('subscribers', 'Open streams', (group) => group.length);
    byKind('subscribers_catching_up', 'Open streams that have not reached the head of the log yet', (group) =>
      group.reduce((count, subscriber) => count + Number(!subscriber.live), 0),
    );
    byKind(
      'subscriber_lag_versions_max',
      'Versions that the slowest stream has not been sent',
      (group, head) => group.reduce((lag, subscriber) => Math.max(lag, head - subscriber.position), 0),
    );
    byKind('subscriber_unsent_bytes_max', 'Unsent bytes of the stream with the most', (group) =>
      group.reduce((most, subscriber) => Math.max(most, subscriber.unsentBytes), 0),
    );
  }
}
