import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indexName, segmentName } from '../../src/log/file/segment-name.js';
import { type VerifyReport, verifyLog } from '../../src/log/file/verify.js';
import { Random } from '../support/random.js';
import { SimulatedDisk } from '../support/simulated-disk.js';
import { BatchMaker } from './batch-maker.js';
import { DIRECTORY, isLogError, LogRig, until } from './log-rig.js';

const at = (name: string): string => `${DIRECTORY}/${name}`;

async function threeSegments(): Promise<LogRig> {
  const rig = await LogRig.started();
  while (rig.log.segments().length < 3) await rig.commit({ count: 10 });
  await until(() => rig.log.segments().filter(({ sealed }) => sealed).length === 2);
  return rig;
}

async function verify(rig: LogRig): Promise<{ report: VerifyReport; lines: string[] }> {
  const lines: string[] = [];
  const report = await verifyLog(DIRECTORY, (line) => lines.push(line), rig.disk.attach());
  return { report, lines };
}

test('a sound log has no problems, and a line for each segment', async () => {
  const rig = await threeSegments();
  const last = rig.durable.at(-1)!;
  const before = rig.disk.files();
  const { report, lines } = await verify(rig);
  assert.deepEqual(report, {
    segments: 3,
    records: last,
    bytes: rig.log.usage().bytes,
    firstVersion: 1,
    lastVersion: last,
    unsyncedTailBytes: 0,
    problems: [],
  });
  assert.equal(lines.length, 4);
  assert.match(
    lines[0]!,
    /^00000000000000000001.segment: versions 1 to 110, .* leader leader-1, sealed, ok$/,
  );
  assert.match(lines[2]!, /not sealed, ok$/);
  assert.match(lines[3]!, /no problems$/);
  assert.deepEqual(rig.disk.files(), before, 'it only reads');
});

test('an empty directory and an empty segment are sound', async () => {
  const rig = await LogRig.open();
  assert.equal((await verify(rig)).report.problems.length, 0);
  await rig.startTerm();
  const { report } = await verify(rig);
  assert.equal(report.segments, 1);
  assert.deepEqual(report.problems, []);
});

test('a directory that is not there cannot be verified', async () => {
  await assert.rejects(
    verifyLog('/nowhere/at/all', () => undefined),
    isLogError('storage', /ENOENT/),
  );
});

test('damage is reported with file, offset and versions, and verifying goes on behind it', async () => {
  const rig = await threeSegments();
  const last = rig.durable.at(-1)!;
  // In a sealed segment two records, next to each other, and another one.
  rig.disk.edit(at(segmentName(1)), (bytes) => {
    for (const offset of [4096 + 10 * 104 + 30, 4096 + 11 * 104 + 90, 4096 + 50 * 104 + 8])
      bytes[offset]! ^= 16;
    return bytes;
  });
  const { report } = await verify(rig);
  assert.deepEqual(
    report.problems.map(({ file, offset, versions }) => ({ file, offset, versions })),
    [
      { file: segmentName(1), offset: 4096 + 10 * 104, versions: { first: 11, last: 12 } },
      { file: segmentName(1), offset: 4096 + 50 * 104, versions: { first: 51, last: 51 } },
    ],
  );
  assert.equal(report.records, last - 3);
  assert.equal(report.lastVersion, last);
});

test('damage up to the end of a segment is known to reach as far as the next one says', async () => {
  const rig = await threeSegments();
  rig.disk.edit(at(segmentName(1)), (bytes) => bytes.fill(3, 4096 + 100 * 104));
  const { report } = await verify(rig);
  assert.deepEqual(report.problems[0]?.versions, { first: 101, last: 110 });
});

