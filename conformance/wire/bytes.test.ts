import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromBase64, show, toBase64 } from './bytes.js';

const everyByte = String.fromCharCode(...Array.from({ length: 256 }, (_, byte) => byte));

test('bytes survive base64, at every length', () => {
  for (let length = 0; length <= 256; length += 1) {
    const bytes = everyByte.slice(256 - length);
    assert.equal(fromBase64(toBase64(bytes)), bytes);
  }
});

test('base64 is that of RFC 4648 section 4', () => {
  for (const [bytes, text] of [
    ['', ''],
    ['f', 'Zg=='],
    ['fo', 'Zm8='],
    ['foo', 'Zm9v'],
    ['foob', 'Zm9vYg=='],
    ['\xfb\xff', '+/8='],
  ] as const) {
    assert.equal(toBase64(bytes), text);
    assert.equal(fromBase64(text), bytes);
  }
});

test('text that is not just that is refused', () => {
  for (const text of ['Zg', 'Zg=', 'Zg===', 'Zm8', 'Zm9v=', 'Zh==', '-_8=', 'Zm 9v', 'Zm9v\n', 'Zm9*', '='])
    assert.equal(fromBase64(text), undefined, text);
  for (const value of [undefined, null, 7, {}, ['Zg==']]) assert.equal(fromBase64(value), undefined);
});

test('strings of bytes compare as the bytes do', () => {
  const keys = ['', '\x00', '\x00\xff', '\x7f', '\x80', '\xff', '\xff\x00'];
  assert.deepEqual(keys.toReversed().sort(), keys);
});

test('what cannot be printed is shown in hex, and what is long is cut', () => {
  assert.equal(show('a b~'), '"a b~"');
  assert.equal(show('\x00\x1f\x7f\xff\\'), '"\\x00\\x1f\\x7f\\xff\\x5c"');
  assert.equal(show('abc', 3), '"abc"');
  assert.equal(show('abcd', 3), '"abc..." (4 bytes)');
});

test('text that is not made of bytes is a mistake of the suite', () => {
  for (const text of ['\u0100', 'a\u20ac', '\u{1f409}']) assert.throws(() => toBase64(text), RangeError);
});
