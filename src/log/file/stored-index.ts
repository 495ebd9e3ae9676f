import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Core } from '../../core/core.js';
import { type Block, BlockStarts } from './block-starts.js';
import { type Disk, type DiskFile, replaceFileAtomically } from './disk.js';
import {
  decodeIndexHead,
  encodeIndexHead,
  INDEX_HEAD_BYTES,
  type IndexHead,
  indexLayout,
  PAGE_BYTES,
  PAGE_SLOTS,
} from './index-head.js';
import { hashesIn, LANES, probe } from './request-id-table.js';
import type { LiveIndex, SegmentIndex } from './segment-index.js';

/** An index file does not say what it should. The segment says it all; the index can be built again. */
export class IndexDamage extends Error {
  override readonly name = 'IndexDamage';
}

/** The facts of a sealed segment that its index states. */
export type SealedFacts = Pick<
  IndexHead,
  'segmentChecksum' | 'recordCount' | 'segmentBytes' | 'firstVersion' | 'lastVersion' | 'lastTimestampMs'
>;

/** Slots settled, and pages written, before the event loop gets its turn. */
const SLOTS_PER_TURN = 1 << 15;
const PAGES_PER_WRITE = 64;

/**
 * Writes an index file, durably and under its name only when it is whole. Takes turns with whatever else
 * runs; nothing may be added to `index` meanwhile.
 */
export async function writeIndex(
  disk: Disk,
  core: Core,
  path: string,
  facts: SealedFacts,
  index: LiveIndex,
): Promise<void> {
  while (!index.requests.settle(SLOTS_PER_TURN)) await nextTurn();
  const { lanes } = index.requests;
  const blocks = bytesOf(index.blocks.lanes);
  const shape = { blockCount: index.blocks.count, slotCount: lanes.length / LANES };
  const layout = indexLayout(shape);
  const checksums = new Uint32Array(shape.slotCount / PAGE_SLOTS);
  const table = bytesOf(lanes);
  await replaceFileAtomically(disk, path, async (file) => {
    const pieceBytes = PAGES_PER_WRITE * PAGE_BYTES;
    for (let start = 0; start < table.length; start += pieceBytes) {
      const piece = table.subarray(start, start + pieceBytes);
      for (let at = 0; at < piece.length; at += PAGE_BYTES) {
        checksums[(start + at) / PAGE_BYTES] = core.crc32c(piece.subarray(at, at + PAGE_BYTES));
      }
      await file.write([piece], layout.tableAt + start);
    }
    const head = encodeIndexHead(core, {
      ...facts,
      ...shape,
      blocksChecksum: core.crc32c(blocks),
      pagesChecksum: core.crc32c(bytesOf(checksums)),
    });
    await file.write([head, blocks, bytesOf(checksums)], 0);
  });
}

/**
 * Reads the head of an index file, which is enough to know that a segment was sealed, and how.
 * @throws IndexDamage when the head is not sound or the file does not have the length that it implies.
 */
export async function readIndexHead(core: Core, file: DiskFile): Promise<IndexHead> {
  const bytes = new Uint8Array(INDEX_HEAD_BYTES);
  const head = decodeIndexHead(core, bytes.subarray(0, await file.read(bytes, 0)));
  if (typeof head === 'string') throw new IndexDamage(head);
  const size = await file.size();
  if (size !== indexLayout(head).end) throw new IndexDamage(`${size} bytes do not fit its head`);
  return head;
}

/** An open index file of a sealed segment. What it answers has been checked against its checksums. */
export class StoredIndex implements SegmentIndex {
  readonly head: IndexHead;
  readonly #core: Core;
  readonly #file: DiskFile;
  readonly #blocks: BlockStarts;
  readonly #pageChecksums: Uint32Array;
  readonly #tableAt: number;

  private constructor(core: Core, file: DiskFile, head: IndexHead, lanes: Uint32Array, sums: Uint32Array) {
    this.#core = core;
    this.#file = file;
    this.head = head;
    this.#blocks = new BlockStarts(head.firstVersion, lanes);
    this.#pageChecksums = sums;
    this.#tableAt = indexLayout(head).tableAt;
  }

  /** @throws IndexDamage when the file is not a sound index; the file is closed then. */
  static async open(disk: Disk, core: Core, path: string): Promise<StoredIndex> {
    const file = await disk.open(path, 'read');
    try {
      const head = await readIndexHead(core, file);
      const { blocksAt, checksumsAt, tableAt } = indexLayout(head);
      const blocks = await readLanes(file, blocksAt, checksumsAt);
      const sums = await readLanes(file, checksumsAt, tableAt);
      if (core.crc32c(bytesOf(blocks)) !== head.blocksChecksum) throw new IndexDamage('bad block starts');
      if (core.crc32c(bytesOf(sums)) !== head.pagesChecksum) throw new IndexDamage('bad page checksums');
      return new StoredIndex(core, file, head, blocks, sums);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  findBlock(version: number): Block {
    return this.#blocks.find(version);
  }

  /** @throws IndexDamage when a page of the table fails its checksum. */
  async findOffsets(low: number, high: number): Promise<readonly number[]> {
    const found: number[] = [];
    const pages = this.#pageChecksums.length;
    const home = (low & (this.head.slotCount - 1)) >>> 0;
    let page = Math.floor(home / PAGE_SLOTS);
    let slot = home % PAGE_SLOTS;
    for (let seen = 0; seen <= pages; seen += 1) {
      const slots = await this.#page(page);
      if (probe(slots, slot, PAGE_SLOTS, low, high, found)) return found;
      page = (page + 1) % pages;
      slot = 0;
    }
    throw new IndexDamage('the table of request IDs has no empty slot');
  }

  /** @throws IndexDamage when a page of the table fails its checksum. */
  async *hashes(): AsyncIterable<Uint32Array> {
    for await (const slots of this.pages()) yield* hashesIn(slots, 0);
  }

  /** The table of request IDs, page by page. @throws IndexDamage when one fails its checksum. */
  async *pages(): AsyncIterable<Uint32Array> {
    for (let page = 0; page < this.#pageChecksums.length; page += 1) yield await this.#page(page);
  }

  /** The block starts, as `BlockStarts` has them. */
  get blockLanes(): Uint32Array {
    return this.#blocks.lanes;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #page(page: number): Promise<Uint32Array> {
    const at = this.#tableAt + page * PAGE_BYTES;
    const slots = await readLanes(this.#file, at, at + PAGE_BYTES);
    if (this.#core.crc32c(bytesOf(slots)) !== this.#pageChecksums[page]) {
      throw new IndexDamage(`the page at offset ${at} fails its checksum`);
    }
    return slots;
  }
}

async function readLanes(file: DiskFile, start: number, end: number): Promise<Uint32Array> {
  const lanes = new Uint32Array((end - start) / 4);
  const count = await file.read(bytesOf(lanes), start);
  if (count < end - start) throw new IndexDamage('the file is cut short');
  return lanes;
}

/** The lanes as they stand on disk, without a copy: the platforms that Node runs on are little-endian. */
function bytesOf(lanes: Uint32Array): Uint8Array {
  return new Uint8Array(lanes.buffer, lanes.byteOffset, lanes.byteLength);
}
