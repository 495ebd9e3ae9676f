import { asArray, asObject, bytesField, parseJson, stringField, versionField } from './decode.js';
import { ProtocolError } from './errors.js';
import type { CheckpointEvent, Operation, TransactionEvent } from './types.js';

/** @throws {ProtocolError} when `data` is not that of a `transaction` event */
export function decodeTransaction(data: string): TransactionEvent {
  const event = asObject(parseJson(data), 'transaction');
  return {
    type: 'transaction',
    version: versionField(event, 'version'),
    prevVersion: versionField(event, 'prev_version'),
    requestId: stringField(event, 'request_id'),
    timestamp: stringField(event, 'timestamp'),
    leaderId: stringField(event, 'leader_id'),
    operations: asArray(event['operations'], 'operations').map(decodeOperation),
  };
}

/** @throws {ProtocolError} when `data` is not that of a `checkpoint` event */
export function decodeCheckpoint(data: string): CheckpointEvent {
  const event = asObject(parseJson(data), 'checkpoint');
  return {
    type: 'checkpoint',
    committedVersion: versionField(event, 'committed_version'),
    leaderId: stringField(event, 'leader_id'),
  };
}

function decodeOperation(element: unknown): Operation<Uint8Array> {
  const operation = asObject(element, 'operation');
  const type = stringField(operation, 'type');
  switch (type) {
    case 'write':
      return { type, key: bytesField(operation, 'key'), value: bytesField(operation, 'value') };
    case 'delete':
      return { type, key: bytesField(operation, 'key') };
    case 'range_delete':
      return { type, begin: bytesField(operation, 'begin'), end: bytesField(operation, 'end') };
    default:
      throw new ProtocolError(`unknown operation "${type}"`);
  }
}
