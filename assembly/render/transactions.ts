import { OperationKind } from '../codec/operations';
import {
  isLayoutSound,
  isPossibleLength,
  RECORD_HEADER_BYTES,
  recordLength,
  recordOperationCount,
  recordOperations,
  recordPrevVersion,
  recordRequestId,
  recordRequestIdLength,
  recordTimestamp,
  recordVersion,
} from '../codec/record';
import { Buffer, reserve, setResult } from '../memory/buffers';
import { base64Length, putBase64 } from './base64';
import { ESCAPED_BYTES_MAX, putEscaped } from './json-string';
import { literal, putLiteral, putNumber, putShort } from './text';
import { putTimestamp } from './timestamp';

/** Records as framed JSON objects: prefix, object, suffix. */

const REQUEST_ID = literal('{"request_id":"');
const VERSION = literal('","version":');
const PREV_VERSION = literal(',"prev_version":');
const TIMESTAMP = literal(',"timestamp":"');
const LEADER_ID = literal('","leader_id":');
const OPERATIONS = literal(',"operations":[');
const WRITE = literal('{"type":"write","key":"');
const VALUE = literal('","value":"');
const DELETE = literal('{"type":"delete","key":"');
const RANGE_DELETE = literal('{"type":"range_delete","begin":"');
const END = literal('","end":"');
const CLOSE_OPERATION = literal('"}');
const CLOSE = literal(']}');

/** At least the bytes of an object around its request ID, leader ID and operations: names, numbers, time. */
const OBJECT_BYTES_MAX: u64 = 192;
/** At least the bytes of an operation around its base64, with the comma behind it. */
const OPERATION_BYTES_MAX: u64 = 48;

/** Its twin is `STATUS_UNSOUND` in src/core/render.ts. */
const UNSOUND: i32 = -1;
const OUT_OF_MEMORY: i32 = -2;

/**
 * Renders the records in the `length` bytes at `block`; behind them stand the prefix, the suffix and
 * the leader ID (a JSON string with its quotes).
 *
 * Results: 0 address of the text, 1 its length, 2 address of a table of u32: where each transaction ends,
 * 3 the offset of what is no sound record. The twin of this list is `Result` in src/core/render.ts.
 * @returns the number of records; -1 when the bytes are no sound records; -2 when there is no room.
 */
export function render(
  block: usize,
  length: usize,
  prefixLength: usize,
  suffixLength: usize,
  leaderLength: usize,
): i32 {
  const end = block + length;
  const prefix = end;
  const suffix = prefix + prefixLength;
  const leader = suffix + suffixLength;
  const frame = OBJECT_BYTES_MAX + <u64>prefixLength + suffixLength + leaderLength;

  let bytes: u64 = 0;
  let count = 0;
  for (let record = block; record < end; record += recordLength(record), count++) {
    if (!isSoundRecord(record, end)) {
      setResult(3, record - block);
      return UNSOUND;
    }
    bytes += frame + textBytesMax(record);
  }
  const text = reserve(Buffer.Output, bytes);
  const ends = reserve(Buffer.Table, (<u64>count) << 2);
  if (text == 0 || ends == 0) return OUT_OF_MEMORY;

  let out = text;
  let entry = ends;
  for (let record = block; record < end; record += recordLength(record), entry += 4) {
    out = putShort(out, prefix, prefixLength);
    out = putRecord(out, record, leader, leaderLength);
    out = putShort(out, suffix, suffixLength);
    store<u32>(entry, out - text);
  }
  setResult(0, text);
  setResult(1, out - text);
  setResult(2, ends);
  return count;
}

function isSoundRecord(record: usize, end: usize): bool {
  return (
    end - record >= RECORD_HEADER_BYTES &&
    isPossibleLength(recordLength(record)) &&
    recordLength(record) <= end - record &&
    isLayoutSound(record)
  );
}

/** A bound for the text of a record's request ID and operations. */
function textBytesMax(record: usize): u64 {
  const operations = recordRequestId(record) - recordOperations(record);
  return (
    <u64>recordRequestIdLength(record) * ESCAPED_BYTES_MAX +
    // Each of the two strings of an operation may add up to 4 characters to a third more bytes.
    <u64>recordOperationCount(record) * (OPERATION_BYTES_MAX + 8) +
    base64Length(operations)
  );
}

function putRecord(out: usize, record: usize, leader: usize, leaderLength: usize): usize {
  out = putLiteral(out, REQUEST_ID);
  out = putEscaped(out, recordRequestId(record), recordRequestIdLength(record));
  out = putLiteral(out, VERSION);
  out = putNumber(out, recordVersion(record));
  out = putLiteral(out, PREV_VERSION);
  out = putNumber(out, recordPrevVersion(record));
  out = putLiteral(out, TIMESTAMP);
  out = putTimestamp(out, recordTimestamp(record));
  out = putLiteral(out, LEADER_ID);
  out = putShort(out, leader, leaderLength);
  out = putLiteral(out, OPERATIONS);
  out = putOperations(out, recordOperations(record), recordOperationCount(record));
  return putLiteral(out, CLOSE);
}

function putOperations(out: usize, operation: usize, count: u32): usize {
  for (let left = count; left > 0; left--) {
    if (left < count) store<u8>(out++, 0x2c);
    const kind = <i32>load<u8>(operation);
    out = putLiteral(
      out,
      kind == OperationKind.Write ? WRITE : kind == OperationKind.Delete ? DELETE : RANGE_DELETE,
    );
    operation += 1;
    out = putBase64(out, operation + 4, load<u32>(operation));
    operation += 4 + load<u32>(operation);
    if (kind != OperationKind.Delete) {
      out = putLiteral(out, kind == OperationKind.Write ? VALUE : END);
      out = putBase64(out, operation + 4, load<u32>(operation));
      operation += 4 + load<u32>(operation);
    }
    out = putLiteral(out, CLOSE_OPERATION);
  }
  return out;
}
