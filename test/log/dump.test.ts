import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dumpLog } from '../../src/log/file/dump.js';
import { segmentName } from '../../src/log/file/segment-name.js';
import { requestId } from './batch-maker.js';
import { DIRECTORY, isLogError, LogRig } from './log-rig.js';

interface Line {
  readonly version: number;
  readonly prev_version: number;
  readonly request_id: string;
  readonly leader_id: string;
}

async function dump(
  rig: LogRig,
  after?: number,
): Promise<{ lines: Line[]; error: unknown; result: unknown }> {
  const text: Buffer[] = [];
  let error: unknown;
  const options = {
    directory: DIRECTORY,
    disk: rig.disk.attach(),
    ...(after === undefined ? {} : { after }),
  };
  const result = await dumpLog(options, (lines) => {
    text.push(Buffer.from(lines));
  }).catch((reason: unknown) => {
    error = reason;
  });
  const lines = Buffer.concat(text).toString().split('\n');
  assert.equal(lines.pop(), '', 'every line is ended');
  return { lines: lines.map((line) => JSON.parse(line) as Line), error, result };
}

async function twoTerms(): Promise<LogRig> {
  const rig = await LogRig.started();
  while (rig.log.segments().length < 3) await rig.commit({ count: 10 });
  await rig.startTerm();
  await rig.commit({ count: 3 });
  return rig;
}

test('a dump holds all transactions, chained, a line each', async () => {
  const rig = await twoTerms();
  const { lines, result } = await dump(rig);
  const versions = await rig.versions();
  assert.deepEqual(
    lines.map(({ version }) => version),
    versions,
  );
  for (const [index, line] of lines.entries()) {
    assert.equal(line.prev_version, lines[index - 1]?.version ?? 0);
    assert.equal(line.request_id, requestId(line.version));
  }
  assert.deepEqual(lines.at(-1)?.leader_id, 'leader-2');
  assert.deepEqual(lines[0]?.leader_id, 'leader-1');
  assert.deepEqual(result, { transactions: versions.length, unsyncedTail: undefined });
});

test('a dump starts behind any version', async () => {
  const rig = await twoTerms();
  const versions = await rig.versions();
  for (const after of [
    0,
    1,
    109,
    110,
    111,
    versions.at(-4)!,
    versions.at(-1)! - 1,
    versions.at(-1)!,
    10_000,
  ]) {
    const { lines } = await dump(rig, after);
    assert.deepEqual(
      lines.map(({ version }) => version),
      versions.filter((version) => version > after),
    );
  }
});

test('a dump of a truncated log starts with what is held, and refuses to start before it', async () => {
  const rig = await twoTerms();
  await rig.log.truncate(1);
  assert.equal((await dump(rig)).lines[0]?.version, rig.log.truncatedThrough + 1);
  assert(isLogError('truncated')((await dump(rig, 5)).error));
});

test('a dump ends with an error where the log is damaged', async () => {
  const rig = await twoTerms();
  rig.disk.edit(`${DIRECTORY}/${segmentName(1)}`, (bytes) => {
    bytes[4096 + 20 * 104 + 70]! ^= 1;
    return bytes;
  });
  const { lines, error } = await dump(rig);
  assert.equal(lines.at(-1)?.version, 20);
  assert(isLogError('damaged', new RegExp(`${segmentName(1)}, offset ${4096 + 20 * 104}`))(error));
});

test('a dump ends with an error where a segment is missing', async () => {
  const rig = await twoTerms();
  const [, second] = rig.log.segments();
  rig.disk.remove(`${DIRECTORY}/${segmentName(second!.firstVersion)}`);
  const { lines, error } = await dump(rig);
  assert.equal(lines.at(-1)?.version, second!.firstVersion - 1);
  assert(isLogError('damaged')(error));
});

test('a dump ends before an unsynced tail, and says where', async () => {
  const rig = await twoTerms();
  const path = `${DIRECTORY}/${segmentName(rig.log.segments().at(-1)!.firstVersion)}`;
  rig.disk.edit(path, (bytes) => {
    bytes[4096 + 2 * 104 + 70]! ^= 1;
    return bytes;
  });
  const { lines, result } = await dump(rig);
  assert.equal(lines.at(-1)?.version, rig.durable.at(-1)! - 1);
  assert.deepEqual(result, {
    transactions: lines.length,
    unsyncedTail: { file: path, offset: 4096 + 2 * 104 },
  });
});

test('a segment without records that a new term replaces meanwhile is not missed', async () => {
  const rig = await LogRig.started();
  await rig.commit();
  await rig.startTerm();
  let isReplaced = false;
  const result = await dumpLog({ directory: DIRECTORY, disk: rig.disk.attach() }, async () => {
    if (!isReplaced) await rig.startTerm();
    isReplaced = true;
  });
  assert(isReplaced);
  assert.deepEqual(result, { transactions: 1, unsyncedTail: undefined });
});
