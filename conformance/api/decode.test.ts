import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointRead, rangeRead, type Transaction, write } from '../model/transaction.js';
import { breaks } from '../testing/breaks.js';
import type { HttpAnswer } from '../wire/http.js';
import { decodeCommit, decodeStatus, decodeVersion } from './decode.js';

const answer = (status: number, body: unknown): HttpAnswer => ({
  status,
  headers: {},
  body: Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
});

const SENT: Transaction = {
  requestId: 'r',
  leaderId: 'A',
  readVersion: 5n,
  preconditions: [pointRead('k'), pointRead('k', 3n), rangeRead('a', 'c'), rangeRead('a', 'd', 2n)],
  operations: [write('k', 'v')],
};

const NOT_JSON = [Buffer.of(0xff), '', '{', 'committed'];

test('a version is read with all its digits', () => {
  assert.deepEqual(decodeVersion(answer(200, '{"version": 9007199254740993, "leader_id": "A"}')), {
    version: 2n ** 53n + 1n,
    leaderId: 'A',
  });
  assert.equal(decodeVersion(answer(203, { version: 0, leader_id: 'A', more: 1 })).version, 0n);
});

test('a version has both fields, of their types, in a JSON object', () => {
  for (const [requirement, status, body] of [
    ['VERSION-FIELDS', 200, { leader_id: 'A' }],
    ['VERSION-FIELDS', 200, { version: null, leader_id: 'A' }],
    ['VERSION-FIELDS', 200, { version: 7 }],
    ['VERSION-FIELDS', 200, { version: 7, leader_id: null }],
    ['VERSION-FIELDS', 200, []],
    ['VERSION-FIELDS', 200, 'null'],
    ['VERSION-FIELDS', 200, '7'],
    ['VERSION-FIELDS', 404, { version: 7, leader_id: 'A' }],
    ['VERSION-FIELDS', 500, { version: 7, leader_id: 'A' }],
    ['VERSION-FIELDS', 302, { version: 7, leader_id: 'A' }],
    ['FIELD-VERSION-INTEGER', 200, { version: '7', leader_id: 'A' }],
    ['FIELD-VERSION-INTEGER', 200, { version: 7.5, leader_id: 'A' }],
    ['FIELD-VERSION-INTEGER', 200, { version: true, leader_id: 'A' }],
    ['FIELD-LEADER-STRING', 200, { version: 7, leader_id: 1 }],
    ['FIELD-LEADER-STRING', 200, { version: 7, leader_id: '' }],
  ] as const)
    breaks(requirement, () => decodeVersion(answer(status, body)));
  for (const body of NOT_JSON) breaks('ENCODING-JSON', () => decodeVersion(answer(200, body)));
});

test('a status is one of three', () => {
  assert.deepEqual(decodeStatus(answer(200, { status: 'committed', version: 7, leader_id: 'A' })), {
    kind: 'committed',
    version: 7n,
    leaderId: 'A',
  });
  for (const status of ['id_not_found', 'log_truncated'] as const)
    assert.deepEqual(decodeStatus(answer(200, { status, version: 'whatever' })), { kind: status });
  for (const [requirement, status, body] of [
    ['STATUS-VALUES', 200, { status: 'not_committed' }],
    ['STATUS-VALUES', 200, { status: null }],
    ['STATUS-VALUES', 200, {}],
    ['STATUS-VALUES', 200, '"committed"'],
    ['STATUS-VALUES', 404, { status: 'id_not_found' }],
    ['STATUS-VALUES', 410, { status: 'log_truncated' }],
    ['STATUS-COMMITTED', 200, { status: 'committed', leader_id: 'A' }],
    ['STATUS-COMMITTED-LEADER', 200, { status: 'committed', version: 7 }],
    ['FIELD-VERSION-INTEGER', 200, { status: 'committed', version: '7', leader_id: 'A' }],
    ['FIELD-LEADER-STRING', 200, { status: 'committed', version: 7, leader_id: '' }],
  ] as const)
    breaks(requirement, () => decodeStatus(answer(status, body)));
  for (const body of NOT_JSON) breaks('ENCODING-JSON', () => decodeStatus(answer(200, body)));
});

