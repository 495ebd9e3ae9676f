/** Base64 of RFC 4648 section 4, with padding, exactly: what is not canonical is refused. */
export interface Base64 {
  encode(bytes: Uint8Array): string;
  /** @throws {SyntaxError} when the text is not canonical base64 */
  decode(text: string): Uint8Array;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const INVALID = 0xff;
/** Character code to its six bits; everything else is INVALID. */
const SEXTETS = new Uint8Array(128).fill(INVALID);
for (let index = 0; index < 64; index += 1) SEXTETS[ALPHABET.charCodeAt(index)] = index;

/** Characters collected before they are joined: `fromCharCode` takes its arguments from the stack. */
const CHUNK = 8192;

const malformed = (): SyntaxError => new SyntaxError('not canonical base64');

/** Length in bytes of what `text` stands for, judged by its length and padding alone. */
function decodedLength(text: string): number {
  if (text.length % 4 !== 0) throw malformed();
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return (text.length / 4) * 3 - padding;
}

/** For runtimes without `Buffer`. */
export const portableBase64: Base64 = {
  encode(bytes) {
    const codes = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(61);
    let at = 0;
    for (let index = 0; index < bytes.length; index += 3) {
      const left = bytes.length - index;
      const group = (bytes[index]! << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
      codes[at] = ALPHABET.charCodeAt(group >> 18);
      codes[at + 1] = ALPHABET.charCodeAt((group >> 12) & 63);
      if (left > 1) codes[at + 2] = ALPHABET.charCodeAt((group >> 6) & 63);
      if (left > 2) codes[at + 3] = ALPHABET.charCodeAt(group & 63);
      at += 4;
    }
    let text = '';
    for (let start = 0; start < codes.length; start += CHUNK) {
      text += String.fromCharCode(...codes.subarray(start, start + CHUNK));
    }
    return text;
  },

  decode(text) {
    const bytes = new Uint8Array(decodedLength(text));
    const sextet = (index: number): number => {
      const bits = SEXTETS[text.charCodeAt(index)] ?? INVALID;
      if (bits === INVALID) throw malformed();
      return bits;
    };
    let at = 0;
    for (let index = 0; index < text.length; index += 4) {
      const wanted = bytes.length - at;
      const group =
        (sextet(index) << 18) |
        (sextet(index + 1) << 12) |
        (wanted > 1 ? sextet(index + 2) << 6 : 0) |
        (wanted > 2 ? sextet(index + 3) : 0);
      // Bits that stand for no byte have to be zero, else two texts would mean the same bytes.
      if ((wanted === 1 && (group & 0xffff) !== 0) || (wanted === 2 && (group & 0xff) !== 0))
        throw malformed();
      bytes[at] = group >> 16;
      if (wanted > 1) bytes[at + 1] = (group >> 8) & 0xff;
      if (wanted > 2) bytes[at + 2] = group & 0xff;
      at += 3;
    }
    return bytes;
  },
};

/** With Node's `Buffer`, which is faster but forgives what RFC 4648 does not: the checks are ours. */
function bufferBase64(buffer: typeof Buffer): Base64 {
  return {
    encode: (bytes) => buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64'),
    decode(text) {
      const bytes = buffer.from(text, 'base64');
      if (bytes.length !== decodedLength(text) || text.includes('-') || text.includes('_')) throw malformed();
      const tail = bytes.subarray(bytes.length - (bytes.length % 3 || 3));
      if (!text.endsWith(tail.toString('base64'))) throw malformed();
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    },
  };
}

const nodeBuffer = (globalThis as { Buffer?: typeof Buffer }).Buffer;

/** The fastest that this runtime has. */
export const base64: Base64 = nodeBuffer === undefined ? portableBase64 : bufferBase64(nodeBuffer);
