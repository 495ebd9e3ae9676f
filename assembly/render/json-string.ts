/**
 * The inside of a JSON string: `"`, `\` and control characters escaped as JSON.stringify does, all other
 * bytes of UTF-8 as they are.
 */

/** The most bytes that one byte becomes: \u00xx. */
export const ESCAPED_BYTES_MAX: u64 = 6;

export function putEscaped(out: usize, from: usize, length: usize): usize {
  for (const end = from + length; from < end; from++) {
    const byte = load<u8>(from);
    if (byte >= 0x20 && byte != 0x22 && byte != 0x5c) {
      store<u8>(out++, byte);
    } else {
      out = putEscape(out, byte);
    }
  }
  return out;
}

function putEscape(out: usize, byte: u8): usize {
  store<u8>(out, 0x5c);
  const short = shortEscape(byte);
  if (short != 0) {
    store<u8>(out, short, 1);
    return out + 2;
  }
  store<u8>(out, 0x75, 1); // u00xx
  store<u8>(out, 0x30, 2);
  store<u8>(out, 0x30, 3);
  store<u8>(out, 0x30 + (byte >> 4), 4);
  const low = byte & 15;
  store<u8>(out, low < 10 ? 0x30 + low : 0x57 + low, 5);
  return out + 6;
}

/** The letter of a two-character escape, or 0. */
function shortEscape(byte: u8): u8 {
  if (byte == 0x22 || byte == 0x5c) return byte;
  if (byte == 0x08) return 0x62; // b
  if (byte == 0x09) return 0x74; // t
  if (byte == 0x0a) return 0x6e; // n
  if (byte == 0x0c) return 0x66; // f
  if (byte == 0x0d) return 0x72; // r
  return 0;
}
