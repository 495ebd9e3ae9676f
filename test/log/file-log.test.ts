import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import type { DiskFile } from '../../src/log/file/disk.js';
import { FileLog } from '../../src/log/file/file-log.js';
import { LiveIndex } from '../../src/log/file/segment-index.js';
import { indexName, segmentName } from '../../src/log/file/segment-name.js';
import { Random } from '../support/random.js';
import { SimulatedDisk } from '../support/simulated-disk.js';
import { BatchMaker, requestId } from './batch-maker.js';
import { blocks, DIRECTORY, isLogError, LogRig, until } from './log-rig.js';

const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** The log as it is, and then as the next process finds it. */
async function* nowAndReopened(rig: LogRig): AsyncIterable<FileLog> {
  yield rig.log;
  yield (await rig.reopen()).log;
}

async function severalSegments(count = 4): Promise<LogRig> {
  const rig = await LogRig.started();
  while (rig.log.segments().length < count) await rig.commit({ count: 10 });
  return rig;
}

/** Makes the segments of the log sealed, but for the one being written. */
async function allSealed(rig: LogRig): Promise<void> {
  await until(() => rig.log.segments().every(({ sealed }, index, all) => sealed || index === all.length - 1));
}

test('what is appended becomes durable and can be read as the same bytes', async () => {
  const rig = await LogRig.started();
  const maker = new BatchMaker(rig.log.hashKey);
  const batch = maker.make({ firstVersion: 1, prevVersion: 0, count: 3 });
  rig.log.append(batch);
  assert.equal(await rig.log.read(0), undefined, 'nothing is durable yet');
  await until(() => rig.durable.length > 0);
  assert.deepEqual(rig.durable, [3]);
  assert.deepEqual(await rig.log.read(0), {
    leaderId: 'leader-1',
    firstVersion: 1,
    lastVersion: 3,
    bytes: batch.bytes,
  });
  const rest = await rig.log.read(1);
  assert.equal(rest?.firstVersion, 2);
  assert.deepEqual(rest?.bytes, batch.bytes.subarray(batch.offsets[1]));
  assert.equal(await rig.log.read(3), undefined);
});

test('batches that queue up while one is synced share the next write and sync', async () => {
  const rig = await LogRig.started();
  let syncs = 0;
  rig.disk.fault = (operation) => {
    if (operation === 'sync') syncs += 1;
    if (operation === 'sync' && syncs === 1) for (let batch = 0; batch < 5; batch += 1) rig.append();
    return undefined;
  };
  rig.append();
  rig.append();
  await until(() => rig.durable.at(-1) === 7);
  assert.deepEqual(rig.durable, [2, 7]);
  assert.equal(syncs, 2);
});

test('each sync is told with its records and bytes, before what became durable by it', async () => {
  const log = await FileLog.open({ directory: DIRECTORY, disk: new SimulatedDisk(new Random(1)).attach() });
  const told: string[] = [];
  log.observe({
    durable: (version) => told.push(`durable ${version}`),
    failed: () => undefined,
    synced: (records, bytes, seconds) => {
      assert(seconds >= 0 && seconds < 60);
      told.push(`${records} records, ${bytes} bytes`);
    },
  });
  await log.startTerm({ leaderId: 'x', maxInFlight: 9, nowMs: 0 });
  const batch = new BatchMaker(log.hashKey).make({ firstVersion: 1, prevVersion: 0, count: 4 });
  log.append(batch);
  await until(() => told.length === 2);
  assert.deepEqual(told, [`4 records, ${batch.bytes.length} bytes`, 'durable 4']);
});

test('versions that do not continue the term are refused', async () => {
  const rig = await LogRig.started();
  await rig.commit();
  const wrong = [
    { firstVersion: 1, prevVersion: 0 },
    { firstVersion: 3, prevVersion: 1 },
  ];
  for (const options of wrong) assert.throws(() => rig.append(options), RangeError);
  await rig.commit();
  assert.deepEqual(await rig.versions(), [1, 2]);
});

