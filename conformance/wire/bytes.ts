/**
 * Keys and values as strings with one character (U+0000 to U+00FF) per byte: such strings compare, concatenate
 * and serve as map keys just as their bytes do, since JavaScript orders strings by code unit.
 */
export type Bytes = string;

const NOT_A_BYTE = /[\u0100-\uffff]/;

/** @throws RangeError where a character is no byte */
export function toBase64(bytes: Bytes): string {
  if (NOT_A_BYTE.test(bytes)) throw new RangeError(`not a string of bytes: ${bytes}`);
  return Buffer.from(bytes, 'latin1').toString('base64');
}

/** The bytes of standard base64 with padding (RFC 4648 section 4); undefined for any other text. */
export function fromBase64(text: unknown): Bytes | undefined {
  if (typeof text !== 'string') return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes.toString('latin1') : undefined;
}

/** A readable form for messages: printable ASCII as it is, everything else as \xNN. */
export function show(bytes: Bytes, longest = 48): string {
  const shown = bytes.length > longest ? bytes.slice(0, longest) : bytes;
  const text = [...shown]
    .map((char) =>
      char >= ' ' && char <= '~' && char !== '\\'
        ? char
        : `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
    .join('');
  return bytes.length > longest ? `"${text}..." (${bytes.length} bytes)` : `"${text}"`;
}
