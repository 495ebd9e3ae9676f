import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HEADER_BYTES } from '../../src/log/file/segment-header.js';
import { indexName, segmentName } from '../../src/log/file/segment-name.js';
import { Random } from '../support/random.js';
import { type Operation, SimulatedDisk } from '../support/simulated-disk.js';
import { BatchMaker } from './batch-maker.js';
import { DIRECTORY, isLogError, LogRig, until } from './log-rig.js';

const at = (name: string): string => `${DIRECTORY}/${name}`;
const FIRST = at(segmentName(1));

/** A log in one segment: versions 1 to 6 in single batches, each knowing that the one before was durable. */
async function sixSynced(): Promise<LogRig> {
  const rig = await LogRig.started();
  for (let version = 1; version <= 6; version += 1) await rig.commit();
  return rig;
}

/** Where the records of a segment start, by walking their lengths; the end of the last one comes last. */
function offsets(rig: LogRig, path = FIRST): number[] {
  const bytes = Buffer.from(rig.disk.content(path));
  const found = [HEADER_BYTES];
  for (let offset = HEADER_BYTES; offset + 8 <= bytes.length && bytes.readUInt32LE(offset + 4) > 0; ) {
    offset += bytes.readUInt32LE(offset + 4);
    found.push(offset);
  }
  return found;
}

/** A log of three full segments and one that is being written, whose process died. */
async function fourSegments(): Promise<LogRig> {
  const rig = await LogRig.started();
  while (rig.names().filter((name) => name.endsWith('.segment')).length < 4) {
    await rig.commit({ count: 10 });
  }
  await until(() => rig.events().filter((event) => event === 'segment-sealed').length === 3);
  rig.disk.kill();
  return rig;
}

const segmentNames = (rig: LogRig): string[] => rig.names().filter((name) => name.endsWith('.segment'));
const indexNames = (rig: LogRig): string[] => rig.names().filter((name) => name.endsWith('.index'));

test('an empty directory is an empty log', async () => {
  const rig = await LogRig.open();
  assert.deepEqual(await rig.versions(), []);
  assert.deepEqual(rig.log.segments(), []);
  assert.deepEqual(await rig.startTerm(), { lastVersion: 0, versionCeiling: 0, lastTimestampMs: 0 });
});

test('zeros behind the last record are a clean end', async () => {
  const rig = await (await sixSynced()).reopen();
  assert.deepEqual(await rig.versions(), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(rig.events(), []);
});

test('a file that ends inside of its last record is cut before that record', async () => {
  const rig = await sixSynced();
  const last = offsets(rig)[5]!;
  rig.disk.edit(FIRST, (bytes) => bytes.subarray(0, last + 17));
  const again = await rig.reopen();
  assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5]);
  assert.deepEqual(again.notices, [
    { event: 'tail-cut', fields: { file: FIRST, offset: last, bytes: 17, records: 0 } },
  ]);
  assert.equal(rig.disk.files().get(FIRST), last);
});

test('a file that ends before its first record is an empty segment', async () => {
  const rig = await sixSynced();
  rig.disk.edit(FIRST, (bytes) => bytes.subarray(0, HEADER_BYTES + 3));
  const again = await rig.reopen();
  assert.deepEqual(await again.versions(), []);
  assert.deepEqual(await again.startTerm(), { lastVersion: 0, versionCeiling: 100, lastTimestampMs: 0 });
});

test('a torn last record is cut', async () => {
  const rig = await sixSynced();
  const last = offsets(rig)[5]!;
  rig.disk.edit(FIRST, (bytes) => {
    bytes.fill(0, last + 40);
    return bytes;
  });
  const again = await rig.reopen();
  assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5]);
  assert.equal(again.notices[0]?.event, 'tail-cut');
});