test('more in flight than the term may have is refused: its versions could be issued again', async () => {
  const rig = await LogRig.open();
  await rig.startTerm(5);
  rig.append({ count: 5 });
  assert.throws(() => rig.append(), /more than 5 above/);
  await until(() => rig.durable.at(-1) === 5);
  await rig.commit({ count: 5 });
});

test('there is no appending before a term and after closing', async () => {
  const rig = await LogRig.open();
  const batch = new BatchMaker(rig.log.hashKey).make({ firstVersion: 1, prevVersion: 0 });
  assert.throws(() => rig.log.append(batch), isLogError('closed'));
  await rig.startTerm();
  await rig.log.close();
  assert.throws(() => rig.log.append(batch), isLogError('closed'));
  await assert.rejects(rig.log.read(0), isLogError('closed'));
  await assert.rejects(rig.log.findRequest('x', 0), isLogError('closed'));
  await assert.rejects(rig.log.truncate(1), isLogError('closed'));
  await assert.rejects(rig.startTerm(), isLogError('closed'));
  await rig.log.close();
});

test('a full segment is followed by the next, and no batch is divided', async () => {
  const rig = await severalSegments();
  const segments = rig.log.segments();
  let next = 1;
  for (const { firstVersion, lastVersion, bytes } of segments) {
    assert.equal(firstVersion, next);
    assert.equal((lastVersion - firstVersion + 1) % 10, 0, 'whole batches');
    assert(bytes <= 16384);
    next = lastVersion + 1;
  }
  assert.deepEqual(await rig.versions(), range(1, next - 1));
});

test('the next segment is prepared when this one is half full, and used then', async () => {
  const rig = await LogRig.started();
  await rig.commit({ count: 20 });
  assert(!rig.names().includes('next.tmp'));
  await rig.commit({ count: 40 });
  await until(() => rig.log.usage().preparedBytes > 16384);
  assert.equal(rig.disk.files().get(`${DIRECTORY}/next.tmp`), 16384);
  while (rig.log.segments().length < 2) await rig.commit({ count: 10 });
  assert(!rig.names().includes('next.tmp'));
  const { segments, bytes, preparedBytes } = rig.log.usage();
  assert.equal(segments, 2);
  assert.equal(
    bytes,
    rig.log.segments().reduce((sum, segment) => sum + segment.bytes, 0),
  );
  assert.equal(preparedBytes, 16384 - rig.log.segments()[1]!.bytes);
});

test('a batch longer than a segment makes a longer segment', async () => {
  const rig = await LogRig.started();
  await rig.commit({ valueBytes: 50_000 });
  await rig.commit();
  await rig.commit({ valueBytes: 50_000 });
  assert.deepEqual(await rig.versions(), [1, 2, 3]);
  assert.deepEqual(
    rig.log.segments().map(({ firstVersion }) => firstVersion),
    [1, 2, 3],
  );
  assert.deepEqual(await (await rig.reopen()).versions(), [1, 2, 3]);
});

test('readers that start anywhere get to the same blocks', async () => {
  const rig = await LogRig.open(undefined, { segmentBytes: 1 << 20 });
  await rig.startTerm(1000);
  for (let batch = 0; batch < 20; batch += 1) await rig.commit({ count: 10, valueBytes: 3000 });
  const ends: number[] = [];
  for await (const block of blocks(rig.log)) {
    ends.push(block.lastVersion);
    assert(block.bytes.length <= 65536);
  }
  assert(ends.length > 5);
  for (let after = 0; after < 200; after += 7) {
    const block = await rig.log.read(after);
    assert.equal(block?.firstVersion, after + 1);
    assert.equal(
      block?.lastVersion,
      ends.find((end) => end > after),
    );
  }
  // The same once the segment is sealed.
  const again = await rig.reopen();
  const endsAgain: number[] = [];
  for await (const block of blocks(again.log)) endsAgain.push(block.lastVersion);
  assert.deepEqual(endsAgain, ends);
});

