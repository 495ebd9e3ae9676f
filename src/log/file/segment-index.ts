import { type Block, BlockStarts } from './block-starts.js';
import { RequestIdTable } from './request-id-table.js';
import type { WalkedRecords } from './segment-walk.js';

/** Finds records in one segment: by version (to within a block) and by request-ID hash. */
export interface SegmentIndex {
  /** The block with the record of this version, which must be in the segment. */
  findBlock(version: number): Block;
  /** Offsets of all records whose request ID has this hash; of others only if their hash is the same. */
  findOffsets(low: number, high: number): Promise<readonly number[]>;
  /** The hashes of all request IDs, two lanes each, in no particular order; one may come twice. */
  hashes(): AsyncIterable<Uint32Array>;
}

/** The index of a segment that is being written, or has not been sealed yet: the stored form, in memory. */
export class LiveIndex implements SegmentIndex {
  readonly blocks: BlockStarts;
  readonly requests = new RequestIdTable();

  constructor(firstVersion: number) {
    this.blocks = new BlockStarts(firstVersion);
  }

  /**
   * Takes note of records that stand behind all others.
   * @param base offset in the segment of the bytes that `offsets` count from.
   * @param offsets where each record starts.
   * @param end offset in the segment where the last of the records ends.
   * @param hashes of the request IDs, two lanes a record, low then high.
   */
  add(firstVersion: number, base: number, offsets: Uint32Array, end: number, hashes: Uint32Array): void {
    for (let record = 0; record < offsets.length; record += 1) {
      const start = base + offsets[record]!;
      const recordEnd = record + 1 < offsets.length ? base + offsets[record + 1]! : end;
      this.blocks.add(firstVersion + record, start, recordEnd);
      this.requests.add(hashes[record * 2]!, hashes[record * 2 + 1]!, start);
    }
  }

  /** As `add`, for records that were read from the segment. */
  addWalked({ base, bytes, count, firstVersion, scan }: WalkedRecords): void {
    const offsets = scan.offsets.subarray(0, count);
    this.add(firstVersion, base, offsets, base + bytes.length, scan.requestIdHashes);
  }

  findBlock(version: number): Block {
    return this.blocks.find(version);
  }

  async findOffsets(low: number, high: number): Promise<readonly number[]> {
    return this.requests.offsets(low, high);
  }

  async *hashes(): AsyncIterable<Uint32Array> {
    yield* this.requests.hashes();
  }
}
