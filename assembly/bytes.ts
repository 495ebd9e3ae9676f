/**
 * Byte strings: a pointer and a length. They compare lexicographically by unsigned bytes, a prefix
 * before what it is a prefix of.
 *
 * Strings are read in blocks of 8 bytes: up to 7 bytes behind the end of a string may be read (never
 * used), so a string must not end at the very end of the memory. Buffers and blocks of the
 * history keep that distance.
 */

/** The first 8 bytes as a big-endian number, so that numbers order as strings do; zeros behind the end. */
export function head(pointer: usize, length: usize): u64 {
  if (length >= 8) return bswap<u64>(load<u64>(pointer));
  if (length == 0) return 0;
  return bswap<u64>(load<u64>(pointer)) & ((<u64>-1) << (64 - ((<u64>length) << 3)));
}

/** How many bytes two strings share at their beginning. */
export function commonPrefix(a: usize, aLength: usize, b: usize, bLength: usize): usize {
  const length = min(aLength, bLength);
  for (let at: usize = 0; at < length; at += 8) {
    const different = load<u64>(a + at) ^ load<u64>(b + at);
    if (different != 0) return min(length, at + (<usize>ctz<u64>(different) >> 3));
  }
  return length;
}

/** Below 0, 0 or above 0, as `a` is before, equal to or behind `b`. */
export function compare(a: usize, aLength: usize, b: usize, bLength: usize): i32 {
  const shared = commonPrefix(a, aLength, b, bLength);
  if (shared < aLength && shared < bLength) return <i32>load<u8>(a + shared) - <i32>load<u8>(b + shared);
  return <i32>(aLength > bLength) - <i32>(aLength < bLength);
}

/** Whether `end` is `begin` followed by one zero byte: the range between them holds `begin` alone. */
export function isSuccessor(begin: usize, beginLength: usize, end: usize, endLength: usize): bool {
  return (
    endLength == beginLength + 1 &&
    load<u8>(end + beginLength) == 0 &&
    commonPrefix(begin, beginLength, end, beginLength) == beginLength
  );
}
