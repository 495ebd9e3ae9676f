import type { ServerResponse } from 'node:http';
import type { Behaviour } from './behaviour.js';
import type { EventJson } from './event-json.js';
import type { Feed } from './feed.js';
import type { Limits } from './limits.js';
import type { LogRecord } from './record.js';
import type { SseText } from './sse-text.js';
import type { Timers } from './timers.js';

/** What a subscriber works with. */
export interface SubscriberParts {
  readonly behaviour: Behaviour;
  readonly limits: Limits;
  readonly feed: Feed;
  readonly timers: Timers;
  readonly eventJson: EventJson;
  readonly sse: SseText;
  readonly leaderId: () => string;
}

const PAGE = 16;
const SLOW_CHECKPOINT_MS = 30;

/** One open event stream: first what the log has after its position, page by page, then what happens. */
export class Subscriber {
  readonly #parts: SubscriberParts;
  readonly #behaviour: Behaviour;
  readonly #response: ServerResponse;
  readonly #durable: boolean;
  /** The version of the last transaction sent, or the one that the client named. */
  #position: bigint;
  #lastCheckpoint: bigint | undefined;
  #lastSentAt = performance.now();
  #closed = false;
  #held: LogRecord | undefined;
  #early: LogRecord[] | undefined;
  #transactions = 0;
  #transactionsSinceCheckpoint = 0;
  #keepalives = 0;

  constructor(parts: SubscriberParts, response: ServerResponse, after: bigint, durable: boolean) {
    this.#parts = parts;
    this.#behaviour = parts.behaviour;
    this.#response = response;
    this.#position = after;
    this.#durable = durable;
  }

  get durable(): boolean {
    return this.#durable;
  }

