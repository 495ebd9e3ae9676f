import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  indexName,
  isLeftover,
  segmentName,
  versionOfIndexName,
  versionOfSegmentName,
} from '../../src/log/file/segment-name.js';

test('names carry the first version in twenty digits', () => {
  assert.equal(segmentName(1), '00000000000000000001.segment');
  assert.equal(indexName(Number.MAX_SAFE_INTEGER), '00009007199254740991.index');
  assert.equal(versionOfSegmentName(segmentName(42)), 42);
  assert.equal(versionOfIndexName(indexName(42)), 42);
});

test('other names are none of ours', () => {
  for (const name of ['LOCK', '1.segment', 'x00000000000000000001.segment', '99999999999999999999.segment']) {
    assert.equal(versionOfSegmentName(name), undefined, name);
    assert.equal(isLeftover(name), false, name);
  }
  assert.equal(versionOfIndexName(segmentName(1)), undefined);
  assert(isLeftover('next.tmp'));
  assert(isLeftover(`${indexName(1)}.tmp`));
  assert.equal(isLeftover('policies.tmp'), false);
});
