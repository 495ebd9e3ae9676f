import { onAbort } from './abort.js';
import { NetworkError, ProtocolError } from './errors.js';
import type { Http } from './http.js';
import { replyError } from './problem.js';
import { type SseMessage, SseParser } from './sse.js';

export interface EventStreamOptions {
  readonly after: number;
  readonly durable: boolean;
  /** Longest wait for the reply and for every chunk of it, milliseconds. */
  readonly idleTimeoutMs: number;
  readonly signal: AbortSignal;
}

/** One connection to `GET /v1/subscribe`, read chunk by chunk as the consumer asks for more. */
export class EventStream {
  readonly #http: Http;
  readonly #options: EventStreamOptions;
  readonly #parser = new SseParser();
  readonly #controller = new AbortController();
  readonly #stopListening: () => void;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  private constructor(http: Http, options: EventStreamOptions) {
    this.#http = http;
    this.#options = options;
    this.#stopListening = onAbort(options.signal, () => this.#cut(options.signal.reason));
  }

  /**
   * @throws {ReplyError} when the server does not answer with a stream
   * @throws {NetworkError} when no reply comes, in time or at all
   */
  static async open(http: Http, options: EventStreamOptions): Promise<EventStream> {
    const stream = new EventStream(http, options);
    try {
      await stream.#connect();
      return stream;
    } catch (error) {
      stream.close();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const { after, durable } = this.#options;
    const response = await this.#inTime(() =>
      this.#http.fetch(this.#http.url('v1/subscribe', { after, durable }), {
        headers: { accept: 'text/event-stream' },
        signal: this.#controller.signal,
      }),
    );
    if (!response.ok) {
      const body = await this.#inTime(() => response.text());
      throw replyError(response.status, response.headers, body, this.#http.clock.now());
    }
    const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
    if (type !== 'text/event-stream' || response.body === null) {
      throw new ProtocolError(`the reply is ${type ?? 'of no type'}, not an event stream`);
    }
    this.#reader = response.body.getReader();
  }

  /**
   * The events that the next chunk completes, which may be none; undefined at the end of the stream.
   * @throws {NetworkError} when the connection fails or is silent for too long
   */
  async read(): Promise<readonly SseMessage[] | undefined> {
    const chunk = await this.#inTime(async () => this.#reader?.read());
    // A reader that was cancelled reports the end; the reason tells which of the two it is.
    if (this.#controller.signal.aborted) throw this.#controller.signal.reason;
    return chunk?.value === undefined ? undefined : this.#parser.push(chunk.value);
  }

  /** Ends the connection, also while a read is waiting. */
  close(): void {
    this.#stopListening();
    this.#cut(new NetworkError('closed'));
  }

  #cut(reason: unknown): void {
    this.#controller.abort(reason);
    // Aborting a stream that has failed before reports that failure again; it has been seen.
    this.#reader?.cancel(reason).catch(() => undefined);
  }

  async #inTime<T>(wait: () => Promise<T>): Promise<T> {
    const { clock } = this.#http;
    const { idleTimeoutMs } = this.#options;
    const timer = clock.setTimeout(
      () => this.#cut(new NetworkError(`nothing received for ${idleTimeoutMs} ms`)),
      idleTimeoutMs,
    );
    try {
      return await wait();
    } catch (cause) {
      throw this.#controller.signal.aborted
        ? this.#controller.signal.reason
        : new NetworkError('the event stream failed', { cause });
    } finally {
      clock.clearTimeout(timer);
    }
  }
}
