import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { Core } from '../../src/core/core.js';
import { NodeDisk } from '../../src/log/file/node-disk.js';
import { LogError } from '../../src/log/log.js';
import { filePolicyStore } from '../../src/retention/file-policy-store.js';
import { temporaryDirectory } from '../support/server.js';

describe('the file of retention policies', () => {
  test('gives back what was saved, under any name', async (t) => {
    const file = path.join(await temporaryDirectory(t), 'policies');
    const store = filePolicyStore(new NodeDisk(), file, Core.load());
    assert.deepEqual(await store.load(), new Map());
    const policies = new Map([
      ['backup', 7],
      ['__proto__', 2 ** 53 - 1],
      ['0', 0],
    ]);
    await store.save(policies);
    assert.deepEqual([...(await store.load())].sort(), [...policies].sort());
    await store.save(new Map());
    assert.deepEqual(await store.load(), new Map());
  });

  test('is what the documentation of its format shows', async (t) => {
    const file = path.join(await temporaryDirectory(t), 'policies');
    await filePolicyStore(new NodeDisk(), file, Core.load()).save(new Map([['backup', 1200]]));
    assert.equal(
      await readFile(file, 'utf8'),
      '{"format":"headwater retention policies 1","policies":{"backup":1200}}\ncrc32c 0xd0ed4ce7\n',
    );
  });

  test('is refused with its name when any byte has changed', async (t) => {
    const file = path.join(await temporaryDirectory(t), 'policies');
    const store = filePolicyStore(new NodeDisk(), file, Core.load());
    await store.save(new Map([['backup', 1200]]));
    const sound = await readFile(file);
    for (let index = 0; index < sound.length - 1; index += 1) {
      const damaged = Buffer.from(sound);
      damaged[index]! ^= 1;
      await writeFile(file, damaged);
      await assert.rejects(store.load(), (error: unknown) => {
        assert.ok(error instanceof LogError && error.kind === 'damaged');
        assert.ok(error.message.includes(file));
        return true;
      });
    }
    await writeFile(file, sound.subarray(0, 20));
    await assert.rejects(store.load(), LogError);
  });
});
