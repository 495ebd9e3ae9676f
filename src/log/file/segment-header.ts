import type { Core } from '../../core/core.js';
import { getUint53, setUint53 } from '../../core/version.js';

/** Bytes from the start of a segment to its first record: a whole page, so that records start on one. */
export const HEADER_BYTES = 4096;
export const FORMAT_VERSION = 1;
export const HASH_KEY_BYTES = 16;
/** The longest leader ID, in bytes of UTF-8. */
export const LEADER_ID_BYTES_MAX = 256;

const MAGIC = Uint8Array.from('HWSEGMNT', (letter) => letter.charCodeAt(0));
const CHECKSUM_AT = 8;
const CHECKED_FROM = 12;
const FORMAT_AT = 12;
const FLOOR_AT = 16;
const PREV_VERSION_AT = 24;
const PREV_TIMESTAMP_AT = 32;
const TERM_STARTED_AT = 40;
const MAX_IN_FLIGHT_AT = 48;
const LEADER_ID_LENGTH_AT = 52;
const HASH_KEY_AT = 56;
const LEADER_ID_AT = 72;
const MAX_IN_FLIGHT_MAX = 0xffff_ffff;

/** What a segment says of itself and of the log before it. Never changes once the segment has its name. */
export interface SegmentHeader {
  /** The term that all records of the segment belong to. */
  readonly leaderId: string;
  /** The first record has the version above this one; no earlier term can have issued a higher one. */
  readonly versionFloor: number;
  /** Version and time of the last transaction before this segment; 0 when there was none. */
  readonly prevVersion: number;
  readonly prevTimestampMs: number;
  /** When the term started, milliseconds since 1970. */
  readonly termStartedMs: number;
  /** How many versions the term may have accepted and not yet durable at any time: 1 to 2^32 - 1. */
  readonly maxInFlight: number;
  /** The key of the request-ID hashes: 16 bytes, the same in all segments of a directory. */
  readonly hashKey: Uint8Array;
}

/**
 * The header block, `HEADER_BYTES` long.
 * @throws RangeError when a field is out of its range.
 */
export function encodeSegmentHeader(core: Core, header: SegmentHeader): Uint8Array {
  const leaderId = new TextEncoder().encode(header.leaderId);
  if (leaderId.length > LEADER_ID_BYTES_MAX) throw new RangeError('the leader ID is too long');
  if (header.hashKey.length !== HASH_KEY_BYTES) throw new RangeError('the hash key is not 16 bytes');
  const { maxInFlight } = header;
  if (!Number.isInteger(maxInFlight) || maxInFlight < 1 || maxInFlight > MAX_IN_FLIGHT_MAX) {
    throw new RangeError(`a term has from 1 to ${MAX_IN_FLIGHT_MAX} versions in flight`);
  }
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC, 0);
  view.setUint32(FORMAT_AT, FORMAT_VERSION, true);
  setUint53(view, FLOOR_AT, header.versionFloor);
  setUint53(view, PREV_VERSION_AT, header.prevVersion);
  setUint53(view, PREV_TIMESTAMP_AT, header.prevTimestampMs);
  setUint53(view, TERM_STARTED_AT, header.termStartedMs);
  view.setUint32(MAX_IN_FLIGHT_AT, maxInFlight, true);
  view.setUint32(LEADER_ID_LENGTH_AT, leaderId.length, true);
  bytes.set(header.hashKey, HASH_KEY_AT);
  bytes.set(leaderId, LEADER_ID_AT);
  view.setUint32(CHECKSUM_AT, core.crc32c(bytes.subarray(CHECKED_FROM)), true);
  return bytes;
}

/** The checksum that a header block carries: what an index names to say which segment it belongs to. */
export function headerChecksum(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(CHECKSUM_AT, true);
}

/**
 * @param bytes the first `HEADER_BYTES` of a segment.
 * @returns the header, or a string that says what is wrong with the bytes.
 */
export function decodeSegmentHeader(core: Core, bytes: Uint8Array): SegmentHeader | string {
  if (bytes.length < HEADER_BYTES) return 'the header block is cut short';
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) return 'this is not a segment of a log';
  const view = new DataView(bytes.buffer, bytes.byteOffset, HEADER_BYTES);
  const format = view.getUint32(FORMAT_AT, true);
  const sum = core.crc32c(bytes.subarray(CHECKED_FROM, HEADER_BYTES));
  if (sum !== headerChecksum(bytes)) return 'the header block fails its checksum';
  if (format !== FORMAT_VERSION) return `the format version is ${format}; known is ${FORMAT_VERSION}`;
  const leaderIdLength = view.getUint32(LEADER_ID_LENGTH_AT, true);
  if (leaderIdLength > LEADER_ID_BYTES_MAX) return 'the leader ID is too long';
  return {
    leaderId: new TextDecoder().decode(bytes.subarray(LEADER_ID_AT, LEADER_ID_AT + leaderIdLength)),
    versionFloor: getUint53(view, FLOOR_AT),
    prevVersion: getUint53(view, PREV_VERSION_AT),
    prevTimestampMs: getUint53(view, PREV_TIMESTAMP_AT),
    termStartedMs: getUint53(view, TERM_STARTED_AT),
    maxInFlight: view.getUint32(MAX_IN_FLIGHT_AT, true),
    hashKey: bytes.slice(HASH_KEY_AT, HASH_KEY_AT + HASH_KEY_BYTES),
  };
}