const COMMITTED = { status: 'committed', version: 7, leader_id: 'A', request_id: 'r' };
const REJECTED = { status: 'not_committed', version: 7, leader_id: 'A', request_id: 'r', conflicts: [] };

test('a commit is answered as committed with a 2xx', () => {
  for (const httpStatus of [200, 201, 299]) {
    assert.deepEqual(decodeCommit(answer(httpStatus, COMMITTED), SENT), {
      kind: 'committed',
      httpStatus,
      version: 7n,
      leaderId: 'A',
      requestId: 'r',
    });
  }
  for (const conflicts of [[], null])
    assert.equal(decodeCommit(answer(200, { ...COMMITTED, conflicts }), SENT).kind, 'committed');
  for (const status of [404, 409, 412, 422])
    breaks('COMMIT-ANSWER-STATUS', () => decodeCommit(answer(status, COMMITTED), SENT));
});

test('a commit is answered as not_committed with a 2xx, or a 4xx without a meaning of its own', () => {
  for (const httpStatus of [200, 202, 409, 412, 422, 428])
    assert.deepEqual(decodeCommit(answer(httpStatus, REJECTED), SENT), {
      kind: 'not_committed',
      httpStatus,
      conflicts: [],
      version: 7n,
      leaderId: 'A',
    });
});

test('400 and 413 are refusals whatever their body, and so is any other 4xx that states no outcome', () => {
  for (const httpStatus of [400, 413]) {
    for (const body of [COMMITTED, REJECTED, 'no JSON', ''])
      assert.equal(decodeCommit(answer(httpStatus, body), SENT).kind, 'refused');
  }
  for (const httpStatus of [401, 409, 412, 422]) {
    for (const body of ['no JSON', '', '[]', '{}', '{"status":"conflict"}', Buffer.of(0xff)])
      assert.equal(decodeCommit(answer(httpStatus, body), SENT).kind, 'refused');
  }
  assert.deepEqual(decodeCommit(answer(400, 'why'), SENT), {
    kind: 'refused',
    httpStatus: 400,
    body: 'why',
  });
});

test('429, 502, 503 and 504 leave the outcome open', () => {
  for (const httpStatus of [429, 502, 503, 504]) {
    const decoded = decodeCommit(answer(httpStatus, COMMITTED), SENT);
    assert.equal(decoded.kind, 'unavailable');
    assert.equal(decoded.httpStatus, httpStatus);
  }
});

test('what is neither an outcome nor a 4xx breaks the interface', () => {
  for (const status of [300, 302, 304, 500, 501, 505])
    breaks('COMMIT-ANSWER-STATUS', () => decodeCommit(answer(status, COMMITTED), SENT));
  for (const body of [{}, { ...COMMITTED, status: 'ok' }, { ...COMMITTED, status: null }, [], '"committed"'])
    breaks('COMMIT-ANSWER-STATUS', () => decodeCommit(answer(200, body), SENT));
  for (const body of NOT_JSON) breaks('ENCODING-JSON', () => decodeCommit(answer(200, body), SENT));
});

test('both outcomes have a version and a leader', () => {
  for (const [requirement, body] of [
    ['COMMIT-ANSWER-VERSION', { ...COMMITTED, version: undefined }],
    ['COMMIT-ANSWER-RETRY-VERSION', { ...REJECTED, version: undefined }],
    ['FIELD-VERSION-INTEGER', { ...COMMITTED, version: '7' }],
    ['FIELD-VERSION-INTEGER', { ...REJECTED, version: 0.5 }],
    ['COMMIT-ANSWER-LEADER', { ...COMMITTED, leader_id: undefined }],
    ['COMMIT-ANSWER-LEADER', { ...REJECTED, leader_id: undefined }],
    ['FIELD-LEADER-STRING', { ...COMMITTED, leader_id: 7 }],
    ['FIELD-LEADER-STRING', { ...REJECTED, leader_id: '' }],
  ] as const)
    breaks(requirement, () => decodeCommit(answer(200, body), SENT));
});