  async run(): Promise<void> {
    const { feed, timers, limits, sse } = this.#parts;
    feed.opened(this);
    const stopKeepalive = timers.every(limits.keepaliveMs / 3, () => this.#keepalive());
    this.#response.on('close', () => {
      this.#closed = true;
      stopKeepalive();
      feed.closed(this);
    });
    this.#response.flushHeaders();
    if (sse.start !== '') this.#response.write(sse.start);
    if (this.#behaviour.has('checkpoint-of-durable-before-catch-up') && !this.#durable)
      this.#sendCheckpoint(feed.durable);
    if (this.#behaviour.has('seam-repeats')) {
      this.#early = [];
      feed.join(this);
    }
    await this.#catchUp();
    if (this.#closed) return;
    if (this.#behaviour.has('seam-loses')) await timers.pause(3);
    for (const record of this.#early ?? []) this.#transaction(record);
    this.#early = undefined;
    // Nothing can happen between the last, empty page and this: both are in one turn of the event loop.
    feed.join(this);
    this.#checkpoint();
  }

  accepted(record: LogRecord): void {
    if (this.#sendsAccepted()) this.#live(record);
    if (this.#behaviour.has('checkpoint-of-accepted') && !this.#durable) this.#sendCheckpoint(record.version);
  }

  madeDurable(batch: readonly LogRecord[]): void {
    if (!this.#sendsAccepted()) for (const record of this.#batchAsSent(batch)) this.#live(record);
    this.#checkpoint();
  }

  /** Ends the stream in the orderly way. */
  end(): void {
    this.#response.end();
  }

  /** Breaks the connection. */
  destroy(): void {
    this.#response.destroy();
  }

  /** Resolves once the client has taken what was sent, or has gone. */
  drained(): Promise<void> {
    if (this.#closed || !this.#response.writableNeedDrain) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        this.#response.off('drain', done);
        this.#response.off('close', done);
        resolve();
      };
      this.#response.on('drain', done);
      this.#response.on('close', done);
    });
  }

  /** Whether transactions are sent as soon as they are accepted. */
  #sendsAccepted(): boolean {
    return this.#behaviour.pick(!this.#durable, {
      'durable-stream-sends-accepted': true,
      'accepted-sent-when-durable': false,
    });
  }

  async #catchUp(): Promise<void> {
    const { feed, timers } = this.#parts;
    const stopsAt = this.#behaviour.has('catch-up-stops-at-its-first-end') ? feed.durable : undefined;
    while (!this.#closed) {
      const page = feed.read(this.#position, PAGE, !this.#sendsAccepted());
      if (page === undefined) return this.destroy();
      const records = this.#pageAsSent(page);
      if (records.length === 0) return;
      for (const record of records) this.#transaction(record);
      if (stopsAt !== undefined && this.#position >= stopsAt) return;
      if (this.#behaviour.has('frequent-checkpoints')) this.#checkpoint();
      await this.drained();
      await timers.pause(0);
      if (page.length === PAGE && this.#behaviour.has('page-boundary-skips')) this.#position += 1n;
      if (page.length === PAGE && this.#behaviour.has('page-boundary-repeats')) this.#position -= 1n;
    }
  }

  #pageAsSent(page: readonly LogRecord[]): readonly LogRecord[] {
    return this.#behaviour.pick(() => page, {
      'pages-by-version-arithmetic': () =>
        page.filter(({ version }) => version <= this.#position + BigInt(PAGE)),
      'catch-up-shows-last-write-only': () => page.filter((record) => !isOverwritten(record, page)),
      'catch-up-from-memory-of-this-term': () =>
        page.filter(({ leaderId }) => leaderId === this.#parts.leaderId()),
      'empty-transactions-left-out-of-catch-up': () => page.filter(({ operations }) => operations.length > 0),
    })();
  }

  #batchAsSent(batch: readonly LogRecord[]): readonly LogRecord[] {
    return this.#behaviour.pick(batch, {
      'live-batch-in-reverse': batch.toReversed(),
      'live-batch-cut-to-4': batch.slice(0, 4),
    });
  }

  #live(record: LogRecord): void {
    if (this.#early !== undefined) {
      this.#early.push(record);
      return;
    }
    // A client may have asked for what is above a transaction that is not durable yet.
    if (record.version <= this.#position) return;
    if (this.#response.writableLength > this.#parts.limits.subscriberBufferBytes) {
      const way = this.#behaviour.pick<'close' | 'drop' | 'buffer'>('close', {
        'slow-reader-loses-events': 'drop',
        'slow-reader-never-closed': 'buffer',
        'commits-wait-for-slow-readers': 'buffer',
        'readers-wait-for-slow-readers': 'buffer',
      });
      if (way === 'close') this.destroy();
      if (way !== 'buffer') return;
    }
    const next = this.#behaviour.has('last-event-held-back') ? this.#held : record;
    this.#held = record;
    if (next !== undefined) this.#transaction(next);
  }

  #transaction(record: LogRecord): void {
    const { eventJson, sse } = this.#parts;
    this.#write(
      sse.event('transaction', eventJson.transaction(record, this.#position, this.#transactions === 0)),
    );
    this.#position = record.version;
    this.#transactions += 1;
    this.#transactionsSinceCheckpoint += 1;
  }

  /** A checkpoint never runs ahead of what this stream was sent. */
  #checkpoint(): void {
    const { feed } = this.#parts;
    const { durable } = feed;
    const reached = durable < this.#position ? durable : this.#position;
    const isDue = this.#behaviour.pick(reached !== this.#lastCheckpoint, {
      'checkpoint-after-each-8-transactions': this.#transactionsSinceCheckpoint >= 8,
      'checkpoints-never-sent': false,
      'frequent-checkpoints': true,
    });
    if (!isDue || (this.#durable && !this.#behaviour.has('checkpoints-on-durable-streams'))) return;
    const previous = this.#lastCheckpoint;
    this.#lastCheckpoint = reached;
    this.#transactionsSinceCheckpoint = 0;
    this.#sendCheckpoint(
      this.#behaviour.has('checkpoint-is-the-one-before') ? (previous ?? reached) : reached,
    );
    if (this.#behaviour.has('checkpoint-repeated-late'))
      this.#parts.timers.after(SLOW_CHECKPOINT_MS, () => this.#sendCheckpoint(reached));
  }

  #sendCheckpoint(version: bigint): void {
    const { eventJson, sse, leaderId } = this.#parts;
    this.#write(sse.event('checkpoint', eventJson.checkpoint(version, leaderId())));
  }

  #keepalive(): void {
    const { limits, sse } = this.#parts;
    const isSilent = performance.now() - this.#lastSentAt >= limits.keepaliveMs;
    const wanted = this.#behaviour.pick(isSilent, {
      'keepalive-never-sent': false,
      'keepalive-sent-once': isSilent && this.#keepalives === 0,
      'keepalive-after-the-first-event-only': isSilent && this.#transactions > 0,
      'keepalive-often': true,
    });
    if (!wanted) return;
    this.#keepalives += 1;
    this.#write(Buffer.from(sse.keepalive));
  }

  #write(bytes: Buffer): void {
    if (this.#closed) return;
    this.#lastSentAt = performance.now();
    if (!this.#behaviour.has('tiny-packets')) {
      this.#response.write(bytes);
      return;
    }
    const size = Math.max(3, Math.ceil(bytes.length / 40));
    for (let at = 0; at < bytes.length; at += size) this.#response.write(bytes.subarray(at, at + size));
  }
}

/** Whether every key that `record` writes is written again later in `page`. */
function isOverwritten(record: LogRecord, page: readonly LogRecord[]): boolean {
  const later = new Set(
    page
      .filter(({ version }) => version > record.version)
      .flatMap(({ operations }) =>
        operations.flatMap((one) => (one.type === 'range_delete' ? [] : [one.key])),
      ),
  );
  return (
    record.operations.length > 0 &&
    record.operations.every((one) => one.type !== 'range_delete' && later.has(one.key))
  );
}