test('a tear in the middle of the last batch cuts the whole records behind it, too', async () => {
  const rig = await sixSynced();
  await rig.commit({ count: 5 });
  const second = offsets(rig)[7]!;
  rig.disk.edit(FIRST, (bytes) => {
    bytes[second + 60]! ^= 1;
    return bytes;
  });
  const end = offsets(rig).at(-1)!;
  const again = await rig.reopen();
  assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5, 6, 7]);
  const fields = { file: FIRST, offset: second, bytes: end - second, records: 3 };
  // The padding of the last record is zeros, and so not counted.
  assert.equal(again.notices[0]?.event, 'tail-cut');
  const { bytes, ...others } = again.notices[0].fields;
  assert.deepEqual({ ...others, bytes: Math.ceil(Number(bytes) / 8) * 8 }, fields);
});

test('a batch of which only a later sector reached the disk is cut', async () => {
  const rig = await sixSynced();
  const end = offsets(rig)[6]!;
  rig.disk.edit(FIRST, (bytes) => {
    bytes.fill(7, end + 512, end + 600);
    return bytes;
  });
  const again = await rig.reopen();
  assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(again.notices[0]?.fields, { file: FIRST, offset: end, bytes: 600, records: 0 });
});

test('garbage behind the last record is cut, whatever it looks like', async () => {
  for (let run = 0; run < 50; run += 1) {
    const random = new Random(run);
    const rig = await sixSynced();
    const end = offsets(rig)[6]!;
    rig.disk.edit(FIRST, (bytes) => {
      for (let index = end; index < bytes.length; index += 1) bytes[index] = random.below(256);
      // Lengths that lead far away, nowhere, or behind the end of the file.
      const lengths = [8, 64, 0xffff_fff8, bytes.length, 7];
      new DataView(bytes.buffer).setUint32(end + 4, lengths[run % lengths.length]!, true);
      return bytes;
    });
    const again = await rig.reopen();
    assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5, 6]);
    assert.equal(again.notices[0]?.event, 'tail-cut');
  }
});

test('every flipped bit of a synced record refuses to start, naming file and offset', async () => {
  const intact = await sixSynced();
  const content = intact.disk.content(FIRST);
  const records = offsets(intact);
  // The last batch that others prove: record 5, of which record 6 says that it was durable.
  for (const record of [0, 2, 4]) {
    for (let offset = records[record]!; offset < records[record + 1]!; offset += 5) {
      const disk = new SimulatedDisk(new Random(1));
      disk.put(FIRST, content);
      disk.edit(FIRST, (bytes) => {
        bytes[offset]! ^= 4;
        return bytes;
      });
      const where = new RegExp(`${FIRST}, offset ${records[record]}: `);
      await assert.rejects(LogRig.open(disk), isLogError('damaged', where), `bit at ${offset}`);
    }
  }
});

test('a synced record that was wiped out refuses to start', async () => {
  const rig = await sixSynced();
  const [, second, third] = offsets(rig);
  rig.disk.edit(FIRST, (bytes) => {
    bytes.fill(0, second, third);
    return bytes;
  });
  await assert.rejects(rig.reopen(), isLogError('damaged', new RegExp(`offset ${second}: zeros, .* proves`)));
});

test('records of another log, stored as a value of a torn record, prove nothing', async () => {
  // Every possible alignment of the value.
  for (let shift = 0; shift < 8; shift += 1) {
    const rig = await sixSynced();
    const other = new BatchMaker().make({
      firstVersion: 900,
      prevVersion: 899,
      count: 5,
      durableVersion: 850,
    });
    const value = new Uint8Array(shift + other.bytes.length);
    value.set(other.bytes, shift);
    await rig.commit({ value });
    const torn = offsets(rig)[6]!;
    rig.disk.edit(FIRST, (bytes) => bytes.fill(0, torn + 40, torn + 41));
    rig.disk.edit(FIRST, (bytes) => bytes.fill(1, torn + 24, torn + 25));
    const again = await rig.reopen();
    assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5, 6]);
    assert.deepEqual(again.events(), ['tail-cut']);
  }
});

