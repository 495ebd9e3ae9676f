/** A run of whole records of one segment. Offsets are in bytes from the start of the segment. */
export interface Block {
  readonly firstVersion: number;
  readonly start: number;
  /** Where the next block starts; `undefined` for the last one, which ends with the segment's records. */
  readonly end: number | undefined;
}

/** A block is cut before the record that would make it longer than this; one longer record is a block alone. */
export const BLOCK_BYTES = 65536;

const LANES = 2;

/**
 * Where the blocks of a segment start: the sparse index of versions. Which record starts a block follows from
 * the records alone, so that an index that is built again comes out the same.
 *
 * Two u32 lanes a block: its first version less the segment's first version, and its offset / 8.
 */
export class BlockStarts {
  readonly #firstVersion: number;
  #lanes: Uint32Array;
  #count: number;

  /** @param lanes the blocks there are, as `lanes` gave them. */
  constructor(firstVersion: number, lanes: Uint32Array = new Uint32Array(0)) {
    this.#firstVersion = firstVersion;
    this.#lanes = lanes;
    this.#count = lanes.length / LANES;
  }

  get count(): number {
    return this.#count;
  }

  get lanes(): Uint32Array {
    return this.#lanes.subarray(0, this.#count * LANES);
  }

  /** Takes note of the record behind all others; it stands at `start` and ends before `end`. */
  add(version: number, start: number, end: number): void {
    const block = this.#count - 1;
    if (block >= 0 && end - this.#start(block) <= BLOCK_BYTES) return;
    if ((this.#count + 1) * LANES > this.#lanes.length) {
      const grown = new Uint32Array(Math.max(this.#lanes.length * 2, 64));
      grown.set(this.#lanes);
      this.#lanes = grown;
    }
    this.#lanes[this.#count * LANES] = version - this.#firstVersion;
    this.#lanes[this.#count * LANES + 1] = start / 8;
    this.#count += 1;
  }

  /** The block with the record of this version, which must be one that was added. */
  find(version: number): Block {
    const target = version - this.#firstVersion;
    let low = 0;
    let high = this.#count - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#lanes[middle * LANES]! <= target) low = middle;
      else high = middle - 1;
    }
    if (high < 0 || target < this.#lanes[low * LANES]!) throw new RangeError(`no block holds ${version}`);
    return {
      firstVersion: this.#firstVersion + this.#lanes[low * LANES]!,
      start: this.#start(low),
      end: low + 1 < this.#count ? this.#start(low + 1) : undefined,
    };
  }

  #start(block: number): number {
    return this.#lanes[block * LANES + 1]! * 8;
  }
}
