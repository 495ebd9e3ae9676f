/** Standard base64 with padding (RFC 4648 section 4), 12 bytes at a time. */

const alphabet: usize = memory.data<u8>([
  0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4a, 0x4b, 0x4c, 0x4d, 0x4e, 0x4f, 0x50, 0x51, 0x52,
  0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59, 0x5a, 0x61, 0x62, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6a,
  0x6b, 0x6c, 0x6d, 0x6e, 0x6f, 0x70, 0x71, 0x72, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7a, 0x30, 0x31,
  0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x2b, 0x2f,
]);

/** Bytes of the text of `length` bytes. */
export function base64Length(length: u64): u64 {
  return ((length + 2) / 3) * 4;
}

/** Writes the text of `length` bytes; returns where it ends. */
export function putBase64(out: usize, from: usize, length: usize): usize {
  const end = from + length;
  // A block of 12 bytes is loaded as 16: the last 4 must be inside as well.
  for (; end - from >= 16; from += 12, out += 16) v128.store(out, encodeBlock(v128.load(from)));
  for (; end - from >= 3; from += 3, out += 4) {
    const bits = ((<u32>load<u8>(from)) << 16) | ((<u32>load<u8>(from, 1)) << 8) | load<u8>(from, 2);
    putCharacters(out, bits);
  }
  if (end == from) return out;
  const isOne = end - from == 1;
  putCharacters(out, ((<u32>load<u8>(from)) << 16) | (isOne ? 0 : (<u32>load<u8>(from, 1)) << 8));
  if (isOne) store<u8>(out, 0x3d, 2);
  store<u8>(out, 0x3d, 3);
  return out + 4;
}

/** Four characters for 24 bits. */
function putCharacters(out: usize, bits: u32): void {
  store<u8>(out, load<u8>(alphabet + (bits >> 18)));
  store<u8>(out, load<u8>(alphabet + ((bits >> 12) & 63)), 1);
  store<u8>(out, load<u8>(alphabet + ((bits >> 6) & 63)), 2);
  store<u8>(out, load<u8>(alphabet + (bits & 63)), 3);
}

/** Sixteen characters for the first 12 bytes (after Mula and Lemire, 2018). */
function encodeBlock(bytes: v128): v128 {
  // Each 32-bit lane gets the three bytes b0 b1 b2 of one group as b1 b0 b2 b1, so that each of
  // its four 6-bit fields can be shifted into a byte of its own.
  const lanes = i8x16.swizzle(bytes, i8x16(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
  const first = i32x4.shr_u(v128.and(lanes, i32x4.splat(0x0000_fc00)), 10);
  const second = i32x4.shl(v128.and(lanes, i32x4.splat(0x0000_03f0)), 4);
  const third = i32x4.shr_u(v128.and(lanes, i32x4.splat(0x0fc0_0000)), 6);
  const fourth = i32x4.shl(v128.and(lanes, i32x4.splat(0x003f_0000)), 8);
  const indices = v128.or(v128.or(first, second), v128.or(third, fourth));
  // 0..25 -> 13, 26..51 -> 0, 52..61 -> 1..10, 62 -> 11, 63 -> 12: which distance to add.
  const distance = v128.or(
    i8x16.sub_sat_u(indices, i8x16.splat(51)),
    v128.and(i8x16.lt_u(indices, i8x16.splat(26)), i8x16.splat(13)),
  );
  const distances = i8x16(71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 65, 0, 0);
  return i8x16.add(indices, i8x16.swizzle(distances, distance));
}
