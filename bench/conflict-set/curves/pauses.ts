import { processorClock, wallClock } from '../../clock.js';
import { Headwater } from '../contender.js';
import { Feed } from './feed.js';
import { RANDOM, VERY_LONG } from './key-sets.js';

/** Over a series of batches of one transaction. */
export interface Pause {
  readonly name: string;
  readonly batches: number;
  /** Milliseconds of the longest batch, and how many took more than one. */
  readonly worst: number;
  readonly overOne: number;
  /**
   * The same for the time that the thread can have been busy with a batch: neither longer than the batch took, nor than
   * all threads of the process were busy meanwhile. It leaves out what else the machine did.
   */
  readonly worstBusy: number;
  readonly overOneBusy: number;
}

const LIVE = 3_000_000;
const ENDLESS = 2 ** 30;
const WARM_UP = 20_000;
/** How many versions a snapshot is behind. */
const LAG = 10;

/** The longest batches at 3 million live entries, and at the bound of a memory of 32 MiB. */
export function pauses(): readonly Pause[] {
  return [...atThreeMillion(), outOfTheWindow(), ...atTheBound()];
}

function atThreeMillion(): readonly Pause[] {
  const { feed, watched } = filled(2 ** 31, ENDLESS);
  const { set } = watched;
  const usual = (): Uint8Array => next(feed, watched);
  const found: Pause[] = [];
  found.push(watched.watch('one range read, one point write', 300_000, usual));
  found.push(
    watched.watch('reads of the whole key space', 1_000, () => {
      return feed.everything({ snapshot: watched.version - LAG });
    }),
  );
  found.push(watched.watch('the write over the whole key space', 1, () => feed.everything('write')));
  const buried = set.entries;
  found.push(watched.watch('after it, while what it covered is freed', 1_500_000, usual));
  if (set.entries > buried / 2) throw new Error(`${set.entries} of ${buried} entries are left`);
  return found;
}

/** Batches get small, so that nearly all that was written is old after `window` of them. */
function outOfTheWindow(): Pause {
  const { feed, watched } = filled(2 ** 31, 3000 + WARM_UP);
  const filledEntries = watched.set.entries;
  const found = watched.watch('while nearly all becomes old', 800_000, () => next(feed, watched));
  if (watched.set.entries > filledEntries / 2) throw new Error(`${watched.set.entries} entries are left`);
  return found;
}

/** Old history makes room for new keys of the same length, and then for keys that need pages in a row. */
function atTheBound(): readonly Pause[] {
  const { feed, watched } = filled(2 ** 25, ENDLESS);
  const long = new Feed(VERY_LONG, 1000);
  const found = [watched.watch('at a bound of 32 MiB', 300_000, () => next(feed, watched))];
  if (watched.set.floor === 0) throw new Error('the bound was not met');
  found.push(watched.watch('the same, writes of 100,000-byte keys', 300, () => long.writes(1)));
  return found;
}

const next = (feed: Feed, { version }: Watched): Uint8Array => feed.readAndWrite(Math.max(0, version - LAG));

/** A set after writes of so many keys as are to be live, and some small batches, so that their code is compiled. */
function filled(bytesMax: number, window: number): { readonly feed: Feed; readonly watched: Watched } {
  const feed = new Feed(RANDOM, LIVE);
  const watched = new Watched(bytesMax, window);
  for (let left = LIVE; left > 0; left -= feed.batchLength) watched.decide(feed.writes());
  watched.watch('', WARM_UP, () => next(feed, watched));
  return { feed, watched };
}

class Watched {
  version = 0;
  readonly #ours: Headwater;

  constructor(bytesMax: number, window: number) {
    this.#ours = new Headwater(window, wallClock, bytesMax);
  }

  get set(): Headwater['set'] {
    return this.#ours.set;
  }

  /** @returns milliseconds. */
  decide(batch: Uint8Array): number {
    this.version += 1;
    this.#ours.prepare(batch);
    return this.#ours.decide(this.version).total / 1e6;
  }

  watch(name: string, batches: number, next: () => Uint8Array): Pause {
    const pause = { name, batches, worst: 0, overOne: 0, worstBusy: 0, overOneBusy: 0 };
    for (let count = 0; count < batches; count += 1) {
      const batch = next();
      const start = processorClock();
      const wall = this.decide(batch);
      const busy = Math.min(wall, processorClock() - start);
      pause.worst = Math.max(pause.worst, wall);
      pause.worstBusy = Math.max(pause.worstBusy, busy);
      if (wall > 1) pause.overOne += 1;
      if (busy > 1) pause.overOneBusy += 1;
    }
    return pause;
  }
}
