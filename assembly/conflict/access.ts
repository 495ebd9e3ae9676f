/**
 * One thing that a transaction reads or writes: a key, or the keys from a beginning up to, not including, an end.
 *
 *      0  u32  key or beginning
 *      4  u32  its length
 *      8  u32  end; 0 for a single key
 *     12  u32  its length
 *     16  u64  of a read: the version since which nothing may have changed
 */
export const ACCESS_BYTES: usize = 32;

export function accessKey(access: usize): usize {
  return load<u32>(access);
}

export function accessLength(access: usize): usize {
  return load<u32>(access, 4);
}

export function accessEnd(access: usize): usize {
  return load<u32>(access, 8);
}

export function accessEndLength(access: usize): usize {
  return load<u32>(access, 12);
}

export function accessVersion(access: usize): u64 {
  return load<u64>(access, 16);
}
