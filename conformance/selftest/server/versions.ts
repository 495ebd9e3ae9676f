import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';

/** Versions are reserved on disk in blocks, so that none is issued twice whatever crashes. */
const RESERVED_AHEAD = 1000n;
const SAVED_EVERY = 16n;

/** The version of a log without transactions. */
export const emptyVersion = (behaviour: Behaviour): bigint =>
  behaviour.pick(0n, { 'versions-above-2-53': 2n ** 53n + 1n, 'versions-from-a-clock': clock() });

function clock(): bigint {
  return BigInt(Date.now()) * 1000n;
}

/** Hands out the versions of one term. */
export class Versions {
  readonly #behaviour: Behaviour;
  readonly #disk: Disk;
  #last: bigint;
  #issued = 0n;

  constructor(behaviour: Behaviour, disk: Disk) {
    this.#behaviour = behaviour;
    this.#disk = disk;
    this.#last = behaviour.pick(disk.reservedThrough, {
      'version-counter-saved-now-and-then': disk.durable - (disk.durable % SAVED_EVERY),
    });
  }

  next(): bigint {
    this.#last = this.#following();
    this.#issued += 1n;
    if (this.#last > this.#disk.reservedThrough) this.#disk.reservedThrough = this.#last + RESERVED_AHEAD;
    return this.#behaviour.has('versions-from-two-counters') && this.#issued % 8n >= 4n
      ? this.#last + RESERVED_AHEAD
      : this.#last;
  }

  #following(): bigint {
    const step = this.#behaviour.pick(() => 1n, {
      'versions-with-gaps': () => BigInt(1 + Math.floor(Math.random() * 1000)),
      'versions-from-a-clock': () => {
        const elapsed = clock() - this.#last;
        return elapsed > 1n ? elapsed : 1n;
      },
    });
    return this.#last + step();
  }
}