test('a bit that flips in a sealed segment is an error of the reader, naming file and offset', async () => {
  const rig = await severalSegments();
  await allSealed(rig);
  const path = `${DIRECTORY}/${segmentName(1)}`;
  rig.disk.edit(path, (bytes) => {
    bytes[5000]! ^= 1;
    return bytes;
  });
  const again = await rig.reopen();
  await assert.rejects(again.log.read(0), isLogError('damaged', new RegExp(`${path}, offset \\d+: `)));
  const second = again.log.segments()[1]!.firstVersion;
  assert.equal((await again.log.read(second - 1))?.firstVersion, second, 'the others can be read');
});

test('request IDs are found wherever their record stands', async () => {
  const rig = await severalSegments();
  const last = rig.durable.at(-1)!;
  for await (const log of nowAndReopened(rig)) {
    for (const version of [1, 2, 60, 117, 118, last - 1, last]) {
      const found = await log.findRequest(requestId(version), 0);
      assert.deepEqual(found, { version, leaderId: 'leader-1' });
      assert.deepEqual(await log.findRequest(requestId(version), version), found);
      assert.equal(await log.findRequest(requestId(version), version + 1), undefined);
    }
    assert.equal(await log.findRequest(requestId(last + 1), 0), undefined);
    assert.equal(await log.findRequest('\u00fcmlaut of more than twenty characters', 0), undefined);
  }
});

test('request IDs are not found before they are durable, nor after their term has failed', async () => {
  const rig = await LogRig.started();
  await rig.commit();
  rig.disk.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
  rig.append();
  await Promise.resolve();
  assert.equal(await rig.log.findRequest(requestId(2), 0), undefined);
  await until(() => rig.failures.length > 0);
  assert.equal(await rig.log.findRequest(requestId(2), 0), undefined);
  assert.equal((await rig.log.findRequest(requestId(1), 0))?.version, 1);
});

test('a hash that several request IDs share hides none of them', async () => {
  const rig = await LogRig.started();
  const batch = new BatchMaker(rig.log.hashKey).make({ firstVersion: 1, prevVersion: 0, count: 40 });
  const { low, high } = rig.log.core.hashRequestId(requestId(33));
  const requestIdHashes = batch.requestIdHashes.map((_, lane) => (lane % 2 === 0 ? low : high));
  rig.log.append({ ...batch, requestIdHashes });
  await until(() => rig.durable.length > 0);
  assert.equal((await rig.log.findRequest(requestId(33), 0))?.version, 33);
  await rig.log.close();
  // The index file, which was made from the same hashes, has 40 under one.
  assert.equal((await (await rig.reopen()).log.findRequest(requestId(33), 0))?.version, 33);
});

test('of one request ID that stands for several transactions the version asked for is found', async () => {
  const rig = await LogRig.started();
  await rig.commit({ requestId: () => 'the same identification' });
  await rig.commit({ requestId: () => 'the same identification' });
  const found = await rig.log.findRequest('the same identification', 0);
  assert(found?.version === 1 || found?.version === 2);
  assert.equal((await rig.log.findRequest('the same identification', 2))?.version, 2);
});

test('a damaged index file is built again when a reader comes upon it', async () => {
  // The head, the block starts, the checksums of the pages, a page.
  for (const offset of [40, 130, 137, 400]) {
    const rig = await severalSegments();
    const last = rig.log.segments().at(-1)!.firstVersion - 1;
    await allSealed(rig);
    const again = await rig.reopen();
    for (const name of again.names().filter((file) => file.endsWith('.index'))) {
      again.disk.edit(`${DIRECTORY}/${name}`, (bytes) => {
        bytes[offset]! ^= 1;
        return bytes;
      });
    }
    const versions = range(1, last);
    const found = await Promise.all(versions.map((version) => again.log.findRequest(requestId(version), 0)));
    assert.deepEqual(
      found.map((one) => one?.version),
      versions,
    );
    assert(again.events().includes('index-rebuilt'));
    assert.deepEqual((await again.versions()).slice(0, last), versions);
    await allSealed(again);
    const third = await again.reopen();
    assert(!third.events().includes('index-rebuilt'), 'and is sound on disk again');
  }
});

