import type { BlockCache } from './block-cache.js';
import { type EncodedEvents, encodeCheckpoint, eventsBetween, KEEPALIVE } from './event-codec.js';
import type { Tail } from './tail.js';

/** The connection of a subscriber, as the feed sees it. */
export interface EventSink {
  /** Queues bytes to be sent, in order. */
  write(bytes: Uint8Array): void;
  /** Bytes queued and not yet taken by the operating system. */
  readonly unsentBytes: number;
  /** Calls back once, when nothing is unsent any more or the connection is gone. */
  onceDrained(callback: () => void): void;
  /** Ends the stream in order, behind what is queued. */
  end(): void;
  /** Cuts the connection at once. */
  destroy(): void;
}

/** What a subscriber needs to see of the feed. */
export interface FeedView {
  readonly tail: Tail;
  readonly blocks: BlockCache;
  readonly durableVersion: number;
  readonly acceptedVersion: number;
  readonly leaderId: string;
  readonly bufferBytesMax: number;
  readonly graceMs: number;
  nowMs(): number;
  /** Called once, when the subscriber has been closed. */
  closed(subscriber: Subscriber, reason: CloseReason): void;
}

export type CloseReason =
  /** The client left, or the connection broke. */
  | { readonly kind: 'left' }
  /** More waited for it than the bound allows, for too long. */
  | { readonly kind: 'lagging'; readonly waitingBytes: number }
  /** The term of what it was sent has ended, or the server stops. */
  | { readonly kind: 'ended' }
  /** The log could not be read: truncated under the reader, or damaged. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** A subscriber that has not been live yet is sent no more while this much is unsent. */
const CATCH_UP_UNSENT_BYTES_MAX = 256 * 1024;

/**
 * One reader of the log. It catches up at its own pace, from segments and then from memory, and goes live in the
 * same turn of the event loop in which it has nothing left to catch up with; from then on events are pushed.
 *
 * A live reader that takes less than comes falls behind: what does not fit into its buffer is not pushed, but
 * fetched when there is room. So no more than the bound is ever buffered; but if more than the bound has
 * waited, buffered or not, for longer than the grace, the reader is cut off.
 */
export class Subscriber {
  readonly durable: boolean;
  readonly #feed: FeedView;
  readonly #sink: EventSink;
  /** Everything up to this version was sent. */
  #position: number;
  #state: 'catching-up' | 'live' | 'behind' | 'closed' = 'catching-up';
  /** Records that a reader which has been live was not sent yet, in bytes. */
  #owedBytes = 0;
  /** Since when more than the bound has been waiting. */
  #overSinceMs: number | undefined;
  /** The version of the last checkpoint sent. */
  #checkpoint = -1;
  #lastWriteMs: number;

  constructor(feed: FeedView, sink: EventSink, options: { after: number; durable: boolean }) {
    this.#feed = feed;
    this.#sink = sink;
    this.#position = options.after;
    this.durable = options.durable;
    this.#lastWriteMs = feed.nowMs();
  }

  get position(): number {
    return this.#position;
  }

  /** Whether everything that it may see has been sent to it. */
  get live(): boolean {
    return this.#state === 'live';
  }

  get unsentBytes(): number {
    return this.#sink.unsentBytes;
  }

  /** Sends what is missing, then goes live. Resolves then, or when the subscriber is closed. */
  start(): Promise<void> {
    this.#writeCheckpoint();
    return this.#fetch(Math.min(CATCH_UP_UNSENT_BYTES_MAX, this.#feed.bufferBytesMax));
  }

  /** The watermark that this subscriber follows has moved, by this many bytes of records. */
  advance(bytes: number): void {
    if (this.#state === 'catching-up' || this.#state === 'closed') return;
    this.#owedBytes += bytes;
    if (this.#state === 'live') this.#push();
    this.#checkLag();
  }

  /** Sends a keepalive if nothing was sent for this long and nothing is waiting to be sent. */
  tick(silenceMs: number): void {
    if (this.#state === 'closed') return;
    this.#checkLag();
    if (this.#sink.unsentBytes > 0) return;
    if (this.#feed.nowMs() - this.#lastWriteMs >= silenceMs) this.#write(KEEPALIVE);
  }

  close(reason: CloseReason): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    if (reason.kind === 'ended') this.#sink.end();
    else this.#sink.destroy();
    this.#feed.closed(this, reason);
  }

  get #limit(): number {
    return this.durable ? this.#feed.durableVersion : this.#feed.acceptedVersion;
  }

  /** Sends from memory what has come, as far as the buffer takes it. */
  #push(): void {
    const { tail, bufferBytesMax } = this.#feed;
    while (this.#position < this.#limit) {
      if (this.#sink.unsentBytes > bufferBytesMax) {
        this.#state = 'behind';
        void this.#fetch(bufferBytesMax);
        return;
      }
      this.#send(tail.eventsAfter(this.#position)!);
    }
    this.#owedBytes = 0;
    this.#writeCheckpoint();
  }

  /** Fetches what is missing, from memory or from the log, whenever no more than `unsentBytesMax` is unsent. */
  async #fetch(unsentBytesMax: number): Promise<void> {
    try {
      while (this.#state !== 'closed') {
        if (this.#sink.unsentBytes > unsentBytesMax) {
          await new Promise<void>((resolve) => this.#sink.onceDrained(resolve));
        } else if (this.#position >= this.#limit) {
          this.#state = 'live';
          this.#owedBytes = 0;
          this.#writeCheckpoint();
          return;
        } else {
          await this.#fetchNext();
          // A quick reader would otherwise be served from memory to the end before anybody else has a turn.
          await new Promise(setImmediate);
        }
      }
    } catch (error) {
      this.close({ kind: 'unreadable', error });
    }
  }

  async #fetchNext(): Promise<void> {
    const { tail, blocks } = this.#feed;
    const after = this.#position;
    const events = tail.holdsAllAbove(after) ? tail.eventsAfter(after) : await blocks.after(after);
    if (this.#state === 'closed') return;
    if (events === undefined) throw new Error(`nothing to read above version ${after}`);
    this.#send(events);
    this.#writeCheckpoint();
  }

  /** Sends the part of the events that is above the position and not above the watermark. */
  #send(events: EncodedEvents): void {
    const limit = this.#limit;
    const text = eventsBetween(events, this.#position, limit);
    this.#write(text);
    this.#position = Math.min(events.lastVersion, limit);
    const recordBytes = (events.recordBytes * text.length) / events.text.length;
    this.#owedBytes = Math.max(0, this.#owedBytes - recordBytes);
  }

  #checkLag(): void {
    const waitingBytes = this.#owedBytes + this.#sink.unsentBytes;
    if (waitingBytes <= this.#feed.bufferBytesMax) {
      this.#overSinceMs = undefined;
      return;
    }
    const nowMs = this.#feed.nowMs();
    this.#overSinceMs ??= nowMs;
    if (nowMs - this.#overSinceMs >= this.#feed.graceMs) {
      this.close({ kind: 'lagging', waitingBytes: Math.round(waitingBytes) });
    }
  }

  /** For readers of undurable transactions only; never ahead of what was sent. */
  #writeCheckpoint(): void {
    if (this.durable) return;
    const version = Math.min(this.#feed.durableVersion, this.#position);
    if (version <= this.#checkpoint) return;
    this.#checkpoint = version;
    this.#write(encodeCheckpoint(version, this.#feed.leaderId));
  }

  #write(bytes: Uint8Array): void {
    this.#sink.write(bytes);
    this.#lastWriteMs = this.#feed.nowMs();
  }
}
