import { OperationKind } from './codec/operations';
import {
  isSound,
  operationCount,
  operationsAt,
  PreconditionKind,
  preconditionCount,
  preconditionsAt,
  requestIdHash,
} from './codec/packed';
import { encodeRecord } from './codec/record';
import {
  abandonHistory,
  changePoint,
  changeRange,
  conflictFloor,
  finishTransaction,
} from './conflict/conflict-set';
import { lastChangeAt, lastChangeIn } from './conflict/query';
import { Buffer, reserve, setResult } from './memory/buffers';

/** Decides a batch of packed transactions, one after the other, and encodes those that commit. */

/** Their twin is `Status` in src/core/decider.ts. */
const DECIDED: i32 = 0;
const MALFORMED: i32 = 1;
const OUT_OF_MEMORY: i32 = 2;

const RECORD_BYTES_EXTRA: u64 = 64;
const CONFLICT_HEADER_BYTES: usize = 16;

/** Where the next violated precondition is noted. */
let conflictOut: usize = 0;

/**
 * `batch` starts with `count` + 1 offsets (u32): where each transaction starts, and where the last one ends.
 *
 * Results: 0 number of committed, 1 number of conflicts, 2 address and 3 length of the records, 4 address
 * of their offsets (u32), 5 address of the hashes of their request IDs (u64), 6 address of the conflicts, each
 * f64 settledAt, u32 transaction, u32 count, indices of the violated preconditions (u32); 7 after
 * MALFORMED, the transaction. The twin of this list is `Result` in src/core/decider.ts.
 * @returns DECIDED; MALFORMED or OUT_OF_MEMORY with nothing decided.
 */
export function decide(
  batch: usize,
  count: i32,
  firstVersion: u64,
  prevVersion: u64,
  durableVersion: u64,
  timestampMs: u64,
): i32 {
  let conflictBytes: u64 = 0;
  for (let index = 0; index < count; index++) {
    const transaction = transactionAt(batch, index);
    if (!isSound(transaction, transactionAt(batch, index + 1))) {
      setResult(7, index);
      return MALFORMED;
    }
    conflictBytes += CONFLICT_HEADER_BYTES + ((<u64>preconditionCount(transaction)) << 2);
  }
  const bytes = <u64>(transactionAt(batch, count) - batch);
  const records = reserve(Buffer.Output, bytes + <u64>count * RECORD_BYTES_EXTRA);
  const table = reserve(Buffer.Table, <u64>count * 12);
  const conflicts = reserve(Buffer.Conflicts, conflictBytes);
  if (records == 0 || table == 0 || conflicts == 0) return OUT_OF_MEMORY;

  const hashes = table;
  const offsets = table + ((<usize>count) << 3);
  let version = firstVersion;
  let previous = prevVersion;
  let record = records;
  let committed = 0;
  conflictOut = conflicts;
  for (let index = 0; index < count; index++) {
    const transaction = transactionAt(batch, index);
    const end = transactionAt(batch, index + 1);
    if (findConflict(transaction, index)) continue;
    merge(transaction, version);
    store<u32>(offsets + ((<usize>committed) << 2), <u32>(record - records));
    store<u64>(hashes + ((<usize>committed) << 3), requestIdHash(transaction));
    record = encodeRecord(record, transaction, end, version, previous, durableVersion, timestampMs);
    previous = version;
    version++;
    committed++;
  }
  setResult(0, committed);
  setResult(1, count - committed);
  setResult(2, records);
  setResult(3, record - records);
  setResult(4, offsets);
  setResult(5, hashes);
  setResult(6, conflicts);
  return DECIDED;
}

function transactionAt(batch: usize, index: i32): usize {
  return batch + load<u32>(batch + ((<usize>index) << 2));
}

/** Whether a precondition is violated; notes all that are, and the newest version that violates them. */
function findConflict(transaction: usize, index: i32): bool {
  const floor = conflictFloor();
  const count = preconditionCount(transaction);
  let at = preconditionsAt(transaction);
  let out = conflictOut + CONFLICT_HEADER_BYTES;
  let settledAt: u64 = 0;
  for (let precondition: u32 = 0; precondition < count; precondition++) {
    const kind = <i32>load<u8>(at);
    const version = load<u64>(at, 1);
    const from = max(version, floor);
    const length = <usize>load<u32>(at, 9);
    const key = at + 13;
    at = key + length;
    let last: u64;
    if (kind == PreconditionKind.PointRead) {
      last = lastChangeAt(key, length, from);
    } else {
      const endLength = <usize>load<u32>(at);
      last = lastChangeIn(key, length, at + 4, endLength, from);
      at += 4 + endLength;
    }
    if (last > version) {
      store<u32>(out, precondition);
      out += 4;
      settledAt = max(settledAt, last);
    }
  }
  const violated = (out - conflictOut - CONFLICT_HEADER_BYTES) >> 2;
  if (violated == 0) return false;
  store<f64>(conflictOut, <f64>settledAt);
  store<u32>(conflictOut, index, 8);
  store<u32>(conflictOut, <u32>violated, 12);
  conflictOut = out;
  return true;
}

/** Notes the changes of a transaction in the history. */
function merge(transaction: usize, version: u64): void {
  const count = operationCount(transaction);
  let at = operationsAt(transaction);
  for (let left = count; left > 0; left--) {
    const kind = <i32>load<u8>(at);
    const length = <usize>load<u32>(at, 1);
    const key = at + 5;
    at = key + length;
    let fits: bool;
    if (kind == OperationKind.RangeDelete) {
      fits = changeRange(key, length, at + 4, load<u32>(at), version);
    } else {
      fits = changePoint(key, length, version);
    }
    if (!fits) {
      abandonHistory(version);
      return;
    }
    if (kind != OperationKind.Delete) at += 4 + load<u32>(at);
  }
  finishTransaction(count, version);
}