test('the newest request-ID hashes come by segments, all of those that are asked for', async () => {
  const rig = await severalSegments();
  await allSealed(rig);
  const last = rig.durable.at(-1)!;
  for await (const log of nowAndReopened(rig)) {
    for (const count of [0, 1, 100, 150, 10_000]) {
      const seen = new Set<string>();
      let next: number | undefined;
      for await (const { hashes, afterVersion, lastVersion } of log.recentRequestIds(count)) {
        assert.equal(afterVersion + 1, next ?? afterVersion + 1, 'oldest first, without a hole');
        next = lastVersion + 1;
        for (let at = 0; at < hashes.length; at += 2) seen.add(`${hashes[at]} ${hashes[at + 1]}`);
      }
      if (count > 0) assert.equal(next, last + 1);
      for (const version of range(Math.max(1, last - count + 1), last)) {
        const { low, high } = rig.log.core.hashRequestId(requestId(version));
        assert(seen.has(`${low} ${high}`), `version ${version} of ${count}`);
      }
    }
  }
});

test('a new term starts above every version that the one before could have issued', async () => {
  const rig = await LogRig.started();
  await rig.commit({ count: 7, timestampMs: 1_700_000_000_123 });
  const expected = { lastVersion: 7, versionCeiling: 107, lastTimestampMs: 1_700_000_000_123 };
  const again = await rig.reopen();
  assert.deepEqual(await again.startTerm(3), expected);
  assert.deepEqual(await again.startTerm(4), { ...expected, versionCeiling: 110 });
  assert.deepEqual(await again.startTerm(5), { ...expected, versionCeiling: 114 });
  await again.commit();
  assert.deepEqual(await again.startTerm(5), {
    ...expected,
    lastVersion: 115,
    versionCeiling: 120,
    lastTimestampMs: 1_700_000_000_000,
  });
  assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5, 6, 7, 115]);
});

test('a new term cuts off what the one before left in the queue', async () => {
  const rig = await LogRig.started();
  rig.append({ count: 2 });
  await Promise.resolve();
  await Promise.resolve();
  rig.append({ count: 2 });
  const { lastVersion } = await rig.startTerm();
  assert.deepEqual(await rig.versions(), range(1, lastVersion));
  assert(lastVersion <= 2);
});

for (const [operation, code] of [
  ['write', 'EIO'],
  ['write', 'ENOSPC'],
  ['sync', 'EIO'],
] as const) {
  test(`a failed ${operation} (${code}) ends the term: nothing more of it becomes durable`, async () => {
    const rig = await LogRig.started();
    await rig.commit({ count: 5 });
    rig.disk.fault = (kind) => (kind === operation ? code : undefined);
    rig.append({ count: 5, valueBytes: 900 });
    rig.append({ count: 5 });
    await until(() => rig.failures.length > 0);
    assert.match(rig.failures[0]!.message, new RegExp(code));
    rig.disk.fault = () => undefined;
    rig.append({ count: 5 });
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(rig.durable, [5]);
    assert.equal(rig.failures.length, 1);
    assert.deepEqual(await rig.versions(), [1, 2, 3, 4, 5]);

    rig.disk.fault = () => code;
    await assert.rejects(rig.startTerm(), isLogError('storage', new RegExp(code)));
    rig.disk.fault = () => undefined;
    assert.deepEqual(await rig.startTerm(), {
      lastVersion: 5,
      versionCeiling: 105,
      lastTimestampMs: 1_700_000_000_000,
    });
    await rig.commit();
    assert.deepEqual(await rig.versions(), [1, 2, 3, 4, 5, 106]);
    await allSealed(rig);
    rig.disk.cutPower();
    const again = await rig.reopen();
    assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5, 106]);
    assert.equal((await again.log.findRequest(requestId(4), 0))?.version, 4);
    assert.equal(await again.log.findRequest(requestId(6), 0), undefined);
  });
}

