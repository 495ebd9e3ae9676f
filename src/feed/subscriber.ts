import type { BlockCache } from './block-cache.js';
import { encodeCheckpoint, eventsBetween, KEEPALIVE } from './event-codec.js';
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
  nowMs(): number;
  /** The subscriber is gone, or must be. */
  closed(subscriber: Subscriber, reason: CloseReason): void;
}

export type CloseReason =
  /** The client left, or the connection broke. */
  | { readonly kind: 'left' }
  /** More was unsent than the buffer bound allows (decision U4). */
  | { readonly kind: 'lagging' }
  /** The term of what it was sent has ended, or the server stops. */
  | { readonly kind: 'ended' }
  /** The log could not be read: truncated under the reader, or damaged. */
  | { readonly kind: 'unreadable'; readonly error: unknown };

/** A catching-up subscriber is sent no more while this much is unsent. */
const CATCH_UP_UNSENT_BYTES_MAX = 256 * 1024;

/**
 * One reader of the log. It catches up at its own pace, from segments and then from memory, and goes live in the
 * same turn of the event loop in which it has nothing left to catch up with; from then on events are pushed.
 */
export class Subscriber {
  readonly durable: boolean;
  readonly #feed: FeedView;
  readonly #sink: EventSink;
  /** Everything up to this version was sent. */
  #position: number;
  #live = false;
  #open = true;
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

  get live(): boolean {
    return this.#live;
  }

  get unsentBytes(): number {
    return this.#sink.unsentBytes;
  }

  /** Sends what is missing, then goes live. Resolves then, or when the subscriber is closed. */
  async catchUp(): Promise<void> {
    this.#writeCheckpoint();
    try {
      while (this.#open) {
        if (this.#sink.unsentBytes > CATCH_UP_UNSENT_BYTES_MAX) {
          await new Promise<void>((resolve) => this.#sink.onceDrained(resolve));
        } else if (this.#position >= this.#limit) {
          this.#live = true;
          this.#writeCheckpoint();
          return;
        } else {
          await this.#sendNext();
          // A quick reader would otherwise be served from memory to the end before anybody else has a turn.
          await new Promise(setImmediate);
        }
      }
    } catch (error) {
      this.close({ kind: 'unreadable', error });
    }
  }

  /** The watermark that this subscriber follows has moved. Does nothing while catching up. */
  advance(): void {
    if (!this.#open || !this.#live) return;
    if (this.#sink.unsentBytes > this.#feed.bufferBytesMax) {
      this.close({ kind: 'lagging' });
      return;
    }
    const limit = this.#limit;
    while (this.#position < limit) {
      const events = this.#feed.tail.eventsAfter(this.#position)!;
      this.#send(eventsBetween(events, this.#position, limit), Math.min(events.lastVersion, limit));
    }
    this.#writeCheckpoint();
  }

  /** Sends a keepalive if nothing was sent for this long and nothing is waiting to be sent. */
  keepAlive(silenceMs: number): void {
    if (!this.#open || this.#sink.unsentBytes > 0) return;
    if (this.#feed.nowMs() - this.#lastWriteMs >= silenceMs) this.#write(KEEPALIVE);
  }

  close(reason: CloseReason): void {
    if (!this.#open) return;
    this.#open = false;
    this.#live = false;
    if (reason.kind === 'ended') this.#sink.end();
    else this.#sink.destroy();
    this.#feed.closed(this, reason);
  }

  get #limit(): number {
    return this.durable ? this.#feed.durableVersion : this.#feed.acceptedVersion;
  }

  async #sendNext(): Promise<void> {
    const { tail, blocks } = this.#feed;
    const after = this.#position;
    const events = tail.holdsAllAbove(after) ? tail.eventsAfter(after) : await blocks.after(after);
    if (!this.#open) return;
    if (events === undefined) throw new Error(`nothing to read above version ${after}`);
    const limit = this.#limit;
    this.#send(eventsBetween(events, after, limit), Math.min(events.lastVersion, limit));
    this.#writeCheckpoint();
  }

  #send(text: Uint8Array, position: number): void {
    this.#write(text);
    this.#position = position;
  }

  /** For readers of undurable transactions only; never ahead of what was sent (decision U3). */
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
