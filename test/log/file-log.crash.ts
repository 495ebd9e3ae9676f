import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Core } from '../../src/core/core.js';
import { decodeRecord } from '../../src/core/decode.js';
import { FileLog } from '../../src/log/file/file-log.js';
import { lockDirectory } from '../../src/log/file/lock.js';
import { NodeDisk } from '../../src/log/file/node-disk.js';
import { verifyLog } from '../../src/log/file/verify.js';
import { Random } from '../support/random.js';
import { seed } from '../support/seed.js';
import { requestId } from './batch-maker.js';
import { blocks } from './log-rig.js';

const LIVES = 6;

/** What the appending processes have said in all their lives. */
interface Told {
  /** By version: the tag of the life that issued it. */
  readonly issued: Map<number, string>;
  durable: number;
}

/** Lets a process append until it has reported `reports` times that something is durable, and kills it. */
async function live(directory: string, tag: string, reports: number, told: Told): Promise<void> {
  const script = fileURLToPath(new URL('./appending-process.js', import.meta.url));
  const child = spawn(process.execPath, [script, directory, tag], { stdio: ['ignore', 'pipe', 'inherit'] });
  let left = reports;
  let last = 0;
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [what, number] = line.split(' ');
    const version = Number(number);
    if (what === 'started') {
      const highest = Math.max(0, ...told.issued.keys());
      assert(version >= highest, `the term starts above ${version}, but ${highest} was issued`);
      last = version;
    } else if (what === 'issued') {
      while (last < version) told.issued.set(++last, tag);
    } else {
      told.durable = version;
      left -= 1;
      if (left === 0) child.kill('SIGKILL');
    }
  }
  const [, signal] = await exited;
  assert.equal(signal, 'SIGKILL', 'it did not end by itself');
}

test('what was durable survives kill -9 in the middle of appending', async (t) => {
  t.diagnostic(`SEED=${seed}`);
  const random = new Random(seed);
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'headwater-crash-'));
  try {
    const told: Told = { issued: new Map(), durable: 0 };
    const survivors = new Set<number>();
    for (let life = 0; life < LIVES; life += 1) {
      await live(directory, `life ${life}`, 20 + random.below(150), told);
      const report = await verifyLog(directory, () => undefined);
      assert.deepEqual(report.problems, []);

      const cuts: unknown[] = [];
      const log = await FileLog.open({
        directory,
        disk: new NodeDisk(),
        lock: lockDirectory,
        segmentBytes: 64 * 1024,
        notify: (event, fields) => {
          if (event === 'tail-cut') cuts.push(fields);
        },
      });
      const core = Core.load();
      const found = new Set<number>();
      let prevVersion = 0;
      for await (const block of blocks(log)) {
        for (let offset = 0; offset < block.bytes.length; ) {
          const record = decodeRecord(core, block.bytes, offset);
          assert.equal(record.requestId, requestId(record.version, told.issued.get(record.version)));
          assert.equal(block.leaderId, `leader ${told.issued.get(record.version)}`);
          assert.equal(record.prevVersion, prevVersion);
          prevVersion = record.version;
          found.add(record.version);
          offset += record.length;
        }
      }
      for (const version of survivors)
        assert(found.has(version), `version ${version} has been served before`);
      for (const [version, tag] of told.issued) {
        if (tag === `life ${life}` && version <= told.durable)
          assert(found.has(version), `version ${version}`);
      }
      for (const version of found) survivors.add(version);
      const last = await log.findRequest(requestId(told.durable, `life ${life}`), told.durable);
      assert.equal(last?.version, told.durable);
      await log.close();
      t.diagnostic(`life ${life}: ${found.size} transactions, ${cuts.length} tails cut`);
    }
  } finally {
    await fs.rm(directory, { recursive: true });
  }
});
