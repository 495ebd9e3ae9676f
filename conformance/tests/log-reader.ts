import type { Reader } from '../api/reader.js';
import type { KeySpace } from '../model/key-space.js';
import type { LogEvent } from '../model/log-view.js';
import { write } from '../model/transaction.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';

/** Keeps what the log has from one version on, so that a test can look at it again. */
export class LogReader {
  readonly #t: TestContext;
  readonly #reader: Reader;
  readonly #events: LogEvent[] = [];

  private constructor(t: TestContext, reader: Reader) {
    this.#t = t;
    this.#reader = reader;
  }

  /** A reader whose stream is open, so that truncation cannot overtake it. @throws Violation, Incomplete */
  static async open(t: TestContext): Promise<LogReader> {
    const { version } = await t.now();
    return new LogReader(t, await t.api.stream({ after: version }));
  }

  /** Everything since the reader was opened, up to `version`, which is committed. @throws Violation, Incomplete */
  async upTo(version: bigint): Promise<readonly LogEvent[]> {
    this.#events.push(...(await this.#reader.untilVersion(version)));
    return this.#events;
  }

  /** Commits a marker: whatever was answered before has its place in the log before it. @throws Violation, Incomplete */
  async upToNow(space: KeySpace): Promise<readonly LogEvent[]> {
    const marker = await this.#t.write([write(space.key('marker'), 'marker')], space);
    return await this.upTo(marker.version);
  }

  /** The event of the transaction that committed at `version`. @throws Violation, Incomplete */
  async at(version: bigint): Promise<LogEvent> {
    const event = (await this.upTo(version)).find((one) => one.version === version);
    if (event === undefined)
      throw new Violation(
        'STREAM-COMPLETE',
        `version ${version} was committed, and the stream leaves it out`,
      );
    return event;
  }
}
