import { linkSignals } from './abort.js';
import { Backoff, type BackoffOptions } from './backoff.js';
import { type Clock, sleep, systemClock } from './clock.js';
import { parseJson } from './decode.js';
import { isTransient, NetworkError, ReplyError } from './errors.js';
import { replyError } from './problem.js';
import type { RequestOptions } from './types.js';

export interface HttpOptions {
  /** Base address; a path in it is kept as a prefix. */
  readonly url: string | URL;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  readonly backoff?: BackoffOptions;
  /** Numbers in [0, 1) for the jitter. Default `Math.random`. */
  readonly random?: () => number;
  /** Default: the system's. */
  readonly clock?: Clock;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Relative to the base address, without a leading slash; already percent-encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Any of them ends the call. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

export interface Reply {
  readonly status: number;
  /** Parsed JSON; undefined when the body is empty. */
  readonly body: unknown;
}

export interface RetryOptions extends RequestOptions {
  /** Which failures to try again after. Default: the transient ones. */
  readonly when?: (error: unknown) => boolean;
}

/** With the default backoff about 13 s of waiting: a server may restart meanwhile. */
const DEFAULT_ATTEMPTS = 10;

/** Requests and their repetition; knows nothing of what they mean. */
export class Http {
  readonly fetch: typeof globalThis.fetch;
  readonly backoff: Backoff;
  readonly clock: Clock;
  readonly #base: URL;

  constructor(options: HttpOptions) {
    this.#base = new URL(options.url);
    if (!this.#base.pathname.endsWith('/')) this.#base.pathname += '/';
    // A browser's fetch has to be called on the global object.
    this.fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init));
    this.backoff = new Backoff(options.backoff ?? {}, options.random ?? Math.random);
    this.clock = options.clock ?? systemClock;
  }

  url(path: string, query: Call['query'] = {}): URL {
    const url = new URL(path, this.#base);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
    return url;
  }

  /**
   * Sends one request, once.
   * @throws {ReplyError} when the reply has an error status
   * @throws {NetworkError} when no whole reply came, also because a signal aborted
   * @throws {ProtocolError} when the reply is not JSON
   */
  async call({ method, path, query, body, signals }: Call): Promise<Reply> {
    const link = linkSignals(signals);
    let response: Response;
    let text: string;
    try {
      response = await this.fetch(this.url(path, query), {
        method,
        signal: link.signal,
        headers: {
          accept: 'application/json',
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (cause) {
      throw new NetworkError(`no reply to ${method} /${path}`, { cause });
    } finally {
      link.dispose();
    }
    if (!response.ok) throw replyError(response.status, response.headers, text, this.clock.now());
    return { status: response.status, body: text === '' ? undefined : parseJson(text) };
  }

  /**
   * Runs `attempt` until it succeeds, fails for good, or has been run `attempts` times.
   * @throws what the last attempt threw, or the reason of the signal once that has aborted
   */
  async retry<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
    const { signal, attempts = DEFAULT_ATTEMPTS, when = isTransient } = options;
    for (let failures = 0; ; failures += 1) {
      signal?.throwIfAborted();
      try {
        return await attempt();
      } catch (error) {
        if (!when(error)) throw error;
        signal?.throwIfAborted();
        if (failures + 1 >= attempts) throw error;
        await this.pause(failures, error, signal);
      }
    }
  }

  /**
   * Waits before the next attempt: at least as long as the server asked for. Rejects when the signal aborts.
   */
  pause(failures: number, error: unknown, signal?: AbortSignal): Promise<void> {
    const askedMs = error instanceof ReplyError ? (error.retryAfterMs ?? 0) : 0;
    return sleep(this.clock, askedMs + this.backoff.delayMs(failures), signal);
  }
}
