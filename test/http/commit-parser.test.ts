import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Core } from '../../src/core/core.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';
import { parseCommit, versionAhead } from '../../src/http/commit-parser.js';
import { Problem } from '../../src/http/problem.js';

const options = {
  packer: new TransactionPacker(Core.load()),
  minRequestIdLength: 20,
  newRequestId: () => 'made-by-the-server-itself',
};

const parseText = (text: string) => parseCommit(Buffer.from(text), options);
const parse = (body: unknown) => parseText(JSON.stringify(body));
const base = { leader_id: 'leader', read_version: 7, operations: [] };

/** The pointers of the faults that a body is refused for. */
function faults(body: unknown): string[] {
  try {
    parse(body);
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    assert.equal(error.kind, 'malformed-request');
    return (error.extras.faults ?? []).map((fault) => ('pointer' in fault ? fault.pointer : fault.parameter));
  }
  return [];
}

describe('a commit request', () => {
  test('needs little', () => {
    const commit = parse(base);
    assert.equal(commit.chosenRequestId, undefined);
    assert.equal(commit.requestId, 'made-by-the-server-itself');
    assert.deepEqual(commit.preconditions, []);
    assert.equal(commit.highestVersion, 7);
  });

  test('fills in the version of preconditions', () => {
    const commit = parse({
      ...base,
      preconditions: [
        { type: 'point_read', key: '' },
        { type: 'range_read', version: 9, begin: '', end: 'AA==' },
      ],
    });
    assert.deepEqual(commit.preconditions, [
      { type: 'point_read', version: 7, key: '' },
      { type: 'range_read', version: 9, begin: '', end: 'AA==' },
    ]);
    assert.equal(commit.highestVersion, 9);
  });

  test('may have fields that nobody knows', () => {
    assert.deepEqual(faults({ ...base, extra: 1, operations: [{ type: 'delete', key: '', extra: [] }] }), []);
  });

  test('must be a JSON object in UTF-8', () => {
    for (const text of ['', '{', '[]', 'null', '1', '"x"', '\ufeff{}', '['.repeat(10_001)]) {
      assert.throws(() => parseText(text), Problem, text.slice(0, 20));
    }
    assert.throws(() => parseCommit(Buffer.from([0x22, 0xff, 0x22]), options), /UTF-8/);
    const deep = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    assert.throws(() => parseText(`{"operations":${deep}}`), Problem);
  });

  test('names every field that is missing or wrong', () => {
    assert.deepEqual(faults({}), ['/leader_id', '/read_version', '/operations']);
    assert.deepEqual(faults({ ...base, request_id: 7, preconditions: {}, operations: 'x' }), [
      '/request_id',
      '/preconditions',
      '/operations',
    ]);
    assert.deepEqual(
      faults({ ...base, preconditions: [null, { type: 'x' }, {}], operations: [[], { type: 'write' }] }),
      [
        '/preconditions/0',
        '/preconditions/1/type',
        '/preconditions/2/type',
        '/operations/0',
        '/operations/1/key',
        '/operations/1/value',
      ],
    );
  });

  test('has versions that are integers from 0 to 2^53 - 1', () => {
    for (const version of ['-1', '1.5', '9007199254740992', '1e300', '"7"', 'null', 'true']) {
      assert.throws(
        () => parseText(`{"leader_id":"l","read_version":${version},"operations":[]}`),
        /read_version/,
      );
    }
    assert.equal(
      parseText('{"leader_id":"l","read_version":9007199254740991,"operations":[]}').readVersion,
      2 ** 53 - 1,
    );
    assert.deepEqual(faults({ ...base, preconditions: [{ type: 'point_read', key: '', version: null }] }), [
      '/preconditions/0/version',
    ]);
  });

  test('has base64 in its one canonical form', () => {
    const good = ['', 'AA==', 'AAA=', 'AAAA', '+/+/', '/w==', '//8=', 'A'.repeat(400)];
    const bad = [
      'A',
      'AA',
      'AAA',
      'AA=',
      'AAAA=',
      'AA==AA==',
      '-_-_',
      ' AAAA',
      'AA\n==',
      'AB==',
      'AAB=',
      '=',
      '====',
      'AA==\n',
    ];
    for (const key of good)
      assert.deepEqual(faults({ ...base, operations: [{ type: 'delete', key }] }), [], key);
    for (const key of [...bad, ...bad.map((tail) => 'AAAA'.repeat(50) + tail)]) {
      assert.deepEqual(
        faults({ ...base, operations: [{ type: 'delete', key }] }),
        ['/operations/0/key'],
        key,
      );
    }
    for (const key of [1, null, {}, undefined]) {
      assert.deepEqual(faults({ ...base, operations: [{ type: 'delete', key }] }), ['/operations/0/key']);
    }
  });

  test('has ranges that are not empty, in the order of unsigned bytes', () => {
    const range = (begin: string, end: string) => [
      ...faults({ ...base, preconditions: [{ type: 'range_read', begin, end }] }),
      ...faults({ ...base, operations: [{ type: 'range_delete', begin, end }] }),
    ];
    const both = ['/preconditions/0/end', '/operations/0/end'];
    assert.deepEqual(range('', ''), both);
    assert.deepEqual(range('AA==', 'AA=='), both);
    assert.deepEqual(range('gA==', 'fw=='), both);
    assert.deepEqual(range('AAA=', 'AA=='), both);
    assert.deepEqual(range('fw==', 'gA=='), []);
    assert.deepEqual(range('AA==', 'AAA='), []);
  });

  test('has a request ID of the right length in well-formed Unicode', () => {
    const id = (request_id: string) => faults({ ...base, request_id });
    assert.deepEqual(id('x'.repeat(20)), []);
    assert.deepEqual(id('x'.repeat(19)), ['/request_id']);
    assert.deepEqual(id('\u{1f600}'.repeat(19)), ['/request_id'], 'characters are code points');
    assert.deepEqual(id('\u{1f600}'.repeat(20)), []);
    assert.deepEqual(id('x'.repeat(256)), []);
    assert.deepEqual(id('\u00e9'.repeat(129)), ['/request_id']);
    assert.deepEqual(id(`${'x'.repeat(20)}\ud800`), ['/request_id']);
  });

  test('is told of at most 16 faults', () => {
    assert.equal(faults({ ...base, operations: Array(1000).fill(0) }).length, 16);
  });

  test('is told where a version lies ahead of the log', () => {
    const commit = parse({
      ...base,
      preconditions: [
        { type: 'point_read', key: '', version: 3 },
        { type: 'point_read', key: '', version: 6 },
      ],
    });
    assert.deepEqual(
      versionAhead(commit, 5).extras.faults?.map((fault) => 'pointer' in fault && fault.pointer),
      ['/read_version', '/preconditions/1/version'],
    );
  });

  test('never echoes values into its faults', () => {
    const secret = 'c2VjcmV0LXZhbHVl';
    assert.throws(
      () => parseText(`{"leader_id": ${secret}`),
      (error: Problem) =>
        !JSON.stringify(error).includes('secret') && !JSON.stringify(error).includes(secret),
    );
  });
});
