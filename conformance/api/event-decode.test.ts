import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breaks } from '../testing/breaks.js';
import { decodeCheckpoint, decodeTransactionEvent } from './event-decode.js';

const EVENT = {
  request_id: 'r',
  version: 7,
  prev_version: 5,
  timestamp: '2026-01-31T23:59:59.123Z',
  leader_id: 'A',
  operations: [{ type: 'delete', key: 'aw==' }],
};

const decode = (change: Readonly<Record<string, unknown>> = {}) =>
  decodeTransactionEvent(JSON.stringify({ ...EVENT, ...change }));

test('a transaction event has all its fields', () => {
  assert.deepEqual(decode({ unknown: 1 }), {
    requestId: 'r',
    version: 7n,
    prevVersion: 5n,
    timestamp: '2026-01-31T23:59:59.123Z',
    leaderId: 'A',
    operations: [{ type: 'delete', key: 'aw==' }],
  });
  assert.equal(
    decodeTransactionEvent(JSON.stringify(EVENT).replace(':7', ':9007199254740993')).version,
    2n ** 53n + 1n,
  );
});

test('a field that is missing is missed', () => {
  for (const field of Object.keys(EVENT)) breaks('EVENT-FIELDS', () => decode({ [field]: undefined }));
});

test('a field of the wrong type is told', () => {
  for (const [requirement, change] of [
    ['EVENT-FIELDS', { request_id: 7 }],
    ['EVENT-FIELDS', { request_id: null }],
    ['EVENT-FIELDS', { operations: {} }],
    ['EVENT-FIELDS', { operations: null }],
    ['EVENT-FIELDS', { version: null }],
    ['FIELD-VERSION-INTEGER', { version: '7' }],
    ['FIELD-VERSION-INTEGER', { version: 7.5 }],
    ['FIELD-VERSION-INTEGER', { prev_version: '5' }],
    ['EVENT-FIELDS', { leader_id: null }],
    ['FIELD-LEADER-STRING', { leader_id: 7 }],
    ['FIELD-LEADER-STRING', { leader_id: '' }],
    ['EVENT-TIMESTAMP', { timestamp: null }],
    ['EVENT-TIMESTAMP', { timestamp: 1_770_000_000_000 }],
  ] as const)
    breaks(requirement, () => decode(change));
});

test('data that is no JSON object is told', () => {
  for (const data of ['', '{', 'null', '[]', '7', '"x"']) {
    breaks('EVENT-FIELDS', () => decodeTransactionEvent(data));
    breaks('CHECKPOINT-FIELDS', () => decodeCheckpoint(data));
  }
});

test('ISO 8601 in UTC with milliseconds is a timestamp', () => {
  for (const timestamp of [
    '2026-01-31T23:59:59.123Z',
    '2026-01-31T00:00:00.000Z',
    '2024-02-29T12:00:00.001Z',
    '1970-01-01T00:00:00.000Z',
    '2026-01-31T23:59:59.123+00:00',
    '2000-02-29T12:00:00.999Z',
  ])
    assert.equal(decode({ timestamp }).timestamp, timestamp);
});

test('anything else is none', () => {
  for (const timestamp of [
    '',
    '2026-01-31',
    '2026-01-31T23:59:59Z',
    '2026-01-31T23:59:59.12Z',
    '2026-01-31T23:59:59.1234Z',
    '2026-01-31T23:59:59.123',
    '2026-01-31T23:59:59.123+01:00',
    '2026-01-31 23:59:59.123Z',
    '26-01-31T23:59:59.123Z',
    ' 2026-01-31T23:59:59.123Z',
    '2026-01-31T23:59:59.123Z\n',
    '2026-02-29T23:59:59.123Z',
    '2026-02-30T23:59:59.123Z',
    '2100-02-29T12:00:00.000Z',
    '2026-13-01T23:59:59.123Z',
    '2026-00-01T23:59:59.123Z',
    '2026-01-00T23:59:59.123Z',
    '2026-01-32T23:59:59.123Z',
    '2026-01-31T24:00:00.000Z',
    '2026-01-31T23:60:00.000Z',
    '2026-01-31T23:59:60.000Z',
    'Sat, 31 Jan 2026 23:59:59 GMT',
  ])
    breaks('EVENT-TIMESTAMP', () => decode({ timestamp }));
});

test('a checkpoint has a version and a leader', () => {
  assert.deepEqual(decodeCheckpoint('{"committed_version": 9007199254740993, "leader_id": "A"}'), {
    version: 2n ** 53n + 1n,
    leaderId: 'A',
  });
  assert.equal(decodeCheckpoint('{"committed_version": 0, "leader_id": "A"}').version, 0n);
  for (const [requirement, data] of [
    ['CHECKPOINT-FIELDS', '{"leader_id": "A"}'],
    ['CHECKPOINT-FIELDS', '{"version": 7, "leader_id": "A"}'],
    ['CHECKPOINT-FIELDS', '{"committed_version": 7}'],
    ['FIELD-VERSION-INTEGER', '{"committed_version": "7", "leader_id": "A"}'],
    ['FIELD-LEADER-STRING', '{"committed_version": 7, "leader_id": ""}'],
  ] as const)
    breaks(requirement, () => decodeCheckpoint(data));
});