test('a record of the wrong place refuses to start though it passes its checksum', async () => {
  const rig = await sixSynced();
  const end = offsets(rig)[6]!;
  const maker = new BatchMaker(rig.log.hashKey);
  const wrong = [
    { firstVersion: 8, prevVersion: 6, durableVersion: 1 },
    { firstVersion: 6, prevVersion: 5, durableVersion: 1 },
    { firstVersion: 7, prevVersion: 5, durableVersion: 1 },
  ];
  for (const options of wrong) {
    const { bytes } = maker.make(options);
    const disk = new SimulatedDisk(new Random(1));
    disk.put(FIRST, rig.disk.content(FIRST));
    disk.edit(FIRST, (content) => {
      content.set(bytes, end);
      return content;
    });
    await assert.rejects(LogRig.open(disk), isLogError('damaged', new RegExp(`offset ${end}: `)));
  }
});

test('a damaged header refuses to start', async () => {
  const rig = await sixSynced();
  rig.disk.edit(FIRST, (bytes) => {
    bytes[20]! ^= 1;
    return bytes;
  });
  await assert.rejects(rig.reopen(), isLogError('damaged', /offset 0: the header block fails its checksum/));
});

test('a segment under the name of another refuses to start', async () => {
  const rig = await sixSynced();
  rig.disk.put(at(segmentName(5)), rig.disk.content(FIRST));
  rig.disk.remove(FIRST);
  await assert.rejects(rig.reopen(), isLogError('damaged', /the header is that of/));
});

test('segments that are sealed are not read when the log is opened', async () => {
  const rig = await fourSegments();
  const reads: string[] = [];
  rig.disk.fault = (operation, path) => {
    if (operation === 'read') reads.push(path);
    return undefined;
  };
  const again = await rig.reopen();
  for (const name of segmentNames(again).slice(0, 3)) {
    assert.equal(reads.filter((path) => path.endsWith(name)).length, 1, 'the header, and nothing else');
  }
});

test('a missing index is built again, and comes out the same', async () => {
  const rig = await fourSegments();
  const name = indexNames(rig)[1]!;
  const content = rig.disk.content(at(name));
  rig.disk.remove(at(name));
  const again = await rig.reopen();
  assert.deepEqual(again.notices.find(({ event }) => event === 'index-rebuilt')?.fields, {
    file: at(name),
    reason: 'missing',
  });
  assert.equal(Buffer.compare(again.disk.content(at(name)), content), 0);
});

test('a damaged index is built again when the log is opened', async () => {
  const damage: ((bytes: Uint8Array) => Uint8Array)[] = [
    (bytes) => bytes.subarray(0, 100),
    (bytes) => bytes.subarray(0, bytes.length - 1),
    (bytes) => bytes.fill(0, 24, 25),
    () => new Uint8Array(0),
  ];
  for (const change of damage) {
    const rig = await fourSegments();
    const name = indexNames(rig)[1]!;
    const content = rig.disk.content(at(name));
    rig.disk.edit(at(name), change);
    const again = await rig.reopen();
    assert.equal(again.notices.find(({ event }) => event === 'index-rebuilt')?.fields['file'], at(name));
    assert.equal(Buffer.compare(again.disk.content(at(name)), content), 0);
  }
});

test('an index of another segment is not believed', async () => {
  const rig = await fourSegments();
  const [one, other] = indexNames(rig);
  rig.disk.put(at(one!), rig.disk.content(at(other!)));
  const versions = await (await rig.reopen()).versions();
  assert.equal(versions.length, versions.at(-1));
});

test('a missing segment refuses to start', async () => {
  for (const missing of [1, 2]) {
    const rig = await fourSegments();
    const names = segmentNames(rig);
    rig.disk.remove(at(names[missing]!));
    rig.disk.remove(at(names[missing]!.replace('segment', 'index')));
    const pattern = new RegExp(`${names[missing + 1]}, offset 0: the log before it should end with`);
    await assert.rejects(rig.reopen(), isLogError('damaged', pattern));
  }
});

test('a missing segment whose index is there refuses to start, also when it was the newest', async () => {
  const rig = await fourSegments();
  const closed = await rig.reopen();
  await closed.log.close();
  for (const name of segmentNames(closed).slice(1)) {
    const content = closed.disk.content(at(name));
    closed.disk.remove(at(name));
    await assert.rejects(closed.reopen(), isLogError('damaged', /the segment of this index is missing/));
    closed.disk.put(at(name), content);
  }
});

