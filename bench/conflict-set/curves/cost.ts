import type { Clock } from '../../clock.js';
import { median } from '../../median.js';
import { Headwater } from '../contender.js';
import { Feed } from './feed.js';
import type { NamedKeys } from './key-sets.js';

/** So many operations of each kind are timed in a run. */
const TIMED = 100_000;
const BYTES_MAX = 2 ** 31;

export interface Cost {
  readonly keys: string;
  /** Entries of the history when nothing in it is old. */
  readonly entries: number;
  readonly bytesPerEntry: number;
  /** The same after as much again was written and as much forgotten: what is old and not yet removed counts as well. */
  readonly steadyBytesPerEntry: number;
  /** Nanoseconds for an operation, medians of batches. */
  readonly pointRead: number;
  readonly rangeRead: number;
  readonly pointWrite: number;
}

/** Measures what operations cost when about `live` entries are live, in a steady state. */
export class CostProbe {
  readonly #samples = { pointRead: [] as number[], rangeRead: [] as number[], pointWrite: [] as number[] };
  #entries = 0;
  #bytes = 0;
  #steadyBytes = 0;

  constructor(
    readonly keys: NamedKeys,
    readonly live: number,
    readonly clock: Clock,
  ) {}

  /**
   * Fills a new set and measures it.
   * @throws Error when the memory was short.
   */
  run(): void {
    const feed = new Feed(this.keys, this.live);
    const ours = new Headwater(feed.window, this.clock, BYTES_MAX);
    const samples = this.#samples;
    let version = 0;
    const time = (batch: Uint8Array, into?: number[]): void => {
      ours.prepare(batch);
      const { total } = ours.decide(version);
      into?.push(total / feed.batchLength);
    };
    const write = (operations: number, into?: number[]): void => {
      for (let left = operations; left > 0; left -= feed.batchLength) {
        version += 1;
        time(feed.writes(), into);
      }
    };
    write(this.live);
    this.#entries = ours.set.entries;
    this.#bytes = ours.set.bytes;
    write(this.live);
    this.#steadyBytes = ours.set.bytes;
    write(TIMED, samples.pointWrite);
    const snapshot = version - Math.ceil(feed.window / 10);
    for (let left = TIMED; left > 0; left -= feed.batchLength) {
      time(feed.reads('point', snapshot), samples.pointRead);
      time(feed.reads('range', snapshot), samples.rangeRead);
    }
    if (ours.set.floor !== version - feed.window) throw new Error(`memory was short for ${this.keys.name}`);
  }

  /** Of the runs so far. */
  get cost(): Cost {
    return {
      keys: this.keys.name,
      entries: this.#entries,
      bytesPerEntry: this.#bytes / this.#entries,
      steadyBytesPerEntry: this.#steadyBytes / this.#entries,
      pointRead: median(this.#samples.pointRead),
      rangeRead: median(this.#samples.rangeRead),
      pointWrite: median(this.#samples.pointWrite),
    };
  }
}
