import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RunOptions } from './options.js';
import { matches, select, unknownPatterns } from './selection.js';
import type { Test } from './test.js';

const testOf = (name: string, ...requirements: [string, ...string[]]): Test => ({
  name,
  title: name,
  requirements,
  run: async () => undefined,
});

const TESTS = [
  testOf('commit/range-read/overlap', 'COMMIT-RANGE-READ', 'COMMIT-PRECOND-RANGE-END-EXCLUSIVE'),
  testOf('commit/range-reads', 'COMMIT-RANGE-READ'),
  testOf('stream/live', 'STREAM-LIVE', 'EVENT-FIELDS'),
  testOf('commit/no-op', 'COMMIT-NO-OP-CHANGE'),
] as const;

const OPTIONS: RunOptions = {
  url: 'http://127.0.0.1:1',
  hooks: {},
  only: [],
  skip: [],
  sections: [],
  levels: [],
  seed: 1,
  runs: undefined,
  depth: 'default',
  soakMinutes: 0,
  patienceMs: 1,
  concurrency: 1,
  knownFailing: [],
};

const selected = (options: Partial<RunOptions>): string[] =>
  select(TESTS, { ...OPTIONS, ...options }).map(({ name }) => name);

const ALL = TESTS.map(({ name }) => name);

test('a pattern names a test, a folder or a requirement, in whatever case', () => {
  for (const pattern of [
    'commit/range-read/overlap',
    'COMMIT/Range-Read/Overlap',
    'commit/range-read',
    'commit',
    'COMMIT-RANGE-READ',
    'commit-range-read',
    'COMMIT-PRECOND-RANGE-END-EXCLUSIVE',
    '*',
    '*overlap',
    'commit/*/overlap',
    'commit/r*',
    'COMMIT-*',
    '*/range-read',
  ])
    assert.equal(matches(pattern, TESTS[0]), true, pattern);
  for (const pattern of [
    '',
    'overlap',
    'commit/range',
    'commit/range-read/over',
    'ommit',
    'COMMIT-RANGE',
    'stream',
    'commit.range-read.overlap',
    'c?mmit',
    'commit/range-read/overlap/more',
    '(commit)',
    'commit|stream',
  ])
    assert.equal(matches(pattern, TESTS[0]), false, pattern);
});

test('without options all are run, in their order', () => {
  assert.deepEqual(selected({}), ALL);
});

test('only and skip choose by pattern, and skip has the last word', () => {
  assert.deepEqual(selected({ only: ['commit/range-read', 'stream'] }), [ALL[0], ALL[2]]);
  assert.deepEqual(selected({ skip: ['COMMIT-RANGE-READ'] }), [ALL[2], ALL[3]]);
  assert.deepEqual(selected({ only: ['commit'], skip: ['*no-op'] }), [ALL[0], ALL[1]]);
  assert.deepEqual(selected({ only: ['nothing'] }), []);
});

test('a section stands for those below it, of any requirement of a test', () => {
  assert.deepEqual(selected({ sections: ['2.2'] }), [ALL[0], ALL[1], ALL[3]]);
  assert.deepEqual(selected({ sections: ['6.1'] }), [ALL[2]]);
  assert.deepEqual(selected({ sections: ['4'] }), [ALL[2]]);
  assert.deepEqual(selected({ sections: ['2', '4.4'] }), ALL);
  assert.deepEqual(selected({ sections: ['1'] }), []);
});

test('a level chooses the tests that have a requirement of it', () => {
  assert.deepEqual(selected({ levels: ['SHOULD'] }), [ALL[0]]);
  assert.deepEqual(selected({ levels: ['OPEN'] }), [ALL[3]]);
  assert.deepEqual(selected({ levels: ['MUST'] }), ALL.slice(0, 3));
  assert.deepEqual(selected({ levels: ['SHOULD', 'OPEN'] }), [ALL[0], ALL[3]]);
  assert.deepEqual(selected({ levels: ['MUST'], sections: ['6'], only: ['stream'] }), [ALL[2]]);
});

test('patterns that name nothing are told, and requirements without tests are something', () => {
  assert.deepEqual(
    unknownPatterns(TESTS, ['commit', 'comit', 'STREAM-LIVE', 'STREAM-LIFE', 'OK-ANSWERS', 'x*', '*']),
    ['comit', 'STREAM-LIFE', 'x*'],
  );
});