test('a next segment that cannot be made fails the term, and the log goes on when there is room', async () => {
  const rig = await LogRig.started();
  rig.disk.fault = (operation) => (operation === 'create' ? 'ENOSPC' : undefined);
  while (rig.failures.length === 0) await rig.commit({ count: 10 });
  assert(rig.events().includes('preparation-failed'));
  const durable = rig.durable.at(-1)!;
  await assert.rejects(rig.startTerm(), isLogError('storage', /ENOSPC/));
  assert.deepEqual(await rig.versions(), range(1, durable));
  rig.disk.fault = () => undefined;
  assert.equal((await rig.startTerm()).lastVersion, durable);
  await rig.commit();
});

test('the oldest segments are truncated, and what was read from them is refused from then on', async () => {
  const rig = await severalSegments(5);
  const [first, second, third] = rig.log.segments();
  const early = await rig.log.read(0);
  assert.equal(early?.firstVersion, 1);
  const truncating = rig.log.truncate(2);
  assert.equal(rig.log.truncatedThrough, second!.lastVersion, 'at once');
  await truncating;
  assert.deepEqual(rig.log.segments()[0], third);
  for (const after of [0, first!.lastVersion, second!.lastVersion - 1]) {
    await assert.rejects(rig.log.read(after), isLogError('truncated'));
  }
  assert.equal((await rig.log.read(second!.lastVersion))?.firstVersion, third!.firstVersion);
  assert.equal(await rig.log.findRequest(requestId(1), 0), undefined);
  rig.disk.cutPower();
  const again = await rig.reopen();
  assert.equal(again.log.truncatedThrough, second!.lastVersion);
  assert.deepEqual(
    again.names().filter((name) => name.startsWith(segmentName(1).slice(0, 20))),
    [],
  );
});

test('the segment that is being written is never truncated', async () => {
  const rig = await severalSegments(3);
  await rig.log.truncate(99);
  assert.equal(rig.log.segments().length, 1);
  await rig.commit();
  const before = rig.log.segments()[0]!;
  await rig.log.truncate(1);
  assert.deepEqual(rig.log.segments(), [before]);
  await (await LogRig.open()).log.truncate(1);
});

test('a log of which everything but an empty segment was truncated still knows its past', async () => {
  const rig = await LogRig.started();
  await rig.commit({ count: 9, timestampMs: 1_700_000_000_777 });
  const start = await rig.startTerm();
  await rig.log.truncate(1);
  const again = await rig.reopen();
  assert.equal(again.log.truncatedThrough, 9);
  assert.deepEqual(await again.startTerm(), { ...start, versionCeiling: start.versionCeiling + 100 });
  await assert.rejects(again.log.read(8), isLogError('truncated'));
  assert.equal(await again.log.read(9), undefined);
});

test('a segment that is truncated under its readers is truncated to them, or served', async () => {
  for (let run = 0; run < 40; run += 1) {
    const disk = new SimulatedDisk(new Random(run), 4);
    const rig = await LogRig.started(disk, { openFilesMax: 2 });
    while (rig.log.segments().length < 4) await rig.commit({ count: 20 });
    const last = rig.durable.at(-1)!;
    const outcomes = range(0, last - 1).map(async (after) => {
      if (after === Math.floor(last / 2)) await rig.log.truncate(2);
      return await rig.log.read(after);
    });
    const finds = range(1, last).map((version) => rig.log.findRequest(requestId(version), 0));
    for (const [after, outcome] of (await Promise.allSettled(outcomes)).entries()) {
      if (outcome.status === 'fulfilled') assert.equal(outcome.value?.firstVersion, after + 1);
      else assert(isLogError('truncated')(outcome.reason), String(outcome.reason));
    }
    for (const found of await Promise.all(finds)) assert(found === undefined || found.version > 0);
    await rig.log.close();
  }
});

