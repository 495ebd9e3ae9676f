import type { IncomingMessage, ServerResponse } from 'node:http';
import { Answers } from './answers.js';
import type { Behaviour } from './behaviour.js';
import { CommitBodyReader } from './commit-body.js';
import { CommitRoute } from './commit-route.js';
import type { Disk } from './disk.js';
import { EventJson } from './event-json.js';
import { Feed } from './feed.js';
import { GroupCommit } from './group-commit.js';
import { type KeyOrder, keyOrder } from './key-order.js';
import type { KeySpace } from './key-space.js';
import { Leader } from './leader.js';
import type { Limits } from './limits.js';
import { Metrics } from './metrics.js';
import type { LogRecord } from './record.js';
import { recover } from './recovery.js';
import { RequestIds } from './request-ids.js';
import { Retention } from './retention.js';
import { RetentionRoute } from './retention-route.js';
import { Routes } from './routes.js';
import { SseText } from './sse-text.js';
import { StatusLookup } from './status-lookup.js';
import { SubscribeRoute } from './subscribe-route.js';
import { Timers } from './timers.js';
import { Truncation } from './truncation.js';
import { VersionRoute } from './version-route.js';

const SNAPSHOT_MS = 50;
const SYNC_MS = 1000;
const LEADER_MS = 2000;
const STREAMS_MS = 150;
const KEPT_ON_DEMAND = 1;

/** One life of the server process: everything in it is lost when it is killed, but for the disk. */
export class Instance {
  readonly #behaviour: Behaviour;
  readonly #limits: Limits;
  readonly #disk: Disk;
  readonly #timers = new Timers();
  readonly #order: KeyOrder;
  readonly #keys: KeySpace;
  readonly #requestIds: RequestIds;
  readonly #groupCommit: GroupCommit;
  readonly #feed: Feed;
  readonly #truncation: Truncation;
  readonly #routes: Routes;
  #leader: Leader;
  #killed = false;

  constructor(disk: Disk, behaviour: Behaviour, limits: Limits) {
    recover(disk, behaviour);
    this.#behaviour = behaviour;
    this.#limits = limits;
    this.#disk = disk;
    this.#order = keyOrder(behaviour);
    this.#keys = disk.base.copy();
    for (const { operations } of disk.records) for (const one of operations) this.#keys.apply(one);
    this.#requestIds = new RequestIds(behaviour, disk.records);
    this.#feed = new Feed(behaviour, disk, () => this.#groupCommit.pending);
    this.#groupCommit = new GroupCommit(behaviour, limits, disk, this.#timers, (batch) =>
      this.#onDurable(batch),
    );
    this.#truncation = new Truncation(behaviour, disk, this.#requestIds);
    this.#leader = this.#newLeader();
    this.#routes = this.#newRoutes();
    this.#startClockwork();
  }

  handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    return this.#routes.handle(request, response);
  }

  /** Truncates what may be truncated. */
  truncate(): void {
    this.#truncation.run(KEPT_ON_DEMAND);
  }

  kill(): void {
    this.#killed = true;
    this.#timers.stop();
  }

  #onDurable(batch: readonly LogRecord[]): Promise<void> | undefined {
    for (const record of batch) this.#requestIds.committed(record);
    return this.#feed.madeDurable(batch);
  }

  #newLeader(): Leader {
    return new Leader({
      behaviour: this.#behaviour,
      order: this.#order,
      disk: this.#disk,
      timers: this.#timers,
      groupCommit: this.#groupCommit,
      requestIds: this.#requestIds,
      feed: this.#feed,
      keys: this.#keys,
    });
  }

  #newRoutes(): Routes {
    const behaviour = this.#behaviour;
    const limits = this.#limits;
    const disk = this.#disk;
    const timers = this.#timers;
    const leader = (): Leader => this.#leader;
    const leaderId = (): string => this.#leader.id;
    const answers = new Answers(behaviour, timers);
    const version = new VersionRoute(behaviour, disk, leader);
    timers.every(SNAPSHOT_MS, () => version.renewSnapshot());
    const eventJson = new EventJson(behaviour, leaderId);
    const sse = new SseText(behaviour);
    const streams = { behaviour, limits, feed: this.#feed, timers, eventJson, sse, leaderId };
    return new Routes({
      behaviour,
      limits,
      disk,
      leader,
      answers,
      version,
      commit: new CommitRoute(behaviour, new CommitBodyReader(behaviour, limits), leader),
      status: new StatusLookup(behaviour, disk, this.#requestIds, timers, leaderId),
      subscribe: new SubscribeRoute(streams, disk, leader, () => version.snapshot),
      retention: new RetentionRoute(behaviour, new Retention(behaviour, disk, timers), answers),
      metrics: new Metrics(behaviour),
      isKilled: () => this.#killed,
    });
  }

  /** Everything that happens by itself. */
  #startClockwork(): void {
    const { truncationKeeps, truncationEveryMs } = this.#limits;
    if (truncationKeeps !== undefined)
      this.#timers.every(truncationEveryMs, () => this.#truncation.run(truncationKeeps));
    this.#timers.every(SYNC_MS, () => {
      this.#disk.syncedThrough = this.#disk.durable;
    });
    if (this.#behaviour.has('leader-changes')) this.#timers.every(LEADER_MS, () => this.#changeLeader());
    if (this.#behaviour.has('streams-closed-now-and-then'))
      this.#timers.every(STREAMS_MS, () => this.#closeSomeStreams());
  }

  /** A new leader takes over once all that the old one accepted is durable. */
  #changeLeader(): void {
    this.#groupCommit.flush();
    this.#leader = this.#newLeader();
    for (const subscriber of this.#feed.subscribers) if (!subscriber.durable) subscriber.destroy();
  }

  #closeSomeStreams(): void {
    for (const subscriber of this.#feed.subscribers) {
      const chance = Math.random();
      if (chance < 0.05) subscriber.end();
      else if (chance < 0.1) subscriber.destroy();
    }
  }
}
