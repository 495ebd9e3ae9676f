import { crc32c } from './crc32c';
import { skipOperation } from './operations';
import { bodyLength, operationCount, operationsAt, requestIdLength } from './packed';

/**
 * A record of the log. Little-endian; starts at a multiple of 8 bytes and is padded with zeros to one.
 *
 *      0  u32  CRC-32C of the bytes from 4 to the end of the record
 *      4  u32  length of the whole record with its padding, a multiple of 8
 *      8  u8   kind: 1 = transaction
 *      9  u8   0
 *     10  u16  bytes of the request ID
 *     12  u32  number of operations
 *     16  u64  version
 *     24  u64  version of the transaction before
 *     32  u64  durable version of the leader when it accepted this transaction
 *     40  u64  time of acceptance, milliseconds since 1970
 *     48  u32  bytes of the operations
 *     52  u32  0
 *     56       operations (see operations.ts)
 *              request ID in UTF-8
 *              zeros up to the length
 *
 * The twins of these numbers are in src/core/record-layout.ts.
 */
export const RECORD_HEADER_BYTES: usize = 56;

/** Its twin is `checkUint53` in src/core/version.ts. */
const VERSION_MAX: u64 = (1 << 53) - 1;
/**
 * Milliseconds since 1970 of the first millisecond that needs a year of five digits. Its twin is
 * `TIMESTAMP_MS_MAX` in src/core/decider.ts, one less.
 */
const TIMESTAMP_MS_END: u64 = 253402300800000;

const KIND_TRANSACTION: u8 = 1;
const CHECKED_FROM: usize = 4;

/** What stands where a record should. Its twin is `FAULTS` in src/core/scan.ts. */
export enum Fault {
  None = 0,
  Length = 1,
  Checksum = 2,
  Kind = 3,
  Layout = 4,
}

export function recordLength(record: usize): usize {
  return load<u32>(record, 4);
}

export function recordVersion(record: usize): u64 {
  return load<u64>(record, 16);
}

export function recordPrevVersion(record: usize): u64 {
  return load<u64>(record, 24);
}

export function recordDurableVersion(record: usize): u64 {
  return load<u64>(record, 32);
}

export function recordTimestamp(record: usize): u64 {
  return load<u64>(record, 40);
}

export function recordOperationCount(record: usize): u32 {
  return load<u32>(record, 12);
}

export function recordOperations(record: usize): usize {
  return record + RECORD_HEADER_BYTES;
}

export function recordRequestId(record: usize): usize {
  return record + RECORD_HEADER_BYTES + load<u32>(record, 48);
}

export function recordRequestIdLength(record: usize): usize {
  return load<u16>(record, 10);
}

/** Bytes of the record that a packed transaction becomes. */
function encodedLength(transaction: usize, end: usize): usize {
  return (RECORD_HEADER_BYTES + bodyLength(transaction, end) + 7) & ~7;
}

/**
 * Writes the record of a sound packed transaction.
 * @returns where it ends.
 */
export function encodeRecord(
  record: usize,
  transaction: usize,
  transactionEnd: usize,
  version: u64,
  prevVersion: u64,
  durableVersion: u64,
  timestampMs: u64,
): usize {
  const body = bodyLength(transaction, transactionEnd);
  const idLength = requestIdLength(transaction);
  const length = encodedLength(transaction, transactionEnd);
  store<u64>(record + length - 8, 0); // the padding; a record has at least 56 bytes
  store<u32>(record, <u32>length, 4);
  store<u8>(record, KIND_TRANSACTION, 8);
  store<u8>(record, 0, 9);
  store<u16>(record, <u16>idLength, 10);
  store<u32>(record, operationCount(transaction), 12);
  store<u64>(record, version, 16);
  store<u64>(record, prevVersion, 24);
  store<u64>(record, durableVersion, 32);
  store<u64>(record, timestampMs, 40);
  store<u32>(record, <u32>(body - idLength), 48);
  store<u32>(record, 0, 52);
  memory.copy(record + RECORD_HEADER_BYTES, operationsAt(transaction), body);
  store<u32>(record, crc32c(record + CHECKED_FROM, length - CHECKED_FROM, 0));
  return record + length;
}

/** Whether the length that a record claims can be one. */
export function isPossibleLength(length: usize): bool {
  return length >= RECORD_HEADER_BYTES && (length & 7) == 0;
}

/** Checks a record whose claimed length is possible and lies inside the memory. */
export function checkRecord(record: usize): Fault {
  const length = recordLength(record);
  if (crc32c(record + CHECKED_FROM, length - CHECKED_FROM, 0) != load<u32>(record)) return Fault.Checksum;
  if (load<u8>(record, 8) != KIND_TRANSACTION) return Fault.Kind;
  return isLayoutSound(record) ? Fault.None : Fault.Layout;
}

/**
 * Whether operations, request ID and padding fill a record whose claimed length lies inside the memory,
 * its numbers are inside their ranges, its ranges begin before their ends, and everything that has no
 * meaning is zero.
 */
export function isLayoutSound(record: usize): bool {
  const body = <u64>load<u32>(record, 48) + recordRequestIdLength(record);
  const padded = (RECORD_HEADER_BYTES + body + 7) & ~7;
  if (padded != recordLength(record)) return false;
  if (recordVersion(record) > VERSION_MAX || recordPrevVersion(record) > VERSION_MAX) return false;
  if (recordDurableVersion(record) > VERSION_MAX || recordTimestamp(record) >= TIMESTAMP_MS_END) return false;
  if (load<u8>(record, 9) != 0 || load<u32>(record, 52) != 0) return false;
  const padding = padded - RECORD_HEADER_BYTES - body;
  const lastBytes = load<u64>(record + <usize>padded - 8);
  if (padding != 0 && lastBytes >> (64 - (padding << 3)) != 0) return false;
  const end = recordRequestId(record);
  let at = recordOperations(record);
  for (let count = recordOperationCount(record); count > 0; count--) {
    at = skipOperation(at, end);
    if (at == 0) return false;
  }
  return at == end;
}