test('a sealed segment that was cut short refuses to start', async () => {
  const rig = await fourSegments();
  const name = segmentNames(rig)[1]!;
  rig.disk.edit(at(name), (bytes) => bytes.subarray(0, bytes.length - 8));
  await assert.rejects(rig.reopen(), isLogError('damaged', /cut short/));
});

test('an unsealed segment with others behind it may not have a torn tail', async () => {
  const rig = await fourSegments();
  const name = segmentNames(rig)[2]!;
  rig.disk.remove(at(name.replace('segment', 'index')));
  rig.disk.edit(at(name), (bytes) => bytes.subarray(0, bytes.length - 8));
  await assert.rejects(rig.reopen(), isLogError('damaged', /the file ends inside of a record/));
});

test('an unsealed segment with others behind it may end with the zeros prepared for it', async () => {
  const rig = await fourSegments();
  const name = segmentNames(rig)[2]!;
  const length = rig.disk.content(at(name)).length;
  rig.disk.remove(at(name.replace('segment', 'index')));
  rig.disk.edit(at(name), (bytes) => Uint8Array.from({ length: 16384 }, (_, index) => bytes[index] ?? 0));
  await rig.reopen();
  assert.equal(rig.disk.files().get(at(name)), length, 'and is sealed, then');
});

test('of a log that was closed nothing may be missing', async () => {
  const rig = await sixSynced();
  await rig.log.close();
  assert.deepEqual(indexNames(rig), [indexName(1)]);
  rig.disk.edit(FIRST, (bytes) => bytes.subarray(0, bytes.length - 8));
  await assert.rejects(rig.reopen(), isLogError('damaged', /cut short; .* bytes were sealed/));
  // Not even if the index, which says so, has suffered as well.
  rig.disk.edit(at(indexName(1)), (bytes) => bytes.fill(0, 30, 32));
  await assert.rejects(rig.reopen(), isLogError('damaged'));
});

test('what an earlier process left unfinished is removed', async () => {
  const rig = await sixSynced();
  rig.disk.put(at('next.tmp'), new Uint8Array(999));
  rig.disk.put(at(`${indexName(1)}.tmp`), new Uint8Array(9));
  rig.disk.put(at('policies.tmp'), new Uint8Array(9));
  const again = await rig.reopen();
  assert.deepEqual(again.names(), [indexName(1), segmentName(1), 'policies.tmp']);
  assert.deepEqual(again.events(), ['leftover-removed', 'leftover-removed']);
});

test('an index whose segment was truncated away is removed', async () => {
  const rig = await fourSegments();
  const oldest = segmentNames(rig)[0]!;
  rig.disk.remove(at(oldest));
  const again = await rig.reopen();
  assert.deepEqual(
    indexNames(again),
    segmentNames(again).map((name) => name.replace('segment', 'index')),
  );
  assert.equal(again.log.truncatedThrough, (await again.versions())[0]! - 1);
});

test('an empty newest segment is replaced, and its floor is not lost', async () => {
  const rig = await sixSynced();
  let ceiling = 6;
  let current = rig;
  for (let term = 0; term < 4; term += 1) {
    current = await current.reopen();
    const start = await current.startTerm();
    ceiling += 100;
    assert.deepEqual(
      { ...start, lastTimestampMs: 0 },
      { lastVersion: 6, versionCeiling: ceiling, lastTimestampMs: 0 },
    );
    assert.deepEqual(segmentNames(current), [segmentName(1), segmentName(ceiling + 1)]);
  }
  assert.deepEqual(await current.versions(), [1, 2, 3, 4, 5, 6]);
});

