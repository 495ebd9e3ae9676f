import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { cutDurably, isNotFound, readFile, writeFileAtomically } from '../../src/log/file/disk.js';
import { behind, NodeDisk } from '../../src/log/file/node-disk.js';
import { Random } from '../support/random.js';
import { SimulatedDisk } from '../support/simulated-disk.js';

const text = (content: string): Uint8Array => new TextEncoder().encode(content);

async function withDirectory(action: (directory: string) => Promise<void>): Promise<void> {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'headwater-disk-'));
  try {
    await action(directory);
  } finally {
    await fs.rm(directory, { recursive: true });
  }
}

test('a file of the real disk is written, read, cut and synced', async () => {
  await withDirectory(async (directory) => {
    const disk = new NodeDisk();
    const file = await disk.open(`${directory}/a`, 'create');
    await file.write([text('one '), text(''), text('two')], 2);
    await file.fdatasync();
    assert.equal(await file.size(), 9);
    const bytes = new Uint8Array(20);
    assert.equal(await file.read(bytes, 2), 7, 'less than asked, at the end');
    assert.equal(new TextDecoder().decode(bytes.subarray(0, 7)), 'one two');
    await file.truncate(5);
    await file.fsync();
    assert.equal(await file.size(), 5);
    await file.close();
    await disk.rename(`${directory}/a`, `${directory}/b`);
    await disk.syncDirectory(directory);
    assert.deepEqual(await disk.list(directory), ['b']);
    await disk.unlink(`${directory}/b`);
    assert.deepEqual(await disk.list(directory), []);
  });
});

test('a synced file of the real disk has what was written to it, and is not made', async () => {
  await withDirectory(async (directory) => {
    const disk = new NodeDisk();
    await assert.rejects(disk.open(`${directory}/a`, 'synced'), isNotFound);
    await (await disk.open(`${directory}/a`, 'create')).close();
    const file = await disk.open(`${directory}/a`, 'synced');
    await file.write([text('one '), text('two')], 3);
    const bytes = new Uint8Array(20);
    assert.equal(await file.read(bytes, 3), 7);
    assert.equal(new TextDecoder().decode(bytes.subarray(0, 7)), 'one two');
    await file.close();
  });
});

test('what a synced file of the simulated disk has written survives a power cut', async () => {
  const simulated = new SimulatedDisk(new Random(1));
  simulated.put('/a', new Uint8Array(4));
  const file = await simulated.attach().open('/a', 'synced');
  await file.write([text('abcd')], 0);
  simulated.cutPower();
  assert.equal(new TextDecoder().decode(simulated.content('/a')), 'abcd');
});

test('directories of the real disk are made with those above them, and may be there', async () => {
  await withDirectory(async (directory) => {
    const disk = new NodeDisk();
    await disk.makeDirectory(`${directory}/x/y`);
    await disk.makeDirectory(`${directory}/x/y`);
    assert.deepEqual(await disk.list(`${directory}/x`), ['y']);
  });
});

test('errors of the real disk carry their code', async () => {
  await withDirectory(async (directory) => {
    const disk = new NodeDisk();
    await assert.rejects(disk.open(`${directory}/none`, 'read'), isNotFound);
    await assert.rejects(disk.unlink(`${directory}/none`), isNotFound);
    assert.equal(await readFile(disk, `${directory}/none`), undefined);
    const file = await disk.open(`${directory}/a`, 'create');
    await file.close();
    const readOnly = await disk.open(`${directory}/a`, 'read');
    await assert.rejects(readOnly.write([text('no')], 0), { code: 'EBADF' });
    await readOnly.close();
  });
});

test('a write that the system takes piece by piece goes on with the rest', () => {
  const chunks = [text('abc'), text('de'), text('f')];
  const rest = (count: number): string[] =>
    behind(chunks, count).map((chunk) => Buffer.from(chunk).toString());
  assert.deepEqual(rest(0), ['abc', 'de', 'f']);
  assert.deepEqual(rest(2), ['c', 'de', 'f']);
  assert.deepEqual(rest(3), ['de', 'f']);
  assert.deepEqual(rest(5), ['f']);
  assert.deepEqual(rest(6), []);
});

