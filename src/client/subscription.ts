import { onAbort } from './abort.js';
import { Chain } from './chain.js';
import { GapError, isTransient, NetworkError } from './errors.js';
import { EventStream } from './event-stream.js';
import { decodeCheckpoint, decodeTransaction } from './events.js';
import type { Http } from './http.js';
import type { SseMessage } from './sse.js';
import type { SubscribeOptions, SubscriptionEvent, TransactionEvent } from './types.js';
import { latestVersion } from './version.js';

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;

/**
 * The transactions of the log, in order, without a gap or a repeat, across any number of connections. Nothing
 * is read from the network beyond the chunk whose events are being taken. To be iterated once.
 */
export class Subscription<Event extends SubscriptionEvent = SubscriptionEvent>
  implements AsyncIterableIterator<Event>
{
  readonly #http: Http;
  readonly #options: SubscribeOptions;
  readonly #durable: boolean;
  readonly #abort = new AbortController();
  #closed = false;
  readonly #events: AsyncGenerator<SubscriptionEvent, void, undefined>;
  #chain: Chain | undefined;
  /** Connections in a row that have brought no progress. */
  #failures = 0;
  #reconnects = 0;
  #lastBreak: string | undefined;

  constructor(http: Http, options: SubscribeOptions) {
    this.#http = http;
    this.#options = options;
    this.#durable = options.durable ?? true;
    if (options.after !== undefined) this.#chain = new Chain(options.after, this.#durable);
    this.#events = this.#run();
  }

  /**
   * What to store together with the state that the events lead to, and to pass as `after` next time. With
   * `durable`, the version handed out last; else the last checkpoint, and what came after it is not to be
   * stored. Undefined until it is known where the stream starts.
   */
  get position(): number | undefined {
    return this.#chain?.position;
  }

  /** How often a new connection was opened, or tried, after the first one. */
  get reconnects(): number {
    return this.#reconnects;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Event, undefined>> {
    return this.#events.next() as Promise<IteratorResult<Event, undefined>>;
  }

  /** Closes the connection, also while `next` is waiting. */
  return(): Promise<IteratorResult<Event, undefined>> {
    this.#closed = true;
    this.#abort.abort();
    return this.#events.return() as Promise<IteratorResult<Event, undefined>>;
  }

  /** One turn per connection. */
  async *#run(): AsyncGenerator<SubscriptionEvent, void, undefined> {
    const { signal } = this.#options;
    const stopListening = signal && onAbort(signal, () => this.#abort.abort(signal.reason));
    try {
      for (;;) {
        this.#abort.signal.throwIfAborted();
        const openedMs = this.#http.clock.now();
        const openedAt = this.#chain?.position;
        let failure: unknown;
        let stream: EventStream | undefined;
        try {
          this.#chain ??= new Chain(await this.#start(), this.#durable);
          stream = await this.#open(this.#chain.position);
          for (;;) {
            const messages = await stream.read();
            if (messages === undefined) break;
            for (const message of messages) {
              this.#abort.signal.throwIfAborted();
              const event = this.#take(this.#chain, message);
              if (event !== undefined) yield event;
            }
          }
        } catch (error) {
          failure = error;
        } finally {
          stream?.close();
        }
        this.#abort.signal.throwIfAborted();
        if (failure !== undefined && !isTransient(failure)) throw failure;
        if (this.#chain?.rewind()) yield { type: 'discard', after: this.#chain.position };
        // A quiet stream that a proxy cuts every minute is no reason to wait longer each time either.
        const lasted = this.#http.clock.now() - openedMs > this.#http.backoff.maxMs;
        if (lasted || this.#chain?.position !== openedAt) this.#failures = 0;
        await this.#http.pause(this.#failures, failure, this.#abort.signal);
        this.#failures += 1;
        this.#reconnects += 1;
      }
    } catch (error) {
      // Who has left the iteration is told of its end, not of how it ended.
      if (!this.#closed) throw error;
    } finally {
      stopListening?.();
    }
  }

  async #start(): Promise<number> {
    const { version } = await latestVersion(this.#http, { attempts: 1, signal: this.#abort.signal });
    return version;
  }

  #open(after: number): Promise<EventStream> {
    const { idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS } = this.#options;
    const options = { after, durable: this.#durable, idleTimeoutMs, signal: this.#abort.signal };
    return EventStream.open(this.#http, options);
  }

  /** The event to hand out; undefined for one that says nothing new. */
  #take(chain: Chain, { event, data }: SseMessage): SubscriptionEvent | undefined {
    if (event === 'transaction') {
      const transaction = decodeTransaction(data);
      if (!chain.append(transaction)) throw this.#brokenChain(chain, transaction);
      return transaction;
    }
    if (event === 'checkpoint' && !this.#durable) {
      const checkpoint = decodeCheckpoint(data);
      if (!chain.checkpoint(checkpoint.committedVersion, checkpoint.leaderId)) {
        throw new NetworkError('the leader has changed');
      }
      // One that lags behind what was known before would only confuse.
      return checkpoint.committedVersion >= chain.position ? checkpoint : undefined;
    }
    return undefined;
  }

  /** A new leader, or a gap. A new connection mends the first; the same break once more is the second. */
  #brokenChain(chain: Chain, { version, prevVersion, leaderId }: TransactionEvent): Error {
    const gap = new GapError(chain.tip, version, prevVersion);
    const fingerprint = [chain.tip, version, prevVersion, leaderId].join();
    if (fingerprint === this.#lastBreak) return gap;
    this.#lastBreak = fingerprint;
    return new NetworkError('the chain of transactions is broken', { cause: gap });
  }
}
