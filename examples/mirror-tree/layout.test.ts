import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeEntry, type Entry, encodeEntry } from './entry.js';
import { decodeKey, entryKey, MANIFEST_KEY, partKey, pathRange, subtreeRange } from './key.js';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const within = (key: Uint8Array, { begin, end }: { begin: Uint8Array; end: Uint8Array }) =>
  Buffer.compare(begin, key) <= 0 && Buffer.compare(key, end) < 0;

test('keys come back as they went in', () => {
  for (const path of ['a', 'a/b.c', 'd\xff\xfe/\x01', '...', 'a b']) {
    assert.deepEqual(decodeKey(entryKey(bytes(path))), { path: bytes(path), part: undefined });
    for (const part of [0, 1, 256, 2 ** 32 - 1]) {
      assert.deepEqual(decodeKey(partKey(bytes(path), part)), { path: bytes(path), part });
    }
  }
});

test('what is no path inside a tree is no key', () => {
  for (const path of ['', '/a', 'a/', 'a//b', '.', '..', 'a/../b', '../../etc/passwd', 'a/.']) {
    assert.throws(() => decodeKey(entryKey(bytes(path))), RangeError, path);
  }
  for (const key of ['', 'a', 'a\0\0', 'a\0\0\0\0\0\0', 'a\0b\0\0', '\0manifest']) {
    assert.throws(() => decodeKey(bytes(key)), RangeError);
  }
});

test('keys sort by path, then entry, then part', () => {
  const keys = ['a', 'a\x01', 'a b', 'a-b', 'a.b', 'a/b', 'a/b/c', 'a0', 'ab', 'b', '\xff']
    .map(bytes)
    .flatMap((path) => [entryKey(path), ...[0, 1, 255, 256, 65536].map((part) => partKey(path, part))]);
  const sorted = [MANIFEST_KEY, ...keys];
  assert.deepEqual([...sorted].reverse().sort(Buffer.compare), sorted);
});

test('the range of a path holds its own keys and no others', () => {
  const range = pathRange(bytes('a/b'));
  assert.ok(within(entryKey(bytes('a/b')), range));
  assert.ok(within(partKey(bytes('a/b'), 2 ** 32 - 1), range));
  for (const other of ['a', 'a/a', 'a/b\x01', 'a/b/c', 'a/b.c', 'a/bc', 'a/c']) {
    assert.ok(!within(entryKey(bytes(other)), range), other);
  }
});

test('the range of a subtree holds what is beneath and no more', () => {
  const range = subtreeRange(bytes('a'));
  for (const inside of ['a/b', 'a/b/c', 'a/\xff', 'a/\x01'])
    assert.ok(within(partKey(bytes(inside), 7), range));
  for (const outside of ['a', 'a.b', 'a-b', 'a0', 'ab', 'b/a'])
    assert.ok(!within(entryKey(bytes(outside)), range));
});

test('entries come back as they went in', () => {
  const entries: readonly Entry[] = [
    { kind: 'file', size: 0, executable: false },
    { kind: 'file', size: 2 ** 40 + 1, executable: true },
    { kind: 'link', target: bytes('../x\xff') },
    { kind: 'directory' },
  ];
  for (const entry of entries) assert.deepEqual(decodeEntry(encodeEntry(entry)), entry);
  for (const value of ['', 'f', 'f1234567', 'x123456789', 'l', 'dd', 'z']) {
    assert.throws(() => decodeEntry(bytes(value)), RangeError);
  }
});