test('truncation that the disk refuses is refused, and done before anything newer goes', async () => {
  const rig = await severalSegments(6);
  await allSealed(rig);
  const names = (): string[] => rig.names().filter((name) => name.endsWith('.segment'));
  const before = names();
  rig.disk.fault = (operation) => (operation === 'unlink' ? 'EIO' : undefined);
  await assert.rejects(rig.log.truncate(1), isLogError('storage', /EIO/));
  assert.deepEqual(names(), before);
  rig.disk.fault = () => undefined;
  await rig.log.truncate(1);
  assert.deepEqual(names(), before.slice(2));
});

test('closing makes durable what was appended, seals, and leaves no handle and no leftover', async () => {
  const rig = await LogRig.started();
  rig.append({ count: 40 });
  rig.append({ count: 40 });
  await rig.log.close();
  assert.equal(rig.durable.at(-1), 80);
  assert.deepEqual(rig.names(), ['00000000000000000001.index', '00000000000000000001.segment']);
  const again = await rig.reopen();
  assert.deepEqual(again.events(), []);
  assert.deepEqual(await again.versions(), range(1, 80));
});

test('closing after a failure vouches for nothing', async () => {
  const rig = await LogRig.started();
  await rig.commit();
  rig.disk.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
  rig.append({ count: 3 });
  await until(() => rig.failures.length > 0);
  await rig.log.close();
  rig.disk.fault = () => undefined;
  assert(!rig.names().some((name) => name.endsWith('.index')));
  const versions = await (await rig.reopen()).versions();
  assert.equal(versions[0], 1);
});

test('sealing goes on beside writing and reading', async () => {
  const disk = new SimulatedDisk(new Random(3), 5);
  const rig = await LogRig.started(disk);
  for (let batch = 0; batch < 60; batch += 1) {
    await rig.commit({ count: 10 });
    const last = rig.durable.at(-1)!;
    const version = 1 + ((batch * 37) % last);
    assert.equal((await rig.log.findRequest(requestId(version), 0))?.version, version);
    assert.equal((await rig.log.read(version - 1))?.firstVersion, version);
  }
  assert.deepEqual(await rig.versions(), range(1, 600));
  await rig.log.close();
  assert.deepEqual(await (await rig.reopen()).versions(), range(1, 600));
});

test('options out of their range are refused', async () => {
  const disk = new SimulatedDisk(new Random(1)).attach();
  for (const segmentBytes of [0, 8191, 10_000.5, Number.NaN]) {
    await assert.rejects(FileLog.open({ directory: DIRECTORY, disk, segmentBytes }), RangeError);
  }
});

test('a term that fails with a write under way waits for it: nothing lands behind the cut', async () => {
  const rig = await LogRig.started();
  await rig.commit();
  const begin = rig.disk.begin.bind(rig.disk);
  let isLanded = false;
  rig.disk.begin = async (operation, path) => {
    if (operation === 'write' && !isLanded) {
      for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      isLanded = true;
    }
    return await begin(operation, path);
  };
  const add = mock.method(LiveIndex.prototype, 'add', () => {
    throw new RangeError('no memory');
  });
  rig.append({ valueBytes: 3000, count: 2 });
  await until(() => rig.failures.length > 0);
  add.mock.restore();
  assert(isLanded);
  assert.match(rig.failures[0]!.message, /no memory/);
  await rig.startTerm();
  rig.append();
  await until(() => rig.durable.at(-1) === 102);
  assert.deepEqual(await (await rig.reopen()).versions(), [1, 102]);
});

test('a truncation at any time in the start of a term leaves the segment of the term', async () => {
  for (let turns = 0; turns < 60; turns += 1) {
    const rig = await LogRig.started(new SimulatedDisk(new Random(turns), 2));
    for (let version = 1; version <= 3; version += 1) await rig.commit();
    await rig.startTerm();
    const starting = rig.startTerm();
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const truncating = rig.log.truncate(2);
    assert(rig.log.truncatedThrough <= 3, 'no version that stands for nothing');
    await Promise.all([starting, truncating]);
    await rig.commit();
    assert.equal(rig.log.segments().at(-1)?.lastVersion, 204);
    assert.equal((await rig.log.read(3))?.firstVersion, 204);
    assert.deepEqual((await (await rig.reopen()).versions()).at(-1), 204);
  }
});