test('a process that dies anywhere in the start of a term leaves a log that opens', async () => {
  const kinds = new Map<Operation, number>();
  for (let survived = 0; ; survived += 1) {
    const rig = await (await sixSynced()).reopen();
    await rig.startTerm();
    // Now the newest one is empty: the next start has the most to do.
    const next = await rig.reopen();
    let operations = survived;
    next.disk.fault = (operation) => {
      operations -= 1;
      if (operations === -1) {
        kinds.set(operation, (kinds.get(operation) ?? 0) + 1);
        next.disk.kill();
      }
      return undefined;
    };
    const [started] = await Promise.allSettled([next.startTerm()]);
    next.disk.fault = () => undefined;
    const last = await next.reopen();
    const { versionCeiling, lastVersion } = await last.startTerm();
    assert.equal(lastVersion, 6);
    assert(versionCeiling >= (next.start?.versionCeiling ?? 106));
    assert.deepEqual(segmentNames(last).length, 2);
    await last.commit();
    assert.deepEqual(await last.versions(), [1, 2, 3, 4, 5, 6, versionCeiling + 1]);
    if (started.status === 'fulfilled') break;
  }
  for (const kind of ['create', 'write', 'sync', 'rename', 'syncDirectory', 'unlink'] as const) {
    assert(kinds.has(kind), `it died in ${kind}`);
  }
});

test('what only the page cache held is on the disk before it is served', async () => {
  for (let run = 0; run < 30; run += 1) {
    const rig = await LogRig.started(new SimulatedDisk(new Random(run)));
    await rig.commit();
    rig.disk.fault = (operation) => {
      if (operation === 'sync') rig.disk.kill();
      return undefined;
    };
    rig.append({ count: 3, valueBytes: 700 });
    await until(() => rig.failures.length > 0);
    rig.disk.fault = () => undefined;
    const served = await (await rig.reopen()).versions();
    rig.disk.cutPower();
    const after = await (await rig.reopen()).versions();
    assert.deepEqual(after, served);
  }
});

test('what a failed sync left in the page cache only is on the disk before it is served', async () => {
  let kept = 0;
  for (let run = 0; run < 30; run += 1) {
    const rig = await LogRig.started(new SimulatedDisk(new Random(run)));
    await rig.commit();
    rig.disk.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
    rig.append({ count: 3, valueBytes: 700 });
    await until(() => rig.failures.length > 0);
    rig.disk.fault = () => undefined;
    const served = await (await rig.reopen()).versions();
    if (served.length === 4) kept += 1;
    rig.disk.cutPower();
    const after = await (await rig.reopen()).versions();
    assert.deepEqual(after, served);
  }
  assert.equal(kept, 30, 'the cache shows it all, as after a kill');
});

test('an index that cannot be written does not keep the log from opening', async () => {
  const rig = await sixSynced();
  rig.disk.fault = (_operation, path) => (path.endsWith('.index.tmp') ? 'ENOSPC' : undefined);
  const again = await rig.reopen();
  assert(again.events().includes('seal-failed'));
  assert.deepEqual(await again.versions(), [1, 2, 3, 4, 5, 6]);
  assert.equal((await again.log.findRequest('request--000000000004', 0))?.version, 4);
  rig.disk.fault = () => undefined;
  await again.startTerm();
  await again.log.close();
  assert.deepEqual(indexNames(again), [indexName(1)], 'and it is written when it can be');
});

test('a disk that refuses recovery says so, and the next attempt succeeds', async () => {
  const rig = await sixSynced();
  rig.disk.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
  await assert.rejects(rig.reopen(), isLogError('storage', /EIO/));
  rig.disk.fault = () => undefined;
  assert.deepEqual(await (await rig.reopen()).versions(), [1, 2, 3, 4, 5, 6]);
});

test('no version is issued twice when a segment has lost its name that takes the place of an empty one', async () => {
  let lost = 0;
  for (let run = 0; run < 60; run += 1) {
    const disk = new SimulatedDisk(new Random(run));
    const first = await LogRig.started(disk);
    await first.commit();
    await first.log.close();
    const second = await LogRig.started(disk);
    disk.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
    const issued = second.append({ tag: 'streamed, and never durable' });
    await until(() => second.failures.length > 0);
    disk.fault = () => undefined;
    disk.cutPower();
    const third = await LogRig.open(disk);
    if (third.log.segments().at(-1)?.lastVersion === issued) continue;
    lost += 1;
    // The third process dies when the segment of its term has its name in the page cache only.
    let isRenamed = false;
    disk.fault = (operation, path) => {
      isRenamed ||= operation === 'rename' && path.endsWith('.segment');
      if (operation === 'syncDirectory' && isRenamed) disk.kill();
      return undefined;
    };
    await assert.rejects(third.startTerm());
    // The power fails when the fourth has removed the empty segment.
    let isUnlinked = false;
    disk.fault = (operation, path) => {
      isUnlinked ||= operation === 'unlink' && path.endsWith('.segment');
      if (operation === 'syncDirectory' && isUnlinked) disk.cutPower();
      return undefined;
    };
    await assert.rejects(LogRig.open(disk));
    disk.fault = () => undefined;
    const last = await LogRig.started(disk);
    assert(last.append() > issued, `run ${run}: version ${issued} stands for two transactions`);
  }
  assert(lost > 5);
});

