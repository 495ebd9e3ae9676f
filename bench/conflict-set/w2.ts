import { SplitMix } from '../splitmix.js';
import { BatchWriter, type KeySet } from './batch.js';
import { w2Reference } from './foundationdb.js';
import type { Workload } from './workload.js';

/** W2: one operation at a time, 1,000 transactions of one range in a batch. */
export type Kind = 'point' | 'prefix' | 'range' | 'monotonic';
export type Keys = 'v8' | 'v32';

export interface Row {
  readonly kind: Kind;
  readonly keys: Keys;
  /** Of a read: how far its snapshot is behind; a write has none. */
  readonly lag?: number;
}

const BATCH = 1000;
const FILLED = 1000;
const WINDOW = 100;
const READ_BATCHES = 1000;
const WRITE_BATCHES = 2000;

const rows: readonly Row[] = (['v8', 'v32'] as const).flatMap((keys) => [
  ...(['point', 'prefix', 'range'] as const).flatMap((kind) =>
    [100, 10, 1].map((lag): Row => ({ kind, keys, lag })),
  ),
  ...(['point', 'prefix', 'range', 'monotonic'] as const).map((kind): Row => ({ kind, keys })),
]);

/** Of a million reads, by kind and lag. */
const COMMITTED: Readonly<Record<string, number>> = {
  'point 100': 904_372,
  'point 10': 990_047,
  'point 1': 998_991,
  'prefix 100': 904_372,
  'prefix 10': 990_047,
  'prefix 1': 998_991,
  'range 100': 34,
  'range 10': 367_126,
  'range 1': 904_723,
};

/** All rows: what is read after a fill with point writes, what is written after a fill of its own kind. */
export function w2(): readonly Workload[] {
  return rows.map((row): Workload => {
    const { keys, kind, lag } = row;
    const timed = lag === undefined ? WRITE_BATCHES : READ_BATCHES;
    return {
      name: `W2 ${keys} ${kind} ${lag === undefined ? 'write' : `read, lag ${lag}`}`,
      window: WINDOW,
      perBatch: BATCH,
      whole: { filled: FILLED, timed },
      part: { filled: WINDOW + 20, timed: 50 },
      foundationDb: w2Reference(row),
      batches: (extent) => batchesOf(row, extent.filled, extent.timed),
      right: { committed: lag === undefined ? timed * BATCH : COMMITTED[`${kind} ${lag}`]! },
    };
  });
}

function* batchesOf({ keys, kind, lag }: Row, filled: number, timed: number) {
  const stream = new Stream(keys);
  stream.skip(FILLED - filled);
  const filling = lag === undefined ? kind : 'point';
  for (let version = FILLED - filled + 1; version <= FILLED; version += 1) {
    yield { packed: stream.batch(filling), version };
  }
  for (let batch = 1; batch <= timed; batch += 1) {
    if (lag === undefined) yield { packed: stream.batch(kind), version: FILLED + batch };
    else yield { packed: stream.batch(kind, FILLED - lag), version: FILLED };
  }
}

/** The stream of batches of one row. */
class Stream {
  readonly #random = new SplitMix(42);
  readonly #writer: BatchWriter;
  #next = 0;

  constructor(keys: Keys) {
    this.#writer = new BatchWriter(keys === 'v8' ? v8 : v32);
  }

  /** Leaves out the next batches. */
  skip(batches: number): void {
    this.#next += batches * BATCH;
    this.#random.skip(batches * BATCH);
  }

  /** Writes, or with a snapshot reads. */
  batch(kind: Kind, snapshot?: number): Uint8Array {
    const writer = this.#writer;
    const shape = kind === 'monotonic' ? 'point' : kind;
    writer.start(BATCH);
    for (let count = 0; count < BATCH; count += 1) {
      const key = this.#key(kind);
      writer.next();
      if (snapshot === undefined) writer.write(shape, key, key + 100);
      else writer.read(shape, snapshot, key, key + 100);
    }
    return writer.finish();
  }

  #key(kind: Kind): number {
    if (kind === 'monotonic') return this.#next++;
    return this.#random.below(kind === 'range' ? 999_900 : 1_000_000);
  }
}

const v8: KeySet = {
  lengthMax: 8,
  put(_bytes, view, at, key) {
    view.setUint32(at, 0);
    view.setUint32(at + 4, key);
    return 8;
  },
};

const v32: KeySet = {
  lengthMax: 32,
  put(bytes, view, at, key) {
    bytes.fill(0x2e, at, at + 16);
    view.setUint32(at + 16, 0);
    view.setUint32(at + 20, key);
    suffix.restart(key);
    suffix.next();
    view.setUint32(at + 24, suffix.high);
    view.setUint32(at + 28, suffix.low);
    return 32;
  },
};
const suffix = new SplitMix(0);
