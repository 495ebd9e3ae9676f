import { OperationKind, PACKED_HEADER_BYTES, PreconditionKind } from '../../src/core/packed-transaction.js';

/** Keys by number, whose order as bytes is that of their numbers. */
export interface KeySet {
  /** No key is longer, in bytes. */
  readonly lengthMax: number;
  /** Writes key number `key` at `at`, and returns its length in bytes. */
  put(bytes: Uint8Array, view: DataView, at: number, key: number): number;
}

/** The key alone; from the key to the key and a byte FF; from one key up to, not including, another. */
export type Shape = 'point' | 'prefix' | 'range';

/**
 * Packs batches of transactions without values and request IDs (see `src/core/packed-transaction.ts`), straight from
 * numbers: objects for each key would fill the caches with garbage between one batch and the next.
 */
export class BatchWriter {
  readonly #keys: KeySet;
  #bytes = new Uint8Array(1 << 18);
  #view = new DataView(this.#bytes.buffer);
  #count = 0;
  #index = 0;
  #start = 0;
  #at = 0;

  constructor(keys: KeySet) {
    this.#keys = keys;
  }

  /** Starts a batch of `count` transactions. */
  start(count: number): void {
    this.#count = count;
    this.#index = 0;
    this.#at = 4 * (count + 1);
    this.#makeRoom();
  }

  /** Starts the next transaction: its reads come first, then its writes, at most one of each. */
  next(): void {
    this.#makeRoom();
    this.#view.setUint32(4 * this.#index, this.#at, true);
    this.#index += 1;
    this.#start = this.#at;
    this.#bytes.fill(0, this.#at, this.#at + PACKED_HEADER_BYTES);
    this.#at += PACKED_HEADER_BYTES;
  }

  read(shape: Shape, snapshot: number, key: number, end = 0): void {
    const view = this.#view;
    view.setUint32(this.#start, 1, true);
    this.#bytes[this.#at] = shape === 'point' ? PreconditionKind.pointRead : PreconditionKind.rangeRead;
    view.setUint32(this.#at + 1, snapshot, true);
    view.setUint32(this.#at + 5, 0, true);
    this.#at += 9;
    this.#put(shape, key, end);
    view.setUint32(this.#start + 8, this.#at - this.#start - PACKED_HEADER_BYTES, true);
  }

  write(shape: Shape, key: number, end = 0): void {
    this.#view.setUint32(this.#start + 4, 1, true);
    this.#bytes[this.#at] = shape === 'point' ? OperationKind.delete : OperationKind.rangeDelete;
    this.#at += 1;
    this.#put(shape, key, end);
  }

  /** The batch, good until the next one is started. */
  finish(): Uint8Array {
    this.#view.setUint32(4 * this.#count, this.#at, true);
    return this.#bytes.subarray(0, this.#at);
  }

  #put(shape: Shape, key: number, end: number): void {
    this.#putKey(key, 0);
    if (shape === 'prefix') this.#putKey(key, 1);
    if (shape === 'range') this.#putKey(end, 0);
  }

  #putKey(key: number, ends: 0 | 1): void {
    const length = this.#keys.put(this.#bytes, this.#view, this.#at + 4, key);
    this.#view.setUint32(this.#at, length + ends, true);
    this.#at += 4 + length;
    if (ends === 1) {
      this.#bytes[this.#at] = 0xff;
      this.#at += 1;
    }
  }

  /** For one more transaction. */
  #makeRoom(): void {
    if (this.#at + 4 * (this.#keys.lengthMax + 32) <= this.#bytes.length) return;
    const grown = new Uint8Array(2 * this.#bytes.length + this.#at);
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
