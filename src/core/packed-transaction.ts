import type { RequestIdHash } from './core.js';

/**
 * The packed form of a transaction, the only form in which one enters the Wasm core. Little-endian,
 * unaligned; `assembly/codec/packed.ts` reads what `transaction-packer.ts` writes.
 *
 *      0  u32  number of preconditions
 *      4  u32  number of operations
 *      8  u32  bytes of the preconditions
 *     12  u32  bytes of the request ID
 *     16  u64  SipHash-1-3 of the request ID: low lane, high lane
 *     24       preconditions: u8 kind, u64 version, u32 length, key; a range: u32 length, end key
 *              operations, byte for byte as in a record: u8 kind, u32 length, key or begin;
 *              a write: u32 length, value; a range delete: u32 length, end
 *              request ID in UTF-8
 *
 * A packed batch: a table of u32, where each transaction starts and where the last one ends, counted from its
 * own beginning, then the transactions.
 *
 * The twin of the number is `HEADER_BYTES` in assembly/codec/packed.ts.
 */
export const PACKED_HEADER_BYTES = 24;

/** Its twin is in assembly/codec/packed.ts. */
export const PreconditionKind = { pointRead: 0, rangeRead: 1 } as const;

/** Also the kinds of operations in a record. Its twin is in assembly/codec/operations.ts. */
export const OperationKind = { write: 1, delete: 2, rangeDelete: 3 } as const;

const PRECONDITION_COUNT_AT = 0;
const HASH_LOW_AT = 16;
const HASH_HIGH_AT = 20;

/** How many preconditions a packed transaction has. */
export function preconditionCountOf(packed: Uint8Array): number {
  return viewOf(packed).getUint32(PRECONDITION_COUNT_AT, true);
}

/** The hash of the request ID that the packer wrote into a packed transaction. */
export function requestIdHashOf(packed: Uint8Array): RequestIdHash {
  const view = viewOf(packed);
  return { low: view.getUint32(HASH_LOW_AT, true), high: view.getUint32(HASH_HIGH_AT, true) };
}

function viewOf(packed: Uint8Array): DataView {
  return new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
}
