import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from '../api/decode.js';
import { Stream } from '../api/stream.js';
import type { KeySpace } from '../model/key-space.js';
import type { LogEvent } from '../model/log-view.js';
import { write } from '../model/transaction.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { NoAnswer } from '../wire/http.js';

/** So many streams that end without a transaction are enough. */
const BARREN_STREAMS = 40;

/** Reads the log from one version on, on a stream that is opened again whenever the server closes it. */
export class LogReader {
  readonly #t: TestContext;
  readonly #events: LogEvent[] = [];
  #stream: Stream | undefined;
  #last: bigint;

  private constructor(t: TestContext, after: bigint) {
    this.#t = t;
    this.#last = after;
  }

  /** A reader whose stream is open, so that truncation cannot overtake it. @throws Violation, Skip */
  static async open(t: TestContext): Promise<LogReader> {
    const reader = new LogReader(t, (await t.now()).version);
    reader.#stream = await reader.#connect();
    return reader;
  }

  /** Everything since the reader was opened, up to `version`. @throws Violation, Skip, Incomplete */
  async upTo(version: bigint): Promise<readonly LogEvent[]> {
    const { patienceMs } = this.#t.options;
    let deadline = performance.now() + patienceMs;
    let barren = 0;
    while (this.#last < version) {
      this.#stream ??= await this.#connect();
      const item = await this.#stream.poll(Math.max(0, deadline - performance.now()));
      if (item === undefined)
        throw new Violation(
          'STREAM-LIVE',
          `waited ${patienceMs} ms in vain for the transaction at version ${version}`,
        );
      if (item.kind === 'end') {
        this.#stream = undefined;
        barren += 1;
        if (barren > BARREN_STREAMS)
          this.#t.giveUp(`the server closes streams before they get from ${this.#last} to ${version}`);
      }
      if (item.kind !== 'transaction') continue;
      barren = 0;
      deadline = performance.now() + patienceMs;
      this.#last = item.event.version;
      this.#events.push(item.event);
    }
    return this.#events;
  }

  /** Commits a marker: whatever was answered before has its place in the log before it. @throws Violation, Skip */
  async upToNow(space: KeySpace): Promise<readonly LogEvent[]> {
    const marker = await this.#t.write([write(space.key('marker'), 'marker')], space);
    return await this.upTo(marker.version);
  }

  /** The event of the transaction that committed at `version`. @throws Violation, Skip */
  async at(version: bigint): Promise<LogEvent> {
    const event = (await this.upTo(version)).find((one) => one.version === version);
    if (event === undefined)
      throw new Violation(
        'STREAM-COMPLETE',
        `version ${version} was committed, and the stream leaves it out`,
      );
    return event;
  }

  async #connect(): Promise<Stream> {
    const t = this.#t;
    return await t.until('an event stream', 'STREAM-AFTER-HELD', async () => {
      try {
        const stream = await t.api.subscribe({ after: this.#last });
        if (stream instanceof Stream) return stream;
        if (stream.refused === 410) t.skip(`the server truncated the log at ${this.#last} while it was read`);
        if (!isUnavailable(stream.refused))
          throw new Violation('STREAM-AFTER-HELD', `after=${this.#last} answered ${stream.refused}`);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
      }
      await sleep(50);
      return undefined;
    });
  }
}
