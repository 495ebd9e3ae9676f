import type { Core } from '../../core/core.js';
import { getUint53, setUint53 } from '../../core/version.js';
import { LANES, SLOTS_MIN } from './request-id-table.js';
import { FORMAT_VERSION } from './segment-header.js';

export const INDEX_HEAD_BYTES = 128;
/** Slots of the request-ID table that share one checksum, and are read at once. */
export const PAGE_SLOTS = SLOTS_MIN;
export const PAGE_BYTES = PAGE_SLOTS * LANES * 4;

const MAGIC = Uint8Array.from('HWSEGIDX', (letter) => letter.charCodeAt(0));
const CHECKSUM_AT = 8;
const CHECKED_FROM = 12;
const FORMAT_AT = 12;
const SEGMENT_CHECKSUM_AT = 16;
const RECORD_COUNT_AT = 20;
const SEGMENT_BYTES_AT = 24;
const FIRST_VERSION_AT = 32;
const LAST_VERSION_AT = 40;
const LAST_TIMESTAMP_AT = 48;
const BLOCK_COUNT_AT = 56;
const BLOCKS_CHECKSUM_AT = 60;
const SLOT_COUNT_AT = 64;
const PAGES_CHECKSUM_AT = 68;

/** The first bytes of an index file: the facts of a sealed segment, and what else the file holds. */
export interface IndexHead {
  /** The checksum in the header of the segment that this index belongs to. */
  readonly segmentChecksum: number;
  readonly recordCount: number;
  /** Length of the segment: header and records. */
  readonly segmentBytes: number;
  readonly firstVersion: number;
  readonly lastVersion: number;
  readonly lastTimestampMs: number;
  readonly blockCount: number;
  readonly blocksChecksum: number;
  /** Slots of the request-ID table: a power of two. */
  readonly slotCount: number;
  /** The checksum of the checksums of the table's pages. */
  readonly pagesChecksum: number;
}

/** Where the parts of an index file start, in bytes, and where it ends. */
export function indexLayout(head: Pick<IndexHead, 'blockCount' | 'slotCount'>): {
  readonly blocksAt: number;
  readonly checksumsAt: number;
  readonly tableAt: number;
  readonly end: number;
} {
  const blocksAt = INDEX_HEAD_BYTES;
  const checksumsAt = blocksAt + head.blockCount * 8;
  const tableAt = checksumsAt + (head.slotCount / PAGE_SLOTS) * 4;
  return { blocksAt, checksumsAt, tableAt, end: tableAt + head.slotCount * LANES * 4 };
}

export function encodeIndexHead(core: Core, head: IndexHead): Uint8Array {
  const bytes = new Uint8Array(INDEX_HEAD_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC, 0);
  view.setUint32(FORMAT_AT, FORMAT_VERSION, true);
  view.setUint32(SEGMENT_CHECKSUM_AT, head.segmentChecksum, true);
  view.setUint32(RECORD_COUNT_AT, head.recordCount, true);
  setUint53(view, SEGMENT_BYTES_AT, head.segmentBytes);
  setUint53(view, FIRST_VERSION_AT, head.firstVersion);
  setUint53(view, LAST_VERSION_AT, head.lastVersion);
  setUint53(view, LAST_TIMESTAMP_AT, head.lastTimestampMs);
  view.setUint32(BLOCK_COUNT_AT, head.blockCount, true);
  view.setUint32(BLOCKS_CHECKSUM_AT, head.blocksChecksum, true);
  view.setUint32(SLOT_COUNT_AT, head.slotCount, true);
  view.setUint32(PAGES_CHECKSUM_AT, head.pagesChecksum, true);
  view.setUint32(CHECKSUM_AT, core.crc32c(bytes.subarray(CHECKED_FROM)), true);
  return bytes;
}

/**
 * @param bytes the first `INDEX_HEAD_BYTES` of an index file.
 * @returns the head, or a string that says what is wrong with the bytes.
 */
export function decodeIndexHead(core: Core, bytes: Uint8Array): IndexHead | string {
  if (bytes.length < INDEX_HEAD_BYTES) return 'the head is cut short';
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) return 'this is not an index of a segment';
  const view = new DataView(bytes.buffer, bytes.byteOffset, INDEX_HEAD_BYTES);
  const sum = core.crc32c(bytes.subarray(CHECKED_FROM, INDEX_HEAD_BYTES));
  if (sum !== view.getUint32(CHECKSUM_AT, true)) return 'the head fails its checksum';
  const format = view.getUint32(FORMAT_AT, true);
  if (format !== FORMAT_VERSION) return `the format version is ${format}; known is ${FORMAT_VERSION}`;
  return {
    segmentChecksum: view.getUint32(SEGMENT_CHECKSUM_AT, true),
    recordCount: view.getUint32(RECORD_COUNT_AT, true),
    segmentBytes: getUint53(view, SEGMENT_BYTES_AT),
    firstVersion: getUint53(view, FIRST_VERSION_AT),
    lastVersion: getUint53(view, LAST_VERSION_AT),
    lastTimestampMs: getUint53(view, LAST_TIMESTAMP_AT),
    blockCount: view.getUint32(BLOCK_COUNT_AT, true),
    blocksChecksum: view.getUint32(BLOCKS_CHECKSUM_AT, true),
    slotCount: view.getUint32(SLOT_COUNT_AT, true),
    pagesChecksum: view.getUint32(PAGES_CHECKSUM_AT, true),
  };
}