test('damage in the newest segment is told from an unsynced tail', async () => {
  const rig = await LogRig.started();
  for (let version = 1; version <= 6; version += 1) await rig.commit();
  const intact = rig.disk.content(at(segmentName(1)));
  const flip = (offset: number): void => {
    rig.disk.put(at(segmentName(1)), intact);
    rig.disk.edit(at(segmentName(1)), (bytes) => {
      bytes[offset]! ^= 1;
      return bytes;
    });
  };
  flip(4096 + 2 * 104 + 60);
  const damaged = await verify(rig);
  assert.deepEqual(damaged.report.problems[0]?.versions, { first: 3, last: 3 });
  flip(4096 + 5 * 104 + 60);
  const torn = await verify(rig);
  assert.deepEqual(torn.report.problems, []);
  assert.equal(torn.report.records, 5);
  assert(torn.report.unsyncedTailBytes > 90 && torn.report.unsyncedTailBytes <= 104);
  assert.match(torn.lines[0]!, /unsynced bytes behind offset 4616$/);
});

test('a missing segment is a hole', async () => {
  const rig = await threeSegments();
  const [, second] = rig.log.segments();
  rig.disk.remove(at(segmentName(second!.firstVersion)));
  const { report } = await verify(rig);
  const versions = { first: second!.firstVersion, last: second!.lastVersion };
  assert.deepEqual(
    report.problems.map((problem) => problem.versions),
    [versions, undefined],
  );
  assert.match(report.problems[1]!.what, /the segment of this index is missing/);
});

test('a damaged header does not hide the records behind it', async () => {
  const rig = await threeSegments();
  const [, second] = rig.log.segments();
  rig.disk.edit(at(segmentName(second!.firstVersion)), (bytes) => bytes.fill(0, 8, 12));
  const { report } = await verify(rig);
  assert.deepEqual(
    report.problems.map(({ file, offset }) => ({ file, offset })),
    [{ file: segmentName(second!.firstVersion), offset: 0 }],
  );
  assert.equal(report.records, rig.durable.at(-1));
});

test('a record that breaks the chain is a problem, and so is a time that goes back', async () => {
  const rig = await LogRig.started();
  await rig.commit({ timestampMs: 1_700_000_000_500 });
  await rig.commit({ timestampMs: 1_700_000_000_400 });
  const wrong = new BatchMaker(rig.log.hashKey).make({ firstVersion: 9, prevVersion: 8, durableVersion: 1 });
  rig.disk.edit(at(segmentName(1)), (bytes) => {
    bytes.set(wrong.bytes, 4096 + 2 * 104);
    return bytes;
  });
  const { report } = await verify(rig);
  assert.deepEqual(
    report.problems.map(({ offset }) => offset),
    [4200, 4304, 4304].slice(0, report.problems.length),
  );
  assert.match(report.problems[0]!.what, /the time of version 2 goes back/);
  assert.match(report.problems[1]!.what, /version 9 where 3 should stand/);
});

test('an index that does not fit its segment is a problem', async () => {
  const rig = await threeSegments();
  const [first, second] = rig.log.segments();
  const [one, other] = [indexName(first!.firstVersion), indexName(second!.firstVersion)];
  const intact = rig.disk.content(at(one));
  for (const change of [
    (): Uint8Array => rig.disk.content(at(other)),
    (bytes: Uint8Array): Uint8Array => bytes.subarray(0, 500),
    (bytes: Uint8Array): Uint8Array => bytes.fill(1, 300, 301),
  ]) {
    rig.disk.put(at(one), intact);
    rig.disk.edit(at(one), change);
    const { report } = await verify(rig);
    assert.deepEqual(
      report.problems.map(({ file }) => file),
      [one],
    );
  }
});

test('a log can be verified while it is written, rotated, sealed and truncated', async () => {
  const rig = await LogRig.started(new SimulatedDisk(new Random(5), 3));
  let isVerifying = true;
  const writing = (async () => {
    while (isVerifying) {
      await rig.commit({ count: 7, valueBytes: 50 });
      if (rig.log.segments().length > 5) await rig.log.truncate(1);
    }
  })();
  for (let round = 0; round < 20 || rig.log.truncatedThrough === 0; round += 1) {
    assert.deepEqual((await verify(rig)).report.problems, []);
  }
  isVerifying = false;
  await writing;
});
