import { ConflictSet } from '../../src/core/conflict-set.js';
import { Core } from '../../src/core/core.js';
import type { Clock } from '../clock.js';

/** Nanoseconds. */
export interface Timing {
  /** Everything that a batch needs. */
  readonly total: number;
  /** The part of it that is not handing over the batch. */
  readonly structure: number;
}

/** Something that decides packed batches: the project's conflict set or a rival. */
export interface Contender {
  /** Takes a batch over into a form of its own; not timed. */
  prepare(batch: Uint8Array): void;
  /** Decides what was prepared, all at one version. */
  decide(version: number): Timing;
  /** One byte for each transaction of the batch decided last: 1 when it was committed. */
  readonly verdicts: Uint8Array;
}

/** The conflict set of the service. */
export class Headwater implements Contender {
  readonly set: ConflictSet;
  readonly #clock: Clock;
  #batch: Uint8Array = new Uint8Array(0);

  constructor(window: number, clock: Clock, bytesMax = 2 ** 30) {
    this.#clock = clock;
    this.set = new ConflictSet(Core.load(), { windowVersions: window, conflictBytesMax: bytesMax, floor: 0 });
  }

  prepare(batch: Uint8Array): void {
    this.#batch = batch;
  }

  decide(version: number): Timing {
    const start = this.#clock();
    const placed = this.set.copyIn(this.#batch);
    const copied = this.#clock();
    this.set.decideAt(placed, { first: version, step: 0 });
    const end = this.#clock();
    return { total: (end - start) * 1e6, structure: (end - copied) * 1e6 };
  }

  get verdicts(): Uint8Array {
    return this.set.verdicts;
  }
}
