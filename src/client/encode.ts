import { base64 } from './base64.js';
import type { Bytes, CommitRequest, Operation, Precondition } from './types.js';

const utf8 = new TextEncoder();

/**
 * The bytes that a key or a value stands for.
 * @throws {TypeError} when a string has a lone surrogate: two such strings could become the same key
 */
export function toBytes(data: Bytes): Uint8Array {
  if (typeof data !== 'string') return data;
  if (!data.isWellFormed()) throw new TypeError('a string with a lone surrogate has no UTF-8 form');
  return utf8.encode(data);
}

function encodePrecondition(precondition: Precondition): object {
  const { type, version } = precondition;
  const at = version === undefined ? {} : { version };
  return type === 'point_read'
    ? { type, ...at, key: encodeBytes(precondition.key) }
    : { type, ...at, begin: encodeBytes(precondition.begin), end: encodeBytes(precondition.end) };
}

function encodeOperation(operation: Operation): object {
  const { type } = operation;
  switch (type) {
    case 'write':
      return { type, key: encodeBytes(operation.key), value: encodeBytes(operation.value) };
    case 'delete':
      return { type, key: encodeBytes(operation.key) };
    case 'range_delete':
      return { type, begin: encodeBytes(operation.begin), end: encodeBytes(operation.end) };
  }
}

function encodeBytes(data: Bytes): string {
  return base64.encode(toBytes(data));
}

/** The body of `POST /v1/commit`, but for the request ID. */
export function encodeCommit(request: CommitRequest): object {
  return {
    leader_id: request.leaderId,
    read_version: request.readVersion,
    preconditions: (request.preconditions ?? []).map(encodePrecondition),
    operations: request.operations.map(encodeOperation),
  };
}
