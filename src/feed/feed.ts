import type { Core } from '../core/core.js';
import type { RecordBatch } from '../core/record-batch.js';
import type { Log } from '../log/log.js';
import { BlockCache } from './block-cache.js';
import { type CloseReason, type EventSink, type FeedView, Subscriber } from './subscriber.js';
import { Tail } from './tail.js';

export interface FeedOptions {
  /** What may wait for a subscriber that has been live, in bytes (specification 6.4.4). */
  readonly subscriberBufferBytes: number;
  /** How long more than that may wait before the subscriber is cut off, milliseconds. */
  readonly subscriberGraceMs: number;
  /** Longest silence on a stream, milliseconds. */
  readonly keepaliveMs: number;
  readonly maxSubscribers: number;
  /** Memory for the newest transactions, bytes. */
  readonly tailBytes: number;
  /** Memory for blocks that several catching-up subscribers share, bytes. */
  readonly catchUpCacheBytes: number;
  /** Milliseconds of any clock that does not go back. */
  readonly nowMs?: () => number;
}

export interface FeedObserver {
  subscriberClosed(reason: CloseReason, durable: boolean): void;
}

export type SubscribeRefusal =
  | { readonly kind: 'truncated'; readonly truncatedThrough: number }
  | { readonly kind: 'version-ahead-of-log'; readonly acceptedVersion: number }
  | { readonly kind: 'too-many-subscribers' }
  | { readonly kind: 'stopped' };

const TICK_MS_MAX = 1000;

/** One subscription, held by the connection that it serves. */
export interface Subscription {
  /** The client has gone. */
  left(): void;
}

/** Streams the log to subscribers (specification 4.4 and 6). */
export class Feed implements FeedView {
  readonly tail: Tail;
  readonly blocks: BlockCache;
  readonly #log: Log;
  readonly #options: FeedOptions;
  readonly #observer: FeedObserver;
  readonly #subscribers = new Set<Subscriber>();
  #durableVersion = 0;
  #acceptedVersion = 0;
  #leaderId = '';
  #stopped = false;
  readonly #keepaliveTimer: NodeJS.Timeout;

  constructor(log: Log, core: Core, options: FeedOptions, observer: FeedObserver) {
    this.#log = log;
    this.#options = options;
    this.#observer = observer;
    this.tail = new Tail(core, options.tailBytes);
    this.blocks = new BlockCache(log, core, options.catchUpCacheBytes);
    // Silence ends between the interval less one tick and the interval.
    const tickMs = Math.max(1, Math.min(TICK_MS_MAX, Math.floor(options.keepaliveMs / 4)));
    this.#keepaliveTimer = setInterval(() => {
      for (const subscriber of this.#subscribers) subscriber.tick(options.keepaliveMs - tickMs);
    }, tickMs);
    this.#keepaliveTimer.unref();
  }

  get durableVersion(): number {
    return this.#durableVersion;
  }

  get acceptedVersion(): number {
    return this.#acceptedVersion;
  }

  get leaderId(): string {
    return this.#leaderId;
  }

  get bufferBytesMax(): number {
    return this.#options.subscriberBufferBytes;
  }

  get graceMs(): number {
    return this.#options.subscriberGraceMs;
  }

  get subscribers(): ReadonlySet<Subscriber> {
    return this.#subscribers;
  }

  nowMs(): number {
    return this.#options.nowMs?.() ?? performance.now();
  }

  /** Why a subscription after this version cannot be served; undefined when it can. */
  refusal(after: number | undefined): SubscribeRefusal | undefined {
    const { truncatedThrough } = this.#log;
    if (this.#stopped) return { kind: 'stopped' };
    if (this.#subscribers.size >= this.#options.maxSubscribers) return { kind: 'too-many-subscribers' };
    if (after === undefined) return undefined;
    if (after < truncatedThrough) return { kind: 'truncated', truncatedThrough };
    if (after > this.#acceptedVersion) {
      return { kind: 'version-ahead-of-log', acceptedVersion: this.#acceptedVersion };
    }
    return undefined;
  }

  /**
   * Starts streaming; `refusal` must have found nothing in the same turn of the event loop.
   * @param options.after the latest durable version if absent.
   */
  subscribe(sink: EventSink, options: { after: number | undefined; durable: boolean }): Subscription {
    const after = options.after ?? this.#durableVersion;
    const subscriber = new Subscriber(this, sink, { after, durable: options.durable });
    this.#subscribers.add(subscriber);
    void subscriber.start();
    return { left: () => subscriber.close({ kind: 'left' }) };
  }

  /** Ends all streams and takes no more subscribers. */
  stop(): void {
    this.#stopped = true;
    clearInterval(this.#keepaliveTimer);
    for (const subscriber of [...this.#subscribers]) subscriber.close({ kind: 'ended' });
  }

  termStarted(leaderId: string, durableVersion: number): void {
    this.#leaderId = leaderId;
    this.#durableVersion = durableVersion;
    this.#acceptedVersion = durableVersion;
    this.tail.restart(durableVersion);
  }

  accepted(batch: RecordBatch, leaderId: string): void {
    this.tail.append(batch, leaderId);
    this.#acceptedVersion = batch.lastVersion;
    this.#advance(false, batch.bytes.length);
  }

  durable(version: number): void {
    const bytes = this.tail.recordBytes(this.#durableVersion, version);
    this.#durableVersion = version;
    this.#advance(true, bytes);
    // Readers of undurable transactions are sent the checkpoint.
    this.#advance(false, 0);
    this.tail.durable(version);
  }

  /** Whoever may have been sent, or has asked for what follows, a version that is lost now must start over. */
  termEnded(): void {
    this.#acceptedVersion = this.#durableVersion;
    for (const subscriber of [...this.#subscribers]) {
      const follows = subscriber.durable && subscriber.position <= this.#durableVersion;
      if (!follows) subscriber.close({ kind: 'ended' });
    }
  }

  truncated(): void {
    this.blocks.clear();
  }

  closed(subscriber: Subscriber, reason: CloseReason): void {
    this.#subscribers.delete(subscriber);
    this.#observer.subscriberClosed(reason, subscriber.durable);
  }

  #advance(durable: boolean, bytes: number): void {
    for (const subscriber of this.#subscribers) {
      if (subscriber.durable === durable) subscriber.advance(bytes);
    }
  }
}
