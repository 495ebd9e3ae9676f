import { SplitMix } from '../../splitmix.js';
import { BatchWriter, type Shape } from '../batch.js';
import type { NamedKeys } from './key-sets.js';

/** There are so many keys for each that is live. */
const KEYS_PER_LIVE = 10;
/** So many keys wide is a range: about ten live ones. */
const RANGE = 100;

/** Batches of one operation in each transaction, for a set with about `live` entries. */
export class Feed {
  /** Transactions in a batch. */
  readonly batchLength: number;
  /** Versions that are kept: what is written in them is live. */
  readonly window: number;
  readonly #universe: number;
  readonly #isMonotonic: boolean;
  readonly #random = new SplitMix(42);
  readonly #writer: BatchWriter;
  #next = 0;

  constructor(
    { keys, isMonotonic }: NamedKeys,
    readonly live: number,
  ) {
    this.batchLength = Math.min(1000, live / 10);
    this.window = live / this.batchLength;
    this.#universe = live * KEYS_PER_LIVE;
    this.#isMonotonic = isMonotonic;
    this.#writer = new BatchWriter(keys(2 * this.#universe));
  }

  writes(count = this.batchLength): Uint8Array {
    const writer = this.#writer;
    writer.start(count);
    for (let index = 0; index < count; index += 1) {
      writer.next();
      writer.write('point', this.#isMonotonic ? this.#next++ : this.#random.below(this.#universe));
    }
    return writer.finish();
  }

  reads(shape: Shape, snapshot: number): Uint8Array {
    const writer = this.#writer;
    writer.start(this.batchLength);
    for (let index = 0; index < this.batchLength; index += 1) {
      const drawn = this.#isMonotonic
        ? Math.max(0, this.#next - this.#random.below(this.live))
        : this.#random.below(this.#universe);
      writer.next();
      writer.read(shape, snapshot, drawn, drawn + RANGE);
    }
    return writer.finish();
  }

  /** One transaction that reads a range and writes a key, each anywhere. */
  readAndWrite(snapshot: number): Uint8Array {
    const writer = this.#writer;
    const read = this.#random.below(this.#universe);
    writer.start(1);
    writer.next();
    writer.read('range', snapshot, read, read + RANGE);
    writer.write('point', this.#random.below(this.#universe));
    return writer.finish();
  }

  /** One transaction that writes over all keys, or reads them all. */
  everything(what: 'write' | { readonly snapshot: number }): Uint8Array {
    const writer = this.#writer;
    writer.start(1);
    writer.next();
    if (what === 'write') writer.write('range', 0, 2 * this.#universe - 1);
    else writer.read('range', what.snapshot, 0, 2 * this.#universe - 1);
    return writer.finish();
  }
}
