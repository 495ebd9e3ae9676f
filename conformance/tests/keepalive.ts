import type { Stream, StreamItem } from '../api/stream.js';
import { write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { allOf } from './all-of.js';
import { openStream } from './log-follower.js';

const KEEPALIVES = 3;
/** With a longer interval, in milliseconds, fewer have to do. */
const LONG_INTERVAL_MS = 5000;
/** What a busy machine may add to the interval. */
const SLACK = { factor: 1.5, ms: 500 };
/** After so many intervals without enough silence, on connections that were closed or busy, nothing can be said. */
const MOST_INTERVALS = 20;
const LONGEST_MS = 90_000;

interface Query {
  readonly after?: bigint;
  readonly durable: boolean;
}

/** Opens a stream; one from far behind begins with the latest version instead where that is truncated. */
async function open(t: TestContext, query: Query): Promise<Stream> {
  const stream = await openStream(t, query);
  if (!('refused' in stream)) return stream;
  t.check(
    'STREAM-AFTER-HELD',
    stream.refused === 410 && query.after !== undefined,
    `a stream was refused with ${stream.refused}`,
  );
  const live = await openStream(t, { durable: query.durable });
  if ('refused' in live) return t.giveUp(`a stream without after is answered with ${live.refused}`);
  return live;
}

/** Waits until `count` keepalives have come in a row, on new connections where the server closes them. */
class Listener {
  readonly #t: TestContext;
  #query: Query;
  readonly #timeoutMs: number;
  readonly #giveUpAt: number;
  #stream: Stream | undefined;

  constructor(t: TestContext, query: Query, timeoutMs: number) {
    this.#t = t;
    this.#query = query;
    this.#timeoutMs = timeoutMs;
    this.#giveUpAt = performance.now() + Math.min(MOST_INTERVALS * timeoutMs, LONGEST_MS);
  }

  /** What came although it seemed too late: a machine that stood still has not sent other answers either. */
  async #afterAll(stream: Stream): Promise<StreamItem | undefined> {
    await this.#t.now();
    return stream.poll(SLACK.ms);
  }

  /** @param from a transaction from which on keepalives count; undefined: from now on */
  async hear(count: number, from?: bigint): Promise<void> {
    const allowedMs = this.#timeoutMs * SLACK.factor + SLACK.ms;
    const { durable } = this.#query;
    let counts = from === undefined;
    for (let heard = 0; heard < count; ) {
      this.#stream ??= await open(this.#t, this.#query);
      const item = (await this.#stream.poll(allowedMs)) ?? (await this.#afterAll(this.#stream));
      this.#t.check(
        'KEEPALIVE-SENT',
        item !== undefined,
        `a stream with durable=${durable} was silent for ${Math.round(allowedMs)} ms after ${heard} keepalives; the interval is ${this.#timeoutMs} ms`,
      );
      if (item?.kind === 'keepalive') heard += counts ? 1 : 0;
      else heard = 0;
      if (item?.kind === 'end') {
        const after = this.#stream.last ?? this.#query.after;
        if (after !== undefined) this.#query = { durable, after };
        this.#stream = undefined;
      }
      // A new stream need not show what came before it.
      counts ||= item?.kind === 'end' || (item?.kind === 'transaction' && item.event.version >= from!);
      if (performance.now() > this.#giveUpAt)
        this.#t.skip('the streams were not silent for long enough: others write, or the server closes them');
    }
  }
}

export const keepaliveTests: readonly Test[] = [
  {
    name: 'stream/keepalive/sent',
    title:
      'On a silent stream a keepalive comes within each interval: on a new one, after a transaction, and after catching up.',
    requirements: ['KEEPALIVE-SENT', 'KEEPALIVE-COMMENT'],
    needs: ['keepaliveTimeoutMs'],
    phase: 'alone',
    run: async (t) => {
      const timeoutMs = t.hooks.keepaliveTimeoutMs!;
      const space = t.space();
      const queries: readonly Query[] = [
        { durable: true },
        { durable: false },
        { durable: true, after: t.run.startVersion },
        { durable: false, after: t.run.startVersion },
      ];
      const listeners = queries.map((query) => new Listener(t, query, timeoutMs));
      await allOf(listeners.map((listener) => listener.hear(1)));
      const { version } = await t.write([write(space.key('k'), 'x')], space);
      await allOf(
        listeners.map((listener) => listener.hear(timeoutMs > LONG_INTERVAL_MS ? 2 : KEEPALIVES, version)),
      );
    },
  },
  {
    name: 'stream/keepalive/comment',
    title: 'What keeps a silent stream alive is a comment.',
    requirements: ['KEEPALIVE-COMMENT'],
    run: async (t) => {
      const { keepaliveTimeoutMs } = t.hooks;
      const longestMs = keepaliveTimeoutMs ?? t.lasting(500, 3000);
      const deadline = performance.now() + longestMs;
      let stream = await open(t, { durable: false });
      for (;;) {
        const item = await stream.poll(Math.max(deadline - performance.now(), 0));
        if (item?.kind === 'keepalive') return;
        if (item === undefined)
          return t.skip(
            `no keepalive came within ${longestMs} ms; --keepalive-timeout tells how long to wait`,
          );
        if (item.kind === 'end') stream = await open(t, { durable: false });
      }
    },
  },
];
