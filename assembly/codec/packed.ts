/**
 * The packed form in which a transaction comes in. Little-endian, unaligned:
 *
 *      0  u32  number of preconditions
 *      4  u32  number of operations
 *      8  u32  bytes of the preconditions
 *     12  u32  bytes of the request ID, at most 65,535
 *     16  u64  SipHash-1-3 of the request ID
 *     24       preconditions: u8 kind, u64 version, u32 length, key; a range read: u32 length, end
 *              operations (see operations.ts)
 *              request ID in UTF-8
 */

/** Its twin is `PACKED_HEADER_BYTES` in src/core/packed-transaction.ts. */
export const HEADER_BYTES: usize = 24;
/** Its twin is in src/core/record-layout.ts. */
export const REQUEST_ID_BYTES_MAX: u32 = 0xffff;
/** Its twin is in src/core/packed-transaction.ts. */
export enum PreconditionKind {
  PointRead = 0,
  RangeRead = 1,
}

export function preconditionCount(transaction: usize): u32 {
  return load<u32>(transaction);
}

export function operationCount(transaction: usize): u32 {
  return load<u32>(transaction, 4);
}

export function requestIdLength(transaction: usize): usize {
  return load<u32>(transaction, 12);
}

export function requestIdHash(transaction: usize): u64 {
  return load<u64>(transaction, 16);
}

export function preconditionsAt(transaction: usize): usize {
  return transaction + HEADER_BYTES;
}

export function operationsAt(transaction: usize): usize {
  return transaction + HEADER_BYTES + load<u32>(transaction, 8);
}

/** Bytes of the operations and the request ID behind them, which a record takes over as they are. */
export function bodyLength(transaction: usize, end: usize): usize {
  return end - operationsAt(transaction);
}
