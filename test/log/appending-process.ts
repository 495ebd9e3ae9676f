import { FileLog } from '../../src/log/file/file-log.js';
import { lockDirectory } from '../../src/log/file/lock.js';
import { NodeDisk } from '../../src/log/file/node-disk.js';
import { BatchMaker } from './batch-maker.js';

// Appends to the log in the directory named by the first argument until it is killed. Says on standard output what it
// is about to append ("issued 7 a3": versions up to 7, with request IDs that carry a3) and what is durable.
const [directory = '', tag = ''] = process.argv.slice(2);
const MAX_IN_FLIGHT = 60;

const log = await FileLog.open({
  directory,
  disk: new NodeDisk(),
  lock: lockDirectory,
  segmentBytes: 64 * 1024,
});
const maker = new BatchMaker(log.hashKey);
let durable = 0;
let last = 0;
let prev = 0;

function appendMore(): void {
  const floor = Math.max(durable, start.versionCeiling);
  for (let count = 1; last + count - floor <= MAX_IN_FLIGHT; count = 1 + ((count * 7) % 11)) {
    const batch = maker.make({
      firstVersion: last + 1,
      prevVersion: prev,
      durableVersion: Math.max(durable, start.lastVersion),
      count,
      tag,
      valueBytes: (last * 131) % 700,
    });
    last = batch.lastVersion;
    prev = last;
    process.stdout.write(`issued ${last} ${tag}\n`);
    log.append(batch);
  }
}

log.observe({
  durable: (version) => {
    durable = version;
    process.stdout.write(`durable ${version}\n`);
    setImmediate(appendMore);
  },
  failed: (error) => {
    throw error;
  },
  synced: () => undefined,
});
const start = await log.startTerm({ leaderId: `leader ${tag}`, maxInFlight: MAX_IN_FLIGHT, nowMs: 1 });
last = start.versionCeiling;
prev = start.lastVersion;
process.stdout.write(`started ${start.versionCeiling} ${start.lastVersion}\n`);
appendMore();
