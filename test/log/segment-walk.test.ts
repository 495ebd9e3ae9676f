import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Core } from '../../src/core/core.js';
import { walkRecords } from '../../src/log/file/segment-walk.js';
import { Random } from '../support/random.js';
import { SimulatedDisk } from '../support/simulated-disk.js';

test('a length that no record can have is damage, not a reason to read as much', async () => {
  const simulated = new SimulatedDisk(new Random(1));
  simulated.put('/file', Uint8Array.of(1, 2, 3, 4, 0xf8, 0xff, 0xff, 0x3f, 1, 0));
  const file = await simulated.attach().open('/file', 'read');
  const read = file.read.bind(file);
  let longest = 0;
  file.read = async (target, position) => {
    longest = Math.max(longest, target.length);
    await read(target, position);
    return target.length;
  };
  file.size = async () => 2 ** 31;
  const start = { offset: 0, version: 1, prevVersion: 0 };
  const end = await walkRecords(Core.load(), file, start, () => undefined);
  assert.equal(end.offset, 0);
  assert.match(end.fault?.what ?? '', /no sound record \(length\)/);
  assert(longest <= 1 << 20);
});