test('an index that the disk does not give to a reader is built again', async () => {
  const rig = await severalSegments();
  await allSealed(rig);
  const again = await rig.reopen();
  again.disk.fault = (operation, path) =>
    operation === 'read' && path.endsWith('0001.index') ? 'EIO' : undefined;
  assert.equal((await again.log.findRequest(requestId(1), 0))?.version, 1);
});

test('an index is built again once, however many come upon it', async () => {
  const rig = await severalSegments();
  await allSealed(rig);
  const again = await rig.reopen();
  again.disk.edit(`${DIRECTORY}/${indexName(1)}`, (bytes) => bytes.fill(1, 400, 401 + 6000));
  // So that it stays in memory.
  again.disk.fault = (_operation, path) => (path.endsWith('.index.tmp') ? 'EIO' : undefined);
  const begin = again.disk.begin.bind(again.disk);
  let reads = 0;
  again.disk.begin = async (operation, path) => {
    const isPage = operation === 'read' && path.endsWith(indexName(1));
    if (isPage) reads += 1;
    // The last one reads its page when all others are done.
    if (isPage && reads === 7) await until(() => again.events().includes('seal-failed'));
    return await begin(operation, path);
  };
  const found = await Promise.all(range(1, 8).map((version) => again.log.findRequest(requestId(version), 0)));
  assert.deepEqual(
    found.map((one) => one?.version),
    range(1, 8),
  );
  assert.equal(again.events().filter((event) => event === 'index-rebuilt').length, 1);
});

test('closing waits for an index that is being built again, and a second close for the first', async () => {
  const rig = await severalSegments();
  await allSealed(rig);
  let isReleased = false;
  const again = await rig.reopen({
    lock: async () => ({
      confirm: async () => undefined,
      release: async () => {
        isReleased = true;
      },
    }),
  });
  again.disk.edit(`${DIRECTORY}/${indexName(1)}`, (bytes) => bytes.fill(1, 130, 131));
  const begin = again.disk.begin.bind(again.disk);
  const late: string[] = [];
  again.disk.begin = async (operation, path) => {
    if (operation === 'read' && path.endsWith('.segment')) {
      for (let turn = 0; turn < 30; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    if (isReleased && operation !== 'read') late.push(`${operation} ${path}`);
    return await begin(operation, path);
  };
  const reading = Promise.allSettled([again.log.read(0)]);
  await until(() => again.events().includes('index-rebuilt'));
  const closing = again.log.close();
  assert.equal(again.log.close(), closing);
  await closing;
  assert(isReleased);
  await reading;
  for (let turn = 0; turn < 200; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(late, [], 'nothing is done in a directory that may be that of another process');
});

test('no file of a truncated segment stays open', async () => {
  for (let run = 0; run < 30; run += 1) {
    const simulated = new SimulatedDisk(new Random(run), 3);
    const rig = await LogRig.started(simulated);
    while (rig.log.segments().length < 6) await rig.commit({ count: 10 });
    await rig.log.close();
    const open = new Map<DiskFile, string>();
    const disk = simulated.attach();
    const openFile = disk.open.bind(disk);
    disk.open = async (path, mode) => {
      const file = await openFile(path, mode);
      open.set(file, path);
      const close = file.close.bind(file);
      file.close = async () => {
        open.delete(file);
        await close();
      };
      return file;
    };
    const again = await LogRig.open(simulated, { disk });
    const lookups = range(1, 40).map((version) => again.log.findRequest(requestId(version), 0));
    for (let turn = 0; turn < run; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    await Promise.allSettled([...lookups, again.log.truncate(4)]);
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const left = again.names();
    const gone = [...open.values()].filter((path) => !left.some((name) => path.endsWith(name)));
    assert.deepEqual(gone, []);
  }
});

test('what is appended after a failure is ignored, whatever it is', async () => {
  const rig = await LogRig.started();
  rig.disk.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
  await rig.commit();
  rig.append({ firstVersion: 77 });
  rig.append({ count: 101 });
  assert.equal(rig.failures.length, 1);
});
