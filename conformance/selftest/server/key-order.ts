import type { Behaviour } from './behaviour.js';
import { type Bytes, encodeBase64 } from './bytes.js';

/** Negative, zero or positive, as `a` comes before, is, or comes after `b`. */
export type KeyOrder = (a: Bytes, b: Bytes) => number;

const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const textOf = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('utf8');

function bySignedBytes(a: Bytes, b: Bytes): number {
  const signed = (bytes: Bytes, index: number): number => (bytes.charCodeAt(index) << 24) >> 24;
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = signed(a, index) - signed(b, index);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Four bytes at a time, as numbers of the processor: least significant byte first. */
function byLittleEndianWords(a: Bytes, b: Bytes): number {
  const word = (bytes: Bytes, index: number): string =>
    [...bytes.slice(index, index + 4).padEnd(4, '\0')].reverse().join('');
  for (let index = 0; index < Math.min(a.length, b.length); index += 4) {
    const order = byCodeUnits(word(a, index), word(b, index));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const cString = (bytes: Bytes): Bytes => bytes.split('\0', 1)[0] ?? '';

/** Lexicographic order of raw bytes, and the ways to get it wrong. */
export function keyOrder(behaviour: Behaviour): KeyOrder {
  return behaviour.pick<KeyOrder>(byCodeUnits, {
    'keys-ordered-as-signed-bytes': bySignedBytes,
    'keys-ordered-as-utf16': (a, b) => byCodeUnits(textOf(a), textOf(b)),
    'keys-ordered-as-base64-text': (a, b) => byCodeUnits(encodeBase64(a), encodeBase64(b)),
    'keys-ordered-by-length-first': (a, b) => a.length - b.length || byCodeUnits(a, b),
    'keys-ordered-by-locale': (a, b) => textOf(a).localeCompare(textOf(b)) || byCodeUnits(a, b),
    'keys-ordered-as-c-strings': (a, b) => byCodeUnits(cString(a), cString(b)),
    'keys-ordered-by-words': byLittleEndianWords,
    'keys-ordered-by-first-16-bytes': (a, b) => byCodeUnits(a.slice(0, 16), b.slice(0, 16)),
    'keys-ordered-without-case': (a, b) => byCodeUnits(a.toLowerCase(), b.toLowerCase()),
  });
}
