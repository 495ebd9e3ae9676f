import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeCanonicalBase64 } from '../../src/http/base64.js';

const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** Lengths in bytes on both sides of where another way of decoding begins. */
const LENGTHS = [...Array.from({ length: 50 }, (_, length) => length), 100, 1_000, 100_001];

const patterned = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 151) & 0xff));

/** What the rule of the form says. */
const expected = (text: string): Buffer | undefined =>
  CANONICAL.test(text) ? Buffer.from(text, 'base64') : undefined;

function check(text: string): void {
  const bytes = decodeCanonicalBase64(text);
  const wanted = expected(text);
  assert.deepEqual(bytes && Buffer.from(bytes), wanted, JSON.stringify(text));
}

test('what Buffer encodes comes back, at every length', () => {
  for (const length of LENGTHS) {
    const bytes = patterned(length);
    const decoded = decodeCanonicalBase64(bytes.toString('base64'));
    assert.ok(decoded !== undefined && bytes.equals(decoded), `${length} bytes`);
  }
});

test('no other text is taken, wherever it differs', () => {
  // Each is a character of base64 in its lower byte, a letter of the URL-safe alphabet, or skipped by lenient decoders.
  const intruders = ['-', '_', ' ', '\n', '=', '.', '\u0141', '\u{1f600}', '\u0080', '\u00ff', '\0'];
  for (const length of [3, 4, 5, 33, 34, 35, 36, 37, 300]) {
    const text = patterned(length).toString('base64');
    for (const at of [
      0,
      1,
      text.length >> 1,
      text.length - 4,
      text.length - 3,
      text.length - 2,
      text.length - 1,
    ]) {
      for (const intruder of intruders) {
        check(text.slice(0, at) + intruder + text.slice(at + 1));
        check(text.slice(0, at) + intruder + text.slice(at));
      }
    }
  }
});

test('padding and the bits before it have one form', () => {
  for (const start of ['', patterned(60).toString('base64')]) {
    for (const last of ALPHABET) {
      for (const tail of [
        `A${last}==`,
        `AA${last}=`,
        `A${last}=`,
        `A${last}`,
        `AA${last}`,
        `${last}===`,
        '====',
        '=',
      ])
        check(start + tail);
    }
  }
});
