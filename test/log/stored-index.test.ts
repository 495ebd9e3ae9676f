import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Core } from '../../src/core/core.js';
import { LiveIndex } from '../../src/log/file/segment-index.js';
import { IndexDamage, readIndexHead, StoredIndex, writeIndex } from '../../src/log/file/stored-index.js';
import { Random } from '../support/random.js';
import { SimulatedDisk } from '../support/simulated-disk.js';

const PATH = '/log/00000000000000000005.index';
const core = Core.load();

/** Everything before the table. */
const GOLDEN = [
  '4857534547494458', // magic
  '14f01818', // checksum of the rest of the head
  '01000000', // format version
  '04030201', // the segment's header checksum
  '03000000', // records
  'd810000000000000', // bytes of the segment
  '0500000000000000', // first version
  '0700000000000000', // last version
  '0168e5cf8b010000', // time of the last record
  '01000000', // blocks
  '87e047c3', // checksum of the block starts
  '00020000', // slots
  '3cd4b547', // checksum of the page checksums
  '00'.repeat(56), // reserved
  '0000000000020000', // the block: first version and offset, relative and in units of 8 bytes
  'f1d77e36', // checksum of the page
].join('');
/** The slots that are taken: low, high, offset / 8. */
const GOLDEN_SLOTS: readonly string[] = [
  '117: 7560151726da4cb512020000',
  '275: 136da6dac4e6dd7809020000',
  '433: b179379e62f36e3c00020000',
];

/** An index of records of 72 bytes whose hashes follow from their place. */
async function write(disk: SimulatedDisk, count: number): Promise<LiveIndex> {
  const live = new LiveIndex(5);
  const offsets = Uint32Array.from({ length: count }, (_, record) => record * 72);
  const hashes = Uint32Array.from({ length: count * 2 }, (_, lane) => Math.imul(lane + 1, 0x9e37_79b1));
  live.add(5, 4096, offsets, 4096 + count * 72, hashes);
  const facts = {
    segmentChecksum: 0x0102_0304,
    recordCount: count,
    segmentBytes: 4096 + count * 72,
    firstVersion: 5,
    lastVersion: 4 + count,
    lastTimestampMs: 1_700_000_000_001,
  };
  await writeIndex(disk.attach(), core, PATH, facts, live);
  return live;
}

test('an index file has the bytes that the format says', async () => {
  const disk = new SimulatedDisk(new Random(1));
  await write(disk, 3);
  const bytes = Buffer.from(disk.content(PATH));
  assert.equal(bytes.length, 128 + 8 + 4 + 512 * 12);
  assert.equal(bytes.subarray(0, 140).toString('hex'), GOLDEN);
  const slots: string[] = [];
  for (let slot = 0; slot < 512; slot += 1) {
    const at = 140 + slot * 12;
    if (bytes.readUInt32LE(at + 8) !== 0)
      slots.push(`${slot}: ${bytes.subarray(at, at + 12).toString('hex')}`);
  }
  assert.deepEqual(slots, GOLDEN_SLOTS);
});

test('an index that was written finds what the one in memory finds', async () => {
  for (const count of [1, 255, 256, 257, 5000, 40_000]) {
    const disk = new SimulatedDisk(new Random(1));
    const live = await write(disk, count);
    const stored = await StoredIndex.open(disk.attach(), core, PATH);
    for (let record = 0; record < count; record += Math.ceil(count / 300)) {
      const low = Math.imul(record * 2 + 1, 0x9e37_79b1) >>> 0;
      const high = Math.imul(record * 2 + 2, 0x9e37_79b1) >>> 0;
      assert.deepEqual(await stored.findOffsets(low, high), [4096 + record * 72]);
      assert.deepEqual(await stored.findOffsets(low, high + 1), []);
      assert.deepEqual(stored.findBlock(5 + record), live.findBlock(5 + record));
    }
    let hashes = 0;
    for await (const piece of stored.hashes()) hashes += piece.length / 2;
    assert.equal(hashes, count);
    await stored.close();
  }
});

test('a lookup goes on around the end of the table', async () => {
  const disk = new SimulatedDisk(new Random(1));
  const live = new LiveIndex(1);
  const count = 20;
  const offsets = Uint32Array.from({ length: count }, (_, record) => record * 72);
  // All of them belong into the last slot.
  const hashes = Uint32Array.from({ length: count * 2 }, (_, lane) => (lane % 2 === 0 ? 511 : lane >> 1));
  live.add(1, 4096, offsets, 4096 + count * 72, hashes);
  const facts = {
    segmentChecksum: 0,
    recordCount: count,
    segmentBytes: 4096,
    firstVersion: 1,
    lastVersion: count,
    lastTimestampMs: 0,
  };
  await writeIndex(disk.attach(), core, PATH, facts, live);
  const stored = await StoredIndex.open(disk.attach(), core, PATH);
  for (let record = 0; record < count; record += 1) {
    assert.deepEqual(await stored.findOffsets(511, record), [4096 + record * 72]);
  }
  assert.deepEqual(await stored.findOffsets(511, count), []);
});

test('every flipped bit of an index is noticed by whoever uses that part of it', async () => {
  const disk = new SimulatedDisk(new Random(1));
  await write(disk, 3);
  const intact = disk.content(PATH);
  for (let at = 0; at < intact.length; at += at < 200 ? 1 : 97) {
    disk.put(PATH, intact);
    disk.edit(PATH, (bytes) => {
      bytes[at]! ^= 8;
      return bytes;
    });
    const use = async (): Promise<void> => {
      const stored = await StoredIndex.open(disk.attach(), core, PATH);
      for await (const page of stored.pages()) assert(page.length > 0);
    };
    await assert.rejects(use(), IndexDamage, `byte ${at}`);
  }
});

test('a head alone is not an index', async () => {
  const disk = new SimulatedDisk(new Random(1));
  await write(disk, 3);
  disk.edit(PATH, (bytes) => bytes.subarray(0, 128));
  const file = await disk.attach().open(PATH, 'read');
  await assert.rejects(readIndexHead(core, file), IndexDamage);
});
