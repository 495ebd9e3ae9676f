import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { HeadwaterClient } from '../../src/client/index.js';
import { TestServer, temporaryDirectory } from '../../test/support/server.js';
import { AcknowledgedCommits } from './acknowledged-commits.js';
import { checkStream } from './stream-check.js';

const COMMITS = 20;

interface History {
  readonly url: string;
  /** What a run would have written down. */
  readonly lines: readonly string[];
}

const idOf = (index: number): string => `stream-check-test-commit-${index}`;

/** A server with some commits, the first of which at version 1. */
async function history(context: TestContext): Promise<History> {
  const { url } = await TestServer.start(context);
  const client = new HeadwaterClient({ url });
  let { version: readVersion, leaderId } = await client.version();
  const lines: string[] = [];
  for (let index = 0; index < COMMITS; index += 1) {
    const operations = [{ type: 'write', key: 'key', value: String(index) }] as const;
    const result = await client.commit({ requestId: idOf(index), leaderId, readVersion, operations });
    assert.equal(result.status, 'committed');
    readVersion = result.version;
    lines.push(`acknowledged ${idOf(index)} ${result.version}`);
  }
  return { url, lines };
}

async function findingsOf(
  context: TestContext,
  url: string,
  lines: readonly string[],
): Promise<readonly string[]> {
  const file = join(await temporaryDirectory(context), 'acknowledged');
  await writeFile(file, `${lines.join('\n')}\n`);
  return (await checkStream(url, 0, await AcknowledgedCommits.read(file))).findings;
}

describe('the check of acknowledged commits against the stream', () => {
  it('finds nothing when all are there, with or without what k6 adds to a line', async (context) => {
    const { url, lines } = await history(context);
    assert.deepEqual(await findingsOf(context, url, lines), []);
    const decorated = lines.map((line) => `time="2026-01-01" level=info msg="${line}" source=console`);
    assert.deepEqual(await findingsOf(context, url, decorated), []);
  });

  it('counts those that it has found', async (context) => {
    const { url } = await history(context);
    const acknowledged = new AcknowledgedCommits();
    for (let index = 0; index < COMMITS; index += 2) acknowledged.add(idOf(index), index + 1);
    assert.equal((await checkStream(url, 0, acknowledged)).found, COMMITS / 2);
  });

  it('names a commit that is missing', async (context) => {
    const { url, lines } = await history(context);
    const doctored = [...lines, 'acknowledged never-sent-by-anybody 7'];
    const expected = ['never-sent-by-anybody: was acknowledged at version 7, is missing'];
    assert.deepEqual(await findingsOf(context, url, doctored), expected);
  });

  it('names a commit above the end of the log', async (context) => {
    const { url, lines } = await history(context);
    const doctored = [...lines, 'acknowledged lost-with-the-power-cut 1000'];
    const expected = ['lost-with-the-power-cut: was acknowledged at version 1000, is missing'];
    assert.deepEqual(await findingsOf(context, url, doctored), expected);
  });

  it('names a commit with another version', async (context) => {
    const { url, lines } = await history(context);
    const doctored = lines.with(4, `acknowledged ${idOf(4)} 6`);
    const expected = [`${idOf(4)}: was acknowledged at version 6, is in the stream at 5`];
    assert.deepEqual(await findingsOf(context, url, doctored), expected);
  });

  it('names a commit that was acknowledged twice', async (context) => {
    const { url, lines } = await history(context);
    const doctored = [...lines, `acknowledged ${idOf(3)} 21`];
    assert.deepEqual(await findingsOf(context, url, doctored), [
      `${idOf(3)}: was acknowledged more than once`,
    ]);
  });
});
