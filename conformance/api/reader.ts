import { setTimeout as sleep } from 'node:timers/promises';
import type { LogEvent } from '../model/log-view.js';
import { Incomplete, Truncated, Violation } from '../run/violation.js';
import { NoAnswer } from '../wire/http.js';
import type { SubscribeQuery } from './api.js';
import { isUnavailable } from './decode.js';
import { Stream, type StreamItem } from './stream.js';

/** A server that closes each stream at once is not to be flooded with new ones. */
const RECONNECT_MS = 20;

type Open = (query: SubscribeQuery) => Promise<Stream | { readonly refused: number }>;

/**
 * A client that follows the log as section 6.4 says: when the server closes its stream, which it may do at
 * any time, it subscribes again behind the last transaction that it has processed, or with durable=false
 * behind the last checkpoint.
 */
export class Reader {
  readonly #open: Open;
  readonly #query: SubscribeQuery;
  readonly #patienceMs: number;
  readonly #requirement: string;
  /** Where to go on when nothing was received yet. */
  readonly #start: bigint;
  #stream: Stream;
  #resumedAt: bigint | undefined;
  /** Version of the last transaction that was handed out. */
  #delivered: bigint | undefined;
  #closed = false;

  private constructor(
    open: Open,
    query: SubscribeQuery,
    stream: Stream,
    options: { readonly start: bigint; readonly patienceMs: number; readonly requirement: string },
  ) {
    this.#open = open;
    this.#query = query;
    this.#stream = stream;
    this.#start = options.start;
    this.#patienceMs = options.patienceMs;
    this.#requirement = options.requirement;
  }

  /**
   * @param options.start the highest version known to be committed now
   * @param options.requirement blamed when no stream is given
   * @throws Violation, Incomplete
   */
  static async open(
    open: Open,
    query: SubscribeQuery,
    options: { readonly start: bigint; readonly patienceMs: number; readonly requirement: string },
  ): Promise<Reader> {
    return new Reader(open, query, await connect(open, query, options), options);
  }

  /** Version of the last transaction processed; undefined before the first. */
  get last(): bigint | undefined {
    return this.#stream.last ?? this.#resumedAt;
  }

  /** Version of the last checkpoint; undefined before the first. */
  get checkpoint(): bigint | undefined {
    return this.#stream.checkpoint;
  }

  /** Names of events that the specification does not know. */
  get otherEvents(): ReadonlySet<string> {
    return this.#stream.otherEvents;
  }

  close(): void {
    this.#closed = true;
    this.#stream.close();
  }

  /** The next item within `patienceMs`, or undefined; `end` only once it was closed here. @throws Violation, Incomplete */
  async poll(patienceMs: number): Promise<StreamItem | undefined> {
    const deadline = performance.now() + patienceMs;
    for (;;) {
      const item = await this.#stream.poll(Math.max(deadline - performance.now(), 0));
      if (item?.kind === 'transaction') this.#delivered = item.event.version;
      if (item?.kind !== 'end' || this.#closed) return item;
      await sleep(RECONNECT_MS);
      await this.#resume();
    }
  }

  /**
   * Reads until `wanted` says so of an item, which is the last of those returned. The patience begins anew
   * with every transaction.
   * @throws Violation of `requirement` where it does not come in time
   * @throws Incomplete where the stream cannot be resumed
   */
  async until(
    wanted: (item: StreamItem) => boolean,
    waitingFor: string,
    requirement: string,
  ): Promise<StreamItem[]> {
    const items: StreamItem[] = [];
    let deadline = performance.now() + this.#patienceMs;
    for (;;) {
      const item = await this.poll(deadline - performance.now());
      if (item === undefined)
        throw new Violation(requirement, `waited ${this.#patienceMs} ms in vain for ${waitingFor}`);
      if (item.kind === 'transaction') deadline = performance.now() + this.#patienceMs;
      items.push(item);
      if (wanted(item)) return items;
      if (item.kind === 'end') throw new Incomplete(`the suite closed a stream before ${waitingFor} came`);
    }
  }

  /** Reads until the transaction with `version`. @throws Violation, Incomplete */
  async untilVersion(version: bigint, requirement = 'STREAM-LIVE'): Promise<LogEvent[]> {
    if (this.#delivered !== undefined && this.#delivered >= version) return [];
    const items = await this.until(
      (item) => item.kind === 'transaction' && item.event.version >= version,
      `the transaction at version ${version}`,
      requirement,
    );
    const events = items.flatMap((item) => (item.kind === 'transaction' ? [item.event] : []));
    const found = events.at(-1);
    if (found?.version !== version)
      throw new Violation('STREAM-COMPLETE', `version ${version} was left out: ${found?.version} came`);
    return events;
  }

  async #resume(): Promise<void> {
    const isDurable = this.#query.durable ?? true;
    const after =
      (isDurable ? this.last : (this.checkpoint ?? this.#resumedAt)) ?? this.#query.after ?? this.#start;
    this.#resumedAt = after;
    this.#stream = await connect(
      this.#open,
      { ...this.#query, after },
      {
        patienceMs: this.#patienceMs,
        requirement: this.#requirement,
      },
    );
  }
}

/** Subscribes, again while the server is unavailable. @throws Violation of `requirement`, Incomplete */
async function connect(
  open: Open,
  query: SubscribeQuery,
  { patienceMs, requirement }: { readonly patienceMs: number; readonly requirement: string },
): Promise<Stream> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      const stream = await open(query);
      if (stream instanceof Stream) return stream;
      if (stream.refused === 410)
        throw new Truncated(`after=${query.after} was answered with 410: the log is truncated there`);
      if (!isUnavailable(stream.refused) || performance.now() > deadline)
        throw new Violation(
          requirement,
          `GET /v1/subscribe (after=${query.after ?? 'none'}) answered ${stream.refused}`,
        );
    } catch (error) {
      if (!(error instanceof NoAnswer) || performance.now() > deadline) throw error;
    }
    await sleep(50);
  }
}