test('a file is replaced as a whole or not at all, wherever the power fails', async () => {
  let old = 0;
  let replaced = 0;
  for (let run = 0; run < 200; run += 1) {
    const disk = new SimulatedDisk(new Random(run), 2);
    await writeFileAtomically(disk.attach(), '/d/file', new Uint8Array(3000).fill(1));
    let operations = run % 8;
    disk.fault = () => {
      if (operations === 0) disk.cutPower();
      operations -= 1;
      return undefined;
    };
    const replacing = writeFileAtomically(disk.attach(), '/d/file', new Uint8Array(2000).fill(2));
    const [outcome] = await Promise.allSettled([replacing]);
    disk.fault = () => undefined;
    const content = await readFile(disk.attach(), '/d/file');
    const expected = [new Uint8Array(3000).fill(1), new Uint8Array(2000).fill(2)];
    const which = expected.findIndex((bytes) => Buffer.compare(bytes, content!) === 0);
    assert.notEqual(which, -1, 'it is a mixture');
    if (outcome.status === 'fulfilled') assert.equal(which, 1, 'it was durable');
    if (which === 0) old += 1;
    else replaced += 1;
  }
  assert(old > 0 && replaced > 0);
});

test('the simulated disk loses what was not synced, and only that', async () => {
  let lost = 0;
  for (let run = 0; run < 50; run += 1) {
    const disk = new SimulatedDisk(new Random(run));
    const attached = disk.attach();
    const file = await attached.open('/d/a', 'create');
    await file.write([new Uint8Array(2048).fill(1)], 0);
    await file.fsync();
    await attached.syncDirectory('/d');
    await file.write([new Uint8Array(2048).fill(2)], 1024);
    await attached.open('/d/b', 'create');
    disk.cutPower();
    await assert.rejects(file.size(), 'the process is gone');
    const content = disk.content('/d/a');
    assert(content.subarray(0, 1024).every((byte) => byte === 1));
    assert(content.subarray(1024, 2048).every((byte) => byte === 1 || byte === 2));
    if (content.length === 2048 && !disk.files().has('/d/b')) lost += 1;
  }
  assert(lost > 0);
});

test('a failed sync of the simulated disk is not made good by the next one', async () => {
  let lost = 0;
  for (let run = 0; run < 20; run += 1) {
    const disk = new SimulatedDisk(new Random(run));
    disk.put('/d/a', new Uint8Array(512));
    const file = await disk.attach().open('/d/a', 'update');
    await file.write([new Uint8Array(512).fill(7)], 0);
    disk.fault = () => 'EIO';
    await assert.rejects(file.fsync(), { code: 'EIO' });
    disk.fault = () => undefined;
    await file.fsync();
    assert.equal(disk.content('/d/a')[0], 7, 'reading shows it');
    disk.cutPower();
    if (disk.content('/d/a')[0] === 0) lost += 1;
  }
  assert(lost > 0);
});

test('a file is cut durably even when an earlier attempt failed in its sync', async () => {
  let forgotten = 0;
  for (let run = 0; run < 40; run += 1) {
    const simulated = new SimulatedDisk(new Random(run));
    simulated.put('/d/file', new Uint8Array(1000).fill(1));
    const file = await simulated.attach().open('/d/file', 'update');
    simulated.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
    await assert.rejects(cutDurably(file, 100), /EIO/);
    simulated.fault = () => undefined;
    if (run % 2 === 0) await cutDurably(file, 100);
    else await file.fsync();
    simulated.cutPower();
    const length = simulated.files().get('/d/file');
    if (run % 2 === 0) assert.equal(length, 100);
    else if (length === 1000) forgotten += 1;
  }
  assert(forgotten > 0, 'a sync alone does not do it');
});
