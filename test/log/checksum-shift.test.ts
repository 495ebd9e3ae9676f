import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Core } from '../../src/core/core.js';
import { shiftChecksum } from '../../src/log/file/checksum-shift.js';
import { Random } from '../support/random.js';

test('the checksum of a part follows from those of what ends where it starts and where it ends', () => {
  const core = Core.load();
  const random = new Random(1);
  const bytes = Uint8Array.from({ length: 70_000 }, () => random.below(256));
  for (const length of [0, 1, 4, 7, 8, 255, 256, 4096, 65_535, 69_999]) {
    const start = random.below(bytes.length - length);
    const before = core.crc32c(bytes.subarray(0, start));
    const through = core.crc32c(bytes.subarray(0, start + length));
    const part = core.crc32c(bytes.subarray(start, start + length));
    assert.equal((shiftChecksum(before, length) ^ through) >>> 0, part, `${length} bytes`);
  }
});

test('a shift by more than 2^32 bytes is that by its parts, one after the other', () => {
  const far = 2 ** 40 + 2 ** 33 + 5;
  assert.equal(shiftChecksum(0x1234_5678, far), shiftChecksum(shiftChecksum(0x1234_5678, 5), far - 5));
});