test('both outcomes echo a request_id that was sent', () => {
  for (const outcome of [COMMITTED, REJECTED]) {
    for (const requestId of [undefined, null, 'R', '', 7])
      breaks('COMMIT-ANSWER-REQUEST-ID', () =>
        decodeCommit(answer(200, { ...outcome, request_id: requestId }), SENT),
      );
  }
});

test('without a request_id, or without a transaction, any will do', () => {
  const { requestId: _, ...withoutId } = SENT;
  for (const sent of [withoutId, undefined]) {
    for (const requestId of [undefined, 'generated'])
      assert.equal(
        decodeCommit(answer(200, { ...COMMITTED, request_id: requestId }), sent).kind,
        'committed',
      );
  }
});

test('a committed answer lists no conflicts', () => {
  breaks('COMMIT-ANSWER-CONFLICTS', () =>
    decodeCommit(answer(200, { ...COMMITTED, conflicts: [{ type: 'point_read', key: 'aw==' }] }), SENT),
  );
});

const conflictsOf = (conflicts: unknown, sent: Transaction | undefined = SENT) => {
  const decoded = decodeCommit(answer(200, { ...REJECTED, conflicts }), sent);
  assert.equal(decoded.kind, 'not_committed');
  return decoded.kind === 'not_committed' ? decoded.conflicts : [];
};

test('a not_committed answer has an array of conflicts', () => {
  for (const conflicts of [undefined, null, {}, 'none'])
    breaks('COMMIT-ANSWER-CONFLICTS', () => conflictsOf(conflicts));
});

test('conflicts are preconditions of the request, with or without the version filled in', () => {
  const [point, , range, rangeAt] = SENT.preconditions!;
  assert.deepEqual(
    conflictsOf([
      { type: 'range_read', begin: 'YQ==', end: 'ZA==', version: 2 },
      { type: 'point_read', key: 'aw==' },
      { type: 'point_read', key: 'aw==', version: 5 },
      { type: 'range_read', begin: 'YQ==', end: 'Yw==', version: null },
      { type: 'range_read', begin: 'YQ==', end: 'ZA==', extra: 1 },
    ]),
    [rangeAt, point, point, range, rangeAt],
  );
  assert.deepEqual(conflictsOf([{ type: 'point_read', key: 'aw==', version: 3 }]), [pointRead('k', 3n)]);
});

test('what was not among the preconditions of the request is no conflict', () => {
  for (const conflict of [
    { type: 'point_read', key: 'bA==' },
    { type: 'point_read', key: 'aw' },
    { type: 'point_read', key: 'aw==', version: 4 },
    { type: 'point_read', key: 'aw==', version: '5' },
    { type: 'point_read' },
    { type: 'range_read', key: 'aw==' },
    { type: 'range_read', begin: 'YQ==', end: 'Yg==' },
    { type: 'range_read', begin: 'Yg==', end: 'Yw==' },
    { type: 'range_read', begin: 'YQ==' },
    { type: 'range_read', begin: 'YQ==', end: 'ZA==', version: 5 },
    { key: 'aw==' },
    'point_read',
    null,
    ['point_read'],
  ])
    breaks('COMMIT-ANSWER-CONFLICTS', () => conflictsOf([{ type: 'point_read', key: 'aw==' }, conflict]));
  const { preconditions: _, ...without } = SENT;
  breaks('COMMIT-ANSWER-CONFLICTS', () => conflictsOf([{ type: 'point_read', key: 'aw==' }], without));
});

test('where no transaction was sent, conflicts are not looked at', () => {
  const decoded = decodeCommit(answer(200, { ...REJECTED, conflicts: ['anything'] }), undefined);
  assert.deepEqual(decoded.kind === 'not_committed' && decoded.conflicts, []);
});
