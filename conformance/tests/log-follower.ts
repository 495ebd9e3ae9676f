import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../api/decode.js';
import type { Stream } from '../api/stream.js';
import type { LogEvent } from '../model/log-view.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';

export interface LogQuery {
  readonly after: bigint;
  /** Default true. */
  readonly durable?: boolean;
}

/** Opens a stream, again as long as the server is unavailable; the status where it is refused. */
export async function openStream(
  t: TestContext,
  query: { readonly after?: bigint; readonly durable?: boolean },
): Promise<Stream | { readonly refused: number }> {
  const deadline = performance.now() + t.options.patienceMs;
  for (;;) {
    const stream = await t.api.subscribe(query);
    if (!('refused' in stream) || !isUnavailable(stream.refused)) return stream;
    if (performance.now() > deadline)
      t.giveUp(`the server answered ${stream.refused} to subscribers for ${t.options.patienceMs} ms`);
    await sleep(20 + t.random.below(50));
  }
}

/**
 * A client that reads the log on from one version, as section 6.4 says: it connects again where the server
 * closes the stream, goes on after the last durable transaction, and discards what was only accepted.
 */
export class LogFollower {
  /** Durable transactions, in order. */
  readonly events: LogEvent[] = [];
  readonly #t: TestContext;
  readonly #durable: boolean;
  #after: bigint;
  #stream: Stream | undefined;
  #accepted: LogEvent[] = [];

  constructor(t: TestContext, query: LogQuery) {
    this.#t = t;
    this.#durable = query.durable ?? true;
    this.#after = query.after;
  }

  /** The version after which it goes on when it connects again. */
  get position(): bigint {
    return this.#after;
  }

  /** The stream that is open; undefined where none is. */
  get stream(): Stream | undefined {
    return this.#stream;
  }

  /** Connects if no stream is open; the status where that is refused. @throws Violation, NoAnswer */
  async connect(): Promise<number | undefined> {
    if (this.#stream !== undefined) return undefined;
    this.#accepted = [];
    const stream = await openStream(this.#t, { after: this.#after, durable: this.#durable });
    if ('refused' in stream) return stream.refused;
    this.#stream = stream;
    return undefined;
  }

  close(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  /**
   * Reads what comes until everything up to `version` is durable; `truncated` where the log is truncated at
   * the place where it has to go on.
   * @throws Violation of `id` where it gets nothing new in time, or is refused otherwise
   */
  async readTo(version: bigint, id: string): Promise<'reached' | 'truncated'> {
    const { patienceMs } = this.#t.options;
    let deadline = performance.now() + patienceMs;
    while (this.#after < version) {
      const refused = await this.connect();
      if (refused === 410) return 'truncated';
      if (refused !== undefined)
        throw new Violation(id, `a stream after=${this.#after} was refused with ${refused}`);
      const item = await this.#stream!.poll(Math.max(deadline - performance.now(), 0));
      if (item === undefined)
        throw new Violation(
          id,
          `waited ${patienceMs} ms in vain for version ${version} on a stream with durable=${this.#durable}; all up to ${this.#after} came`,
        );
      if (item.kind === 'transaction') {
        deadline = performance.now() + patienceMs;
        this.#take(item.event);
      } else if (item.kind === 'checkpoint') this.#settle(item.version);
      else if (item.kind === 'end') {
        this.#stream = undefined;
        await sleep(5 + this.#t.random.below(20));
        if (performance.now() > deadline)
          throw new Violation(
            id,
            `the server closed each stream before anything new came: all up to ${this.#after} came`,
          );
      }
    }
    return 'reached';
  }

  /** Takes in what has come until the connection ends, or no transaction comes for a while. @throws Violation */
  async drain(quietMs: number): Promise<void> {
    let deadline = performance.now() + quietMs;
    while (this.#stream !== undefined) {
      const item = await this.#stream.poll(Math.max(deadline - performance.now(), 0));
      if (item?.kind === 'transaction') {
        this.#take(item.event);
        deadline = performance.now() + quietMs;
      } else if (item?.kind === 'checkpoint') this.#settle(item.version);
      else if (item === undefined || item.kind === 'end') this.close();
    }
  }

  /** What it has been sent and may still be discarded. */
  get accepted(): readonly LogEvent[] {
    return this.#accepted;
  }

  #take(event: LogEvent): void {
    if (this.#durable) {
      this.events.push(event);
      this.#after = event.version;
      return;
    }
    // A new leader goes on from what was durable.
    this.#accepted = this.#accepted.filter(({ version }) => version <= event.prevVersion);
    this.#accepted.push(event);
  }

  #settle(checkpoint: bigint): void {
    this.events.push(...this.#accepted.filter(({ version }) => version <= checkpoint));
    this.#accepted = this.#accepted.filter(({ version }) => version > checkpoint);
    if (checkpoint > this.#after) this.#after = checkpoint;
  }
}

/**
 * Reads the log above `query.after` up to `version`.
 * @throws Violation of `id` where not all of it comes
 */
export async function readLog(
  t: TestContext,
  query: LogQuery,
  version: bigint,
  id: string,
): Promise<readonly LogEvent[] | 'truncated'> {
  const reader = new LogFollower(t, query);
  try {
    const ending = await reader.readTo(version, id);
    return ending === 'truncated' ? ending : reader.events;
  } finally {
    reader.close();
  }
}

const QUIET_MS = 500;

/** What the log has above `after`, as far as it is sent before nothing more comes for a while. */
export async function logAsItIs(t: TestContext, after: bigint): Promise<readonly LogEvent[]> {
  const reader = new LogFollower(t, { after });
  await reader.connect();
  await reader.drain(QUIET_MS);
  return reader.events;
}

/** Whether a stream from this version on is answered with 410. */
export async function isGone(t: TestContext, after: bigint): Promise<boolean> {
  const stream = await openStream(t, { after });
  if ('refused' in stream) return stream.refused === 410;
  stream.close();
  return false;
}
