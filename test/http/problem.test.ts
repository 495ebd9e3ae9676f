import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { malformed, PROBLEMS, Problem } from '../../src/http/problem.js';

describe('problems', () => {
  test('are those that the documentation lists, with the same status', () => {
    const text = readFileSync(new URL('../../../docs/api.md', import.meta.url), 'utf8');
    const documented = [...text.matchAll(/^\| `([a-z-]+)` \| (\d{3}) \|/gm)].map(([, kind, status]) => [
      kind,
      Number(status),
    ]);
    assert.deepEqual(
      documented.sort(),
      Object.entries(PROBLEMS)
        .map(([kind, { status }]) => [kind, status])
        .sort(),
    );
  });

  test('become RFC 9457 bodies', () => {
    const problem = malformed([{ pointer: '/a', detail: 'is required' }]);
    assert.deepEqual(JSON.parse(JSON.stringify(problem)), {
      type: 'urn:headwater:problem:malformed-request',
      title: 'The request is malformed',
      status: 400,
      detail: '/a: is required',
      errors: [{ pointer: '/a', detail: 'is required' }],
    });
    const extended = new Problem('log-truncated', 'gone', { members: { oldest_version: 5 } });
    assert.equal(JSON.parse(JSON.stringify(extended)).oldest_version, 5);
  });
});
