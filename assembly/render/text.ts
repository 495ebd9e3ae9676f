/**
 * Writes text as UTF-8. Every function takes where to write and returns where it ended. Up to 16 bytes
 * behind the end may be overwritten: what follows is written later, and the buffer ends with slack.
 */

/** Literals, each: u32 length, then its characters; 16 bytes behind the last may be read. */
const literals: usize = memory.data(512, 16);
let literalsEnd: usize = literals;

/** Makes bytes of an ASCII literal, once, when the module starts. */
export function literal(text: string): usize {
  const at = literalsEnd;
  store<u32>(at, text.length);
  for (let index = 0; index < text.length; index++) store<u8>(at + 4 + index, <u8>text.charCodeAt(index));
  literalsEnd = at + 4 + text.length;
  return at;
}

export function putLiteral(out: usize, text: usize): usize {
  return putShort(out, text + 4, load<u32>(text));
}

/** Copies in blocks of 16 bytes: meant for short strings, with 16 readable bytes behind them. */
export function putShort(out: usize, from: usize, length: usize): usize {
  for (let at: usize = 0; at < length; at += 16) v128.store(out + at, v128.load(from + at));
  return out + length;
}

/** Decimal digits of a number below 10^19, no leading zeros. */
export function putNumber(out: usize, value: u64): usize {
  const end = out + digitsOf(value);
  let at = end;
  while (value > 0xffff_ffff) {
    store<u8>(--at, 0x30 + <u8>(value % 10));
    value /= 10;
  }
  let small = <u32>value;
  do {
    store<u8>(--at, 0x30 + <u8>(small % 10));
    small /= 10;
  } while (small > 0);
  return end;
}

/** Exactly `digits` decimal digits. */
export function putDigits(out: usize, value: u32, digits: i32): usize {
  for (let at = out + digits - 1; at >= out; at--) {
    store<u8>(at, 0x30 + <u8>(value % 10));
    value /= 10;
  }
  return out + digits;
}

function digitsOf(value: u64): usize {
  let digits: usize = 1;
  for (let power: u64 = 10; value >= power && digits < 19; power *= 10) digits++;
  return digits;
}
