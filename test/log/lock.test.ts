import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { FileLog } from '../../src/log/file/file-log.js';
import { lockDirectory } from '../../src/log/file/lock.js';
import { NodeDisk } from '../../src/log/file/node-disk.js';
import { isLogError } from './log-rig.js';

async function withDirectory(action: (directory: string) => Promise<void>): Promise<void> {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'headwater-lock-'));
  try {
    await action(directory);
  } finally {
    await fs.rm(directory, { recursive: true });
  }
}

test('a directory is locked once, by whatever name, until it is released', async () => {
  await withDirectory(async (directory) => {
    const lock = await lockDirectory(directory);
    const holder = new RegExp(`in use by another process \\(process ${process.pid} on `);
    await assert.rejects(lockDirectory(directory), isLogError('locked', holder));
    await fs.symlink(directory, `${directory}/other-name`);
    await assert.rejects(lockDirectory(`${directory}/other-name`), isLogError('locked'));
    await lock.release();
    const again = await lockDirectory(directory);
    await again.release();
    assert.deepEqual(await fs.readdir(directory), ['other-name']);
  });
});

test('of many that ask for a lock at the same time one gets it', async () => {
  await withDirectory(async (directory) => {
    const asked = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)));
    const locks = asked.filter((one) => one.status === 'fulfilled');
    assert.equal(locks.length, 1);
    await locks[0]?.value.release();
  });
});

test('a file that names a holder locks nothing, and may hold anything', async () => {
  await withDirectory(async (directory) => {
    await fs.writeFile(`${directory}/LOCK`, 'null');
    const lock = await lockDirectory(directory);
    await fs.writeFile(`${directory}/LOCK`, 'no JSON');
    await assert.rejects(lockDirectory(directory), isLogError('locked', /in use by another process$/));
    await lock.release();
  });
});

test('the lock of a process that was killed is free', async () => {
  await withDirectory(async (directory) => {
    const module = new URL('../../src/log/file/lock.js', import.meta.url).href;
    const script = `
      const { lockDirectory } = await import(${JSON.stringify(module)});
      await lockDirectory(${JSON.stringify(directory)});
      process.stdout.write('locked');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    const holder = new RegExp(`process ${child.pid} on`);
    await assert.rejects(lockDirectory(directory), isLogError('locked', holder));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lock = await lockDirectory(directory);
    await lock.release();
  });
});

test('a log keeps a second one out of its directory, until it is closed', async () => {
  await withDirectory(async (directory) => {
    const options = { directory, disk: new NodeDisk(), lock: lockDirectory, segmentBytes: 65536 };
    const log = await FileLog.open(options);
    await assert.rejects(FileLog.open(options), isLogError('locked'));
    await log.close();
    const again = await FileLog.open(options);
    await again.close();
  });
});

test('a log that does not open releases its directory', async () => {
  await withDirectory(async (directory) => {
    const options = { directory, disk: new NodeDisk(), lock: lockDirectory };
    await fs.writeFile(`${directory}/00000000000000000001.segment`, 'nonsense');
    await assert.rejects(FileLog.open(options), isLogError('damaged'));
    await fs.rm(`${directory}/00000000000000000001.segment`);
    await (await FileLog.open(options)).close();
  });
});

test('a directory can be locked when nobody can be told who holds it', async () => {
  await withDirectory(async (directory) => {
    await fs.mkdir(`${directory}/LOCK`);
    for (let time = 0; time < 2; time += 1) {
      const lock = await lockDirectory(directory);
      await assert.rejects(lockDirectory(directory), isLogError('locked'));
      await lock.release();
    }
  });
});

test('a log leaves alone what has taken the place of its directory', async () => {
  await withDirectory(async (above) => {
    const directory = `${above}/log`;
    const options = { directory, disk: new NodeDisk(), lock: lockDirectory, segmentBytes: 8192 };
    const log = await FileLog.open(options);
    log.observe({ durable: () => undefined, failed: () => undefined, synced: () => undefined });
    const term = { leaderId: 'x', maxInFlight: 10, nowMs: 1 };
    await log.startTerm(term);
    await fs.rename(directory, `${above}/moved`);
    await assert.rejects(log.startTerm(term), isLogError('storage', /moved or replaced/));
    await fs.cp(`${above}/moved`, directory, { recursive: true });
    const before = await fs.readdir(directory);
    await assert.rejects(log.startTerm(term), isLogError('storage', /moved or replaced/));
    await log.close();
    assert.deepEqual(await fs.readdir(directory), before);
    await (await FileLog.open(options)).close();
  });
});
