import type { Exchange, TimelineEntry } from '../run/result.js';
import { curlCommand } from './curl.js';

/** What is kept of one request and its answer while it is under way. */
export interface ExchangeInProgress {
  readonly startedMs: number;
  endedMs: number | undefined;
  readonly method: string;
  readonly url: string;
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string>>;
  readonly requestBody: Buffer | undefined;
  responseHead: string;
  responseBody: Buffer[];
  error: string | undefined;
}

const EXCHANGES_KEPT = 60;
const ENTRIES_KEPT = 400;
const BODY_SHOWN = 4096;

const clip = (text: string): string =>
  text.length > BODY_SHOWN
    ? `${text.slice(0, BODY_SHOWN)}\n... (${text.length - BODY_SHOWN} characters left out)`
    : text;

/** The last requests and happenings of one test, kept as evidence. */
export class Transcript {
  #began = performance.now();
  #exchanges: ExchangeInProgress[] = [];
  #entries: { readonly atMs: number; readonly who: string; readonly what: () => string }[] = [];

  /** Forgets everything: a new case begins. */
  restart(): void {
    this.#began = performance.now();
    this.#exchanges = [];
    this.#entries = [];
  }

  begin(request: {
    method: string;
    url: string;
    path: string;
    headers: Readonly<Record<string, string>>;
    body: Buffer | undefined;
  }): ExchangeInProgress {
    const exchange: ExchangeInProgress = {
      startedMs: this.#now(),
      endedMs: undefined,
      method: request.method,
      url: request.url,
      path: request.path,
      requestHeaders: request.headers,
      requestBody: request.body,
      responseHead: '',
      responseBody: [],
      error: undefined,
    };
    this.#exchanges.push(exchange);
    if (this.#exchanges.length > EXCHANGES_KEPT) this.#exchanges.shift();
    return exchange;
  }

  end(exchange: ExchangeInProgress, error?: string): void {
    exchange.endedMs = this.#now();
    exchange.error = error;
  }

  /** @param what is put into words only when somebody reads the timeline */
  note(who: string, what: () => string): void {
    this.#entries.push({ atMs: this.#now(), who, what });
    if (this.#entries.length > ENTRIES_KEPT) this.#entries.shift();
  }

  get timeline(): readonly TimelineEntry[] {
    return this.#entries.map(({ atMs, who, what }) => ({ atMs, who, what: what() }));
  }

  get exchanges(): readonly Exchange[] {
    return this.#exchanges.map((exchange) => {
      const body = exchange.requestBody?.toString('utf8') ?? '';
      const answer = Buffer.concat(exchange.responseBody);
      return {
        startedMs: exchange.startedMs,
        endedMs: exchange.endedMs,
        method: exchange.method,
        url: exchange.url,
        requestHead: [
          `${exchange.method} ${exchange.path} HTTP/1.1`,
          ...Object.entries(exchange.requestHeaders).map(([name, value]) => `${name}: ${value}`),
        ].join('\n'),
        requestBody: clip(body),
        requestBytes: exchange.requestBody?.length ?? 0,
        responseHead: exchange.responseHead,
        responseBody: clip(answer.toString('utf8')),
        responseBytes: answer.length,
        error: exchange.error,
        curl: curlCommand(exchange.method, exchange.url, exchange.requestHeaders, exchange.requestBody),
      };
    });
  }

  #now(): number {
    return Math.round((performance.now() - this.#began) * 10) / 10;
  }
}
