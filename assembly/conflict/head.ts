/**
 * A head stands for what a key has behind the prefix of a node: signed 64-bit numbers that order as keys do.
 *
 *     bits 63 to 8   the first 7 bytes, zeros behind the end of the key; the highest bit flipped
 *     bits  7 to 0   1 + 2 * number of bytes, at most 8
 *
 * Of two keys that are equal in the first part and have at most 7 bytes, the shorter one is a prefix of the
 * other, so the second part orders them. Only keys with more than 7 bytes behind the prefix can have equal
 * heads and still differ: such heads are called long.
 */

/** No head is as high: stands behind the last key of a node. */
export const HEAD_END: i64 = i64.MAX_VALUE;
/** Below all heads, and above all but the end: heads of keys outside the tree's common prefix. */
export const HEAD_BELOW: i64 = i64.MIN_VALUE;
export const HEAD_ABOVE: i64 = i64.MAX_VALUE - 1;

const LONG_BIT: i64 = 16;
const BYTES: usize = 7;

/**
 * For 0 to 7 bytes one shuffle of 16 bytes each: they come in string order and leave as the upper bytes of a
 * little-endian number, with zeros (128 names no byte) below.
 */
const shuffles: usize = memory.data<u8>(
  [
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 0, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 1, 0, 128, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 2, 1, 0, 128, 128, 128, 128, 128, 128, 128, 128, 128,
    128, 128, 128, 3, 2, 1, 0, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 128, 4, 3, 2, 1, 0, 128, 128,
    128, 128, 128, 128, 128, 128, 128, 128, 5, 4, 3, 2, 1, 0, 128, 128, 128, 128, 128, 128, 128, 128, 128, 6,
    5, 4, 3, 2, 1, 0, 128, 128, 128, 128, 128, 128, 128, 128,
  ],
  16,
);

/** The head of a key that has `rest` bytes behind a prefix, at `bytes`. @inline */
export function headOf(bytes: usize, rest: usize): i64 {
  const shuffle = v128.load(shuffles + (min(rest, BYTES) << 4));
  const upper = i64x2.extract_lane(i8x16.swizzle(v128.load64_zero(bytes), shuffle), 0);
  return (upper | (<i64>(min(rest, BYTES + 1) << 1) + 1)) ^ i64.MIN_VALUE;
}

/** @inline */
export function isLong(head: i64): bool {
  return (head & LONG_BIT) != 0;
}

/** Bytes of the key that the head speaks for: up to 7, and 8 for all that have more. */
export function bytesOf(head: i64): usize {
  return <usize>((head & 0xff) >> 1);
}

/** Writes the first bytes of the key, as many as the head knows, and up to 8 in all. */
export function storeBytes(head: i64, to: usize): void {
  store<u64>(to, bswap<u64>(<u64>(head ^ i64.MIN_VALUE) & ~(<u64>0xff)));
}

/** How many bytes the keys of two different heads share. */
export function sharedBytes(a: i64, b: i64): usize {
  const shared = <usize>(clz<u64>(<u64>(a ^ b)) >> 3);
  return min(shared, min(bytesOf(a), bytesOf(b)));
}

/** The head of the same short key behind a prefix that is up to 7 bytes longer. */
export function headBehind(head: i64, more: usize): i64 {
  const plain = <u64>(head ^ i64.MIN_VALUE);
  return (
    <i64>(((plain & ~(<u64>0xff)) << ((<u64>more) << 3)) | ((plain & 0xff) - ((<u64>more) << 1))) ^
    i64.MIN_VALUE
  );
}
