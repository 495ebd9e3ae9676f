import type { LogEvent } from '../model/log-view.js';
import { Violation } from '../run/violation.js';
import { isObject, type JsonObject, parseJson, toJson } from '../wire/json.js';
import { leaderField, versionField } from './decode.js';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}(Z|[+-]00:00)$/;
const clip = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}...` : text);

function objectOf(data: string, event: string, requirement: string): JsonObject {
  let json: unknown;
  try {
    json = parseJson(data);
  } catch {
    throw new Violation(requirement, `the data of a ${event} event is not JSON: ${clip(data)}`);
  }
  if (!isObject(json))
    throw new Violation(requirement, `the data of a ${event} event is not an object: ${clip(data)}`);
  return json;
}

const isTime = (text: string): boolean => {
  if (!TIMESTAMP.test(text)) return false;
  const time = new Date(`${text.slice(0, 23)}Z`);
  // A day such as 30 February is taken for one of March.
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 23) === text.slice(0, 23);
};

/** Section 6.1. @throws Violation */
export function decodeTransactionEvent(data: string): LogEvent {
  const what = 'a transaction event';
  const json = objectOf(data, 'transaction', 'EVENT-FIELDS');
  const { request_id: requestId, timestamp, operations } = json as Record<string, unknown>;
  if (typeof requestId !== 'string')
    throw new Violation('EVENT-FIELDS', `${what} has no request_id that is a string: ${clip(data)}`);
  if (timestamp === undefined) throw new Violation('EVENT-FIELDS', `${what} has no timestamp: ${clip(data)}`);
  if (typeof timestamp !== 'string' || !isTime(timestamp))
    throw new Violation(
      'EVENT-TIMESTAMP',
      `timestamp ${clip(toJson(timestamp))} is not ISO 8601 in UTC with milliseconds (2026-01-31T23:59:59.123Z)`,
    );
  if (!Array.isArray(operations))
    throw new Violation('EVENT-FIELDS', `${what} has no array of operations: ${clip(data)}`);
  return {
    requestId,
    version: versionField(json, 'version', 'EVENT-FIELDS', what),
    prevVersion: versionField(json, 'prev_version', 'EVENT-FIELDS', what),
    timestamp,
    leaderId: leaderField(json, 'EVENT-FIELDS', what),
    operations,
  };
}

/** Section 6.2. @throws Violation */
export function decodeCheckpoint(data: string): { version: bigint; leaderId: string } {
  const json = objectOf(data, 'checkpoint', 'CHECKPOINT-FIELDS');
  return {
    version: versionField(json, 'committed_version', 'CHECKPOINT-FIELDS', 'a checkpoint'),
    leaderId: leaderField(json, 'CHECKPOINT-FIELDS', 'a checkpoint'),
  };
}
