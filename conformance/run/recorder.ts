import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../api/api.js';
import { NoAnswer } from '../wire/http.js';
import { Incomplete, Violation } from './violation.js';

/**
 * Reads the whole log from the beginning of the run on a stream of its own, whatever the tests do, so that
 * the audit can replay it, even if the server truncates it meanwhile.
 */
export class Recorder {
  readonly #api: Api;
  #last: bigint;
  #stopped = false;
  #running: Promise<void> = Promise.resolve();
  /** What the stream itself showed to be broken. */
  readonly violations: Violation[] = [];
  /** Why the record has a hole; undefined while it is whole. */
  hole: string | undefined;

  constructor(api: Api, startVersion: bigint) {
    this.#api = api;
    this.#last = startVersion;
  }

  /** The version of the last transaction recorded. */
  get last(): bigint {
    return this.#last;
  }

  start(): void {
    this.#running = this.#record();
    // An error is thrown to whoever stops the recorder.
    this.#running.catch(() => undefined);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#api.close();
    await this.#running;
  }

  async #record(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#follow();
      } catch (error) {
        if (error instanceof Violation) {
          this.violations.push(error);
          // The same violation would come again at the same place.
          this.hole ??= `the stream broke a rule at version ${this.#last}: ${error.message}`;
          return;
        }
        if (!(error instanceof NoAnswer) && !(error instanceof Incomplete)) throw error;
      }
      if (!this.#stopped) await sleep(100);
    }
  }

  async #follow(): Promise<void> {
    const stream = await this.#api.subscribe({ after: this.#last }, 'recorder');
    if ('refused' in stream) {
      if (stream.refused !== 410) return;
      this.hole ??= `the log was truncated at version ${this.#last} before it was read`;
      this.#last = (await this.#api.version()).version;
      return;
    }
    // It may have been stopped while the stream was opened.
    if (this.#stopped) stream.close();
    for (;;) {
      const item = await stream.poll(60_000);
      if (item?.kind === 'transaction') this.#last = item.event.version;
      if (item?.kind === 'end') return;
    }
  }
}
