import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toJson } from '../wire/json.js';
import {
  operationJson,
  pointRead,
  preconditionJson,
  rangeRead,
  readOperation,
  remove,
  removeRange,
  showTransaction,
  transactionJson,
  write,
} from './transaction.js';

test('a transaction is sent as section 2.2 says', () => {
  const json = transactionJson({
    requestId: 'id',
    leaderId: 'A',
    readVersion: 2n ** 60n,
    preconditions: [
      pointRead('\xff'),
      pointRead('k', 7n),
      rangeRead('a', 'b'),
      rangeRead('a', 'b', 2n ** 60n),
    ],
    operations: [write('k', '\x00'), remove('k'), removeRange('a', 'b')],
  });
  assert.equal(
    toJson(json),
    [
      '{"request_id":"id","leader_id":"A","read_version":1152921504606846976,"preconditions":[',
      '{"type":"point_read","key":"/w=="},{"type":"point_read","version":7,"key":"aw=="},',
      '{"type":"range_read","begin":"YQ==","end":"Yg=="},',
      '{"type":"range_read","version":1152921504606846976,"begin":"YQ==","end":"Yg=="}],"operations":[',
      '{"type":"write","key":"aw==","value":"AA=="},{"type":"delete","key":"aw=="},',
      '{"type":"range_delete","begin":"YQ==","end":"Yg=="}]}',
    ].join(''),
  );
});

test('what a transaction leaves out is not sent, and what is empty is', () => {
  assert.deepEqual(Object.keys(transactionJson({ leaderId: 'A', readVersion: 0n, operations: [] })), [
    'leader_id',
    'read_version',
    'operations',
  ]);
  const empty = transactionJson({ leaderId: 'A', readVersion: 0n, preconditions: [], operations: [] });
  assert.deepEqual(empty['preconditions'], []);
  assert.equal(preconditionJson(pointRead('k', 0n))['version'], 0n);
});

test('an operation is read as it was sent', () => {
  for (const operation of [
    write('k\xff', '\x00'),
    write('', ''),
    remove('k'),
    remove(''),
    removeRange('a', 'b'),
    removeRange('', ''),
  ]) {
    assert.deepEqual(readOperation(operationJson(operation)), operation);
    assert.deepEqual(readOperation({ ...operationJson(operation), more: 1 }), operation);
  }
});

test('an operation of another shape is not understood', () => {
  for (const json of [
    null,
    'write',
    7,
    [],
    {},
    { type: 'put', key: 'aw==', value: 'aw==' },
    { type: 'toString', key: 'aw==' },
    { type: 'constructor', key: 'aw==' },
    { type: 'write', key: 'aw==' },
    { type: 'write', value: 'aw==' },
    { type: 'write', key: 'aw==', value: 7 },
    { type: 'delete' },
    { type: 'delete', key: null },
    { type: 'range_delete', begin: 'aw==' },
    { type: 'range_delete', key: 'aw==', value: 'aw==' },
    { type: ['write'], key: ['aw=='], value: 'aw==' },
  ])
    assert.equal(readOperation(json), 'not understood', JSON.stringify(json));
});

test('a key, value or bound that is not base64 is told', () => {
  for (const json of [
    { type: 'write', key: 'aw', value: 'aw==' },
    { type: 'write', key: 'aw==', value: 'aw' },
    { type: 'delete', key: '-_8=' },
    { type: 'range_delete', begin: '*', end: 'aw==' },
    { type: 'range_delete', begin: 'aw==', end: 'aw' },
  ])
    assert.equal(readOperation(json), 'bad base64', JSON.stringify(json));
});

test('a transaction is put into one line', () => {
  const text = showTransaction({
    leaderId: 'A',
    readVersion: 7n,
    preconditions: [pointRead('a'), rangeRead('b', 'c', 9n)],
    operations: [write('k', 'v'), remove('l'), removeRange('m', 'n')],
  });
  assert.equal(
    text,
    'if point_read "a" at version 7, range_read ["b", "c") at version 9: write "k" = "v", delete "l", range_delete ["m", "n")',
  );
  const rest = { leaderId: 'A', readVersion: 7n };
  assert.equal(showTransaction({ ...rest, operations: [] }), 'nothing');
  const many = Array.from({ length: 5 }, (_, index) => remove(`${index}`));
  assert.equal(
    showTransaction({ ...rest, operations: many }),
    'delete "0", delete "1", delete "2", delete "3", ... (5)',
  );
  assert.equal(
    showTransaction({ ...rest, operations: many.slice(1) }),
    'delete "1", delete "2", delete "3", delete "4"',
  );
});
