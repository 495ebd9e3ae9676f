import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readConfig } from '../../src/config.js';
import { TestServer } from '../support/server.js';

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');

test('every metric is documented, and every documented one exists', async (t) => {
  const server = await TestServer.start(t);
  const { text } = await server.get('/metrics');
  const exposed = new Set([...text.matchAll(/^# TYPE (headwater_\w+)/gm)].map(([, name]) => name));
  const documented = new Set(
    [...read('docs/operations.md').matchAll(/`(headwater_\w+)/g)].map(([, name]) => name),
  );
  assert.deepEqual([...documented].sort(), [...exposed].sort());
});

test('every setting that the documents name exists', () => {
  const settings = new Set([...Object.keys(readConfig([], {})), 'config', 'help', 'version', 'after']);
  for (const name of ['README.md', 'docs/api.md', 'docs/operations.md', 'docs/architecture.md']) {
    for (const [, flag] of read(name).matchAll(/`--([a-z-]+)/g))
      assert.ok(settings.has(flag!), `${name}: --${flag}`);
  }
});
