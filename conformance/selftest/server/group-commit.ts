import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';
import type { Limits } from './limits.js';
import type { LogRecord } from './record.js';
import type { Timers } from './timers.js';

/** Makes accepted transactions durable, several at once. */
export class GroupCommit {
  readonly #behaviour: Behaviour;
  readonly #limits: Limits;
  readonly #disk: Disk;
  readonly #timers: Timers;
  readonly #onDurable: (batch: readonly LogRecord[]) => Promise<void> | undefined;
  #batch: LogRecord[] = [];
  #settled: PromiseWithResolvers | undefined;
  #batches = 0;

  /** @param onDurable called with each batch as soon as it is durable, before anybody is answered */
  constructor(
    behaviour: Behaviour,
    limits: Limits,
    disk: Disk,
    timers: Timers,
    onDurable: (batch: readonly LogRecord[]) => Promise<void> | undefined,
  ) {
    this.#behaviour = behaviour;
    this.#limits = limits;
    this.#disk = disk;
    this.#timers = timers;
    this.#onDurable = onDurable;
  }

  /** Accepted, and not yet durable. */
  get pending(): readonly LogRecord[] {
    return this.#batch;
  }

  add(record: LogRecord): void {
    this.#batch.push(record);
    if (this.#settled !== undefined) return;
    this.#settled = promiseWithResolvers();
    const [least, most] = this.#limits.durableMs;
    this.#timers.after(least + Math.random() * (most - least), () => this.flush());
  }

  /** Resolves once everything that was added so far is durable. */
  async settled(): Promise<void> {
    await this.#settled?.promise;
  }

  /** Makes what is pending durable now. */
  flush(): void {
    const batch = this.#batch;
    const settled = this.#settled;
    if (settled === undefined) return;
    this.#batch = [];
    this.#settled = undefined;
    this.#batches += 1;
    this.#disk.records.push(...this.#asWritten(batch));
    const told = this.#onDurable(batch);
    if (told === undefined) settled.resolve();
    else void told.then(settled.resolve);
  }

  #asWritten(batch: readonly LogRecord[]): readonly LogRecord[] {
    if (this.#behaviour.has('batch-written-in-another-order')) {
      return batch.map(({ version, prevVersion }, index) => ({
        ...batch.at(-1 - index)!,
        version,
        prevVersion,
      }));
    }
    if (this.#behaviour.has('last-of-a-large-batch-not-written') && batch.length > 3)
      return batch.slice(0, -1);
    return batch;
  }
}

interface PromiseWithResolvers {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function promiseWithResolvers(): PromiseWithResolvers {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
