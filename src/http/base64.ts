/** Up to this many characters a loop is faster than what a call of `Buffer` costs. */
const SHORT = 48;
const PADDING = 0x3d;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** The six bits of each ASCII character; -1 where it is not in the alphabet. */
const SIX_BITS = new Int8Array(128).fill(-1);
for (let bits = 0; bits < 64; bits += 1) SIX_BITS[ALPHABET.charCodeAt(bits)] = bits;
/** The last characters before one and before two of padding whose unused bits are zero. */
const LAST_BEFORE = ['', 'AEIMQUYcgkosw048', 'AQgw'] as const;

/**
 * Decodes standard base64 (RFC 4648 section 4) in its one canonical form: that alphabet, padding, no white space, and
 * zero trailing bits, so that two texts never mean the same bytes.
 *
 * @returns undefined when the text is anything else.
 */
export function decodeCanonicalBase64(text: string): Uint8Array | undefined {
  const { length } = text;
  if (length % 4 !== 0) return undefined;
  const padding = paddingOf(text);
  if (padding > 0 && !LAST_BEFORE[padding].includes(text.charAt(length - padding - 1))) return undefined;
  const bytesLength = (length / 4) * 3 - padding;
  return length > SHORT ? decodeLong(text, bytesLength) : decodeShort(text, bytesLength);
}

function paddingOf(text: string): 0 | 1 | 2 {
  if (text.charCodeAt(text.length - 1) !== PADDING) return 0;
  return text.charCodeAt(text.length - 2) === PADDING ? 2 : 1;
}

function decodeShort(text: string, bytesLength: number): Uint8Array | undefined {
  const bytes = Buffer.allocUnsafe(bytesLength);
  // Turns negative once a character is none of the alphabet.
  let all = 0;
  for (let at = 0, out = 0; out < bytesLength; at += 4, out += 3) {
    const left = bytesLength - out;
    const bits =
      (sixBits(text, at) << 18) |
      (sixBits(text, at + 1) << 12) |
      (left > 1 ? sixBits(text, at + 2) << 6 : 0) |
      (left > 2 ? sixBits(text, at + 3) : 0);
    all |= bits;
    bytes[out] = bits >> 16;
    if (left > 1) bytes[out + 1] = bits >> 8;
    if (left > 2) bytes[out + 2] = bits;
  }
  return all < 0 ? undefined : bytes;
}

function sixBits(text: string, at: number): number {
  return SIX_BITS[text.charCodeAt(at)] ?? -1;
}

/** `Buffer` skips what it does not know, so that too few bytes come; but it takes URL-safe letters, too. */
function decodeLong(text: string, bytesLength: number): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length !== bytesLength || text.includes('-') || text.includes('_')) return undefined;
  // It looks at the lower byte of a character alone.
  return Buffer.byteLength(text) === text.length ? bytes : undefined;
}