test('a sealed segment that is longer than its index says is cut, and not read', async () => {
  const rig = await fourSegments();
  const path = at(segmentNames(rig)[1]!);
  const length = rig.disk.content(path).length;
  rig.disk.edit(path, (bytes) => Uint8Array.from({ length: length + 999 }, (_, index) => bytes[index] ?? 7));
  const reads: string[] = [];
  rig.disk.fault = (operation, read) => {
    if (operation === 'read' && read === path) reads.push(read);
    return undefined;
  };
  const again = await rig.reopen();
  assert.equal(reads.length, 1, 'the header, and nothing else');
  assert.deepEqual(again.events(), []);
  assert.equal(rig.disk.files().get(path), length);
});

test('an index that the disk does not give is built again', async () => {
  const rig = await fourSegments();
  const name = indexNames(rig)[1]!;
  rig.disk.fault = (operation, path) => (operation === 'read' && path === at(name) ? 'EIO' : undefined);
  const again = await rig.reopen();
  const rebuilt = again.notices.filter(({ event }) => event === 'index-rebuilt');
  assert.deepEqual(
    rebuilt.map(({ fields }) => fields['file']),
    [at(name)],
  );
});

test('a torn value full of heads of records costs no more than any other', async () => {
  for (const durableVersion of [0, 2]) {
    const options = { segmentBytes: 1 << 20 };
    const rig = await LogRig.started(new SimulatedDisk(new Random(1)), options);
    await rig.commit();
    const value = new Uint8Array(1 << 19);
    const view = new DataView(value.buffer);
    // Where the places of records are, behind the head, the key and the lengths of the record that holds it.
    for (let start = 2; start + 56 <= value.length; start += 56) {
      const length = (value.length - start - 64) & ~7;
      view.setUint32(start, 1, true);
      view.setUint32(start + 4, length, true);
      view.setUint8(start + 8, 1);
      view.setUint32(start + 16, 2 + Math.floor(start / 56), true);
      view.setUint32(start + 32, start < 112 ? 0 : durableVersion, true);
      view.setUint32(start + 48, length - 56, true);
    }
    await rig.commit({ value });
    const torn = offsets(rig)[1]!;
    rig.disk.edit(FIRST, (bytes) => bytes.fill(0, torn + 1000, torn + 1100));
    let reads = 0;
    rig.disk.fault = (operation) => {
      if (operation === 'read') reads += 1;
      return undefined;
    };
    const again = await rig.reopen(options);
    assert.deepEqual(await again.versions(), [1]);
    assert(again.events().includes('tail-cut'));
    assert(reads < 100, `${reads} reads`);
  }
});

test('a tail whose length was not brought to the disk when it was cut does not come back', async () => {
  for (let run = 0; run < 30; run += 1) {
    const rig = await LogRig.started(new SimulatedDisk(new Random(run)));
    await rig.commit();
    rig.disk.kill();
    const end = offsets(rig)[1]!;
    rig.disk.edit(FIRST, (bytes) => bytes.fill(7, end, end + 900));
    rig.disk.fault = (operation) => (operation === 'sync' ? 'EIO' : undefined);
    await assert.rejects(rig.reopen(), isLogError('storage'));
    rig.disk.fault = (_operation, path) => (path.endsWith('.index.tmp') ? 'ENOSPC' : undefined);
    const again = await rig.reopen();
    await again.startTerm();
    await again.commit();
    rig.disk.fault = () => undefined;
    rig.disk.cutPower();
    assert.deepEqual(await (await rig.reopen()).versions(), [1, 102]);
  }
});
