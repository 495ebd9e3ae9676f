import { ConflictSet } from '../../src/core/conflict-set.js';
import { Core } from '../../src/core/core.js';
import { SplitMix } from '../splitmix.js';
import { Table } from '../table.js';
import { BatchWriter, type KeySet, type Shape } from './batch.js';

const BATCH = 1000;
/** Batches of it are live, mostly of writes. */
const WINDOW = 100;
const UNIVERSE = 1_000_000;
const WHOLE_SPACE_EVERY_BATCHES = 5_000;
const SAMPLES = 10;
/** The lengths of keys change so often in each sample: pages of one class of lengths have to become pages of another. */
const ERAS = 8;
/** What was the most in the first half may be exceeded by this factor at the end. */
const TOLERANCE = 1.05;
const MIB = 2 ** 20;

/** Four bytes of number, then more of them or fewer: in each era other lengths. */
class EraKeys implements KeySet {
  readonly lengthMax = 300;
  era = 0;

  put(bytes: Uint8Array, view: DataView, at: number, key: number): number {
    const spread = Math.imul(key, 0x9e37_79b1) >>> 0;
    const length = [8, 16 + (spread % 2) * 16, 4 + (spread % 296), 200][this.era % 4]!;
    view.setUint32(at, key);
    bytes.fill(spread, at + 4, at + length);
    return length;
  }
}

interface Peak {
  entries: number;
  /** Bytes. */
  history: number;
  core: number;
  process: number;
}

/**
 * Reads and writes of all kinds over a long time, one in each transaction; prints memory ten times.
 * @throws Error when it grows.
 */
export function churn(seed: number, operations: number): void {
  const core = Core.load();
  const set = new ConflictSet(core, { windowVersions: WINDOW, conflictBytesMax: 2 ** 30, floor: 0 });
  const batches = Math.ceil(operations / BATCH);
  const stream = new Stream(seed, Math.ceil(batches / SAMPLES / ERAS));
  const table = new Table([
    ['operations', 12],
    ['committed', 12],
    ['entries, peak', 13],
    ['history, MiB', 12],
    ['Wasm memory, MiB', 12],
    ['process, MiB', 12],
  ]);
  const peaks: Peak[] = [];
  let committed = 0;
  for (let sample = 1, version = 0; sample <= SAMPLES; sample += 1) {
    const peak: Peak = { entries: 0, history: 0, core: 0, process: 0 };
    for (; version < Math.round((batches * sample) / SAMPLES); ) {
      version += 1;
      committed += set.decide(stream.batch(version), { first: version, step: 0 });
      peak.entries = Math.max(peak.entries, set.entries);
      peak.history = Math.max(peak.history, set.bytes);
    }
    peak.core = core.wasm.bytes.length;
    peak.process = process.memoryUsage().rss;
    peaks.push(peak);
    const mebibytes = [peak.history, peak.core, peak.process].map((bytes) => (bytes / MIB).toFixed(1));
    table.row([`${version * BATCH}`, `${committed}`, `${peak.entries}`, ...mebibytes]);
  }
  set.verify();
  checkSteady(peaks);
}

function checkSteady(peaks: readonly Peak[]): void {
  const last = peaks.at(-1)!;
  for (const what of ['entries', 'history', 'core', 'process'] as const) {
    const before = Math.max(...peaks.slice(0, SAMPLES / 2).map((peak) => peak[what]));
    if (last[what] <= before * TOLERANCE) continue;
    throw new Error(`memory grows: ${what} was ${before} in the first half, and is ${last[what]}`);
  }
  console.log('steady');
}

class Stream {
  readonly #keys = new EraKeys();
  readonly #writer = new BatchWriter(this.#keys);
  readonly #random: SplitMix;

  constructor(
    seed: number,
    readonly eraBatches: number,
  ) {
    this.#random = new SplitMix(seed);
  }

  /** The batch that commits at `version`. */
  batch(version: number): Uint8Array {
    const writer = this.#writer;
    this.#keys.era = Math.floor(version / this.eraBatches);
    writer.start(BATCH);
    for (let count = 0; count < BATCH; count += 1) {
      writer.next();
      if (count === 0 && version % WHOLE_SPACE_EVERY_BATCHES === 0) writer.write('range', 0, UNIVERSE + 100);
      else this.#operation(version);
    }
    return writer.finish();
  }

  #operation(version: number): void {
    const key = this.#random.below(UNIVERSE);
    const choice = this.#random.low >>> 16;
    const shape: Shape = choice % 16 === 0 ? 'range' : choice % 16 === 1 ? 'prefix' : 'point';
    const end = key + 1 + (choice % 50);
    if (choice % 5 < 2) {
      const lag = 1 + (choice % WINDOW);
      this.#writer.read(shape, Math.max(0, version - lag), key, end);
    } else this.#writer.write(shape, key, end);
  }
}
