import { compare } from '../bytes';

/**
 * Operations, as they stand in packed transactions and in records. Little-endian, unaligned:
 *
 *     u8 kind, u32 length, key or begin; a write: u32 length, value; a range delete: u32 length, end
 */

/** Its twin is `OperationKind` in src/core/packed-transaction.ts. */
export enum OperationKind {
  Write = 1,
  Delete = 2,
  RangeDelete = 3,
}

/**
 * Steps over a byte string (u32 length, bytes) that should lie before `end`.
 * @returns where it ends, or 0 when it leads outside. 0 as `at` gives 0.
 */
export function skipByteString(at: usize, end: usize): usize {
  if (at == 0 || end - at < 4) return 0;
  const length = <usize>load<u32>(at);
  return length <= end - at - 4 ? at + 4 + length : 0;
}

/**
 * Steps over an operation that should lie before `end`.
 * @returns where it ends, or 0 when it leads outside, is of no known kind, or deletes a range that does not
 *   begin before its end.
 */
export function skipOperation(at: usize, end: usize): usize {
  if (at >= end) return 0;
  const kind = <i32>load<u8>(at);
  const second = skipByteString(at + 1, end);
  if (kind == OperationKind.Delete) return second;
  if (kind != OperationKind.Write && kind != OperationKind.RangeDelete) return 0;
  const next = skipByteString(second, end);
  if (kind == OperationKind.RangeDelete && next != 0 && !isOrdered(at + 1, second)) return 0;
  return next;
}

/** Whether the byte string (u32 length, bytes) at `begin` is before that at `end`. */
export function isOrdered(begin: usize, end: usize): bool {
  return compare(begin + 4, load<u32>(begin), end + 4, load<u32>(end)) < 0;
}
