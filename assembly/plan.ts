import { compare, isSuccessor } from './bytes';
import { OperationKind } from './codec/operations';
import {
  HEADER_BYTES,
  operationCount,
  operationsAt,
  PreconditionKind,
  preconditionCount,
  preconditionsAt,
  REQUEST_ID_BYTES_MAX,
  requestIdLength,
} from './codec/packed';
import { ACCESS_BYTES } from './conflict/access';
import { Buffer, reserve } from './memory/buffers';

/**
 * The plan of a batch: what its transactions read and write, all in one table of accesses (see
 * conflict/access.ts) in order, made while the batch is checked. Before it, for each transaction:
 *
 *     0  u32  the first access that it reads
 *     4  u32  the first that it writes
 *
 * and the end of all.
 */

const STEP_BYTES: usize = 8;
/** A packed precondition or operation has at least so many bytes. */
const ITEM_BYTES_MIN: u64 = 5;
/** Its twin is `checkUint53` in src/core/version.ts. */
const VERSION_MAX: u64 = (1 << 53) - 1;

export enum Planned {
  Done = 0,
  Malformed = 1,
  OutOfMemory = 2,
}

let steps: usize = 0;
/** Where the next access goes. */
let next: usize = 0;
let malformed: i32 = 0;

export function malformedTransaction(): i32 {
  return malformed;
}

export function readsOf(index: i32): usize {
  return load<u32>(steps + <usize>index * STEP_BYTES);
}

export function writesOf(index: i32): usize {
  return load<u32>(steps + <usize>index * STEP_BYTES, 4);
}

/** Where the transaction at `index` of a batch is; for `count` the end of the last one. */
export function transactionAt(batch: usize, index: i32): usize {
  return batch + load<u32>(batch + ((<usize>index) << 2));
}

/** Checks everything that comes in: what is behind it can be trusted. */
export function makePlan(batch: usize, length: usize, count: i32): Planned {
  let items: u64 = 0;
  const tableBytes = (<u32>count + 1) << 2;
  for (let index = 0; index < count; index++) {
    const from = load<u32>(batch + ((<usize>index) << 2));
    const to = load<u32>(batch + ((<usize>index) << 2), 4);
    malformed = index;
    if (from < tableBytes || to < from || to > <u32>length || to - from < <u32>HEADER_BYTES)
      return Planned.Malformed;
    const transaction = batch + from;
    const bytes = to - from;
    const own = <u64>preconditionCount(transaction) + operationCount(transaction);
    if (own * ITEM_BYTES_MIN > bytes) return Planned.Malformed;
    items += own;
  }
  const stepsBytes = (<u64>count + 1) * STEP_BYTES;
  steps = reserve(Buffer.Plan, stepsBytes + items * ACCESS_BYTES);
  if (steps == 0) return Planned.OutOfMemory;
  next = steps + <usize>stepsBytes;
  for (let index = 0; index < count; index++) {
    malformed = index;
    if (!planTransaction(index, transactionAt(batch, index), transactionAt(batch, index + 1))) {
      return Planned.Malformed;
    }
  }
  store<u32>(steps + <usize>count * STEP_BYTES, <u32>next);
  return Planned.Done;
}

function planTransaction(index: i32, transaction: usize, end: usize): bool {
  const left = end - transaction - HEADER_BYTES;
  const preconditionsLength = <usize>load<u32>(transaction, 8);
  const idLength = requestIdLength(transaction);
  if (idLength > REQUEST_ID_BYTES_MAX || idLength > left || preconditionsLength > left - idLength)
    return false;
  const step = steps + <usize>index * STEP_BYTES;
  store<u32>(step, <u32>next);
  const operations = operationsAt(transaction);
  if (!planReads(preconditionsAt(transaction), operations, preconditionCount(transaction))) return false;
  store<u32>(step, <u32>next, 4);
  return planWrites(operations, end - idLength, operationCount(transaction));
}

function planReads(at: usize, end: usize, count: u32): bool {
  for (; count > 0; count--) {
    if (end - at < 13) return false;
    const kind = <i32>load<u8>(at);
    const version = load<u64>(at, 1);
    if (kind > PreconditionKind.RangeRead || version > VERSION_MAX) return false;
    store<u64>(next, version, 16);
    at = kind == PreconditionKind.PointRead ? planPoint(at + 9, end) : planRange(at + 9, end);
    if (at == 0) return false;
  }
  return at == end;
}

function planWrites(at: usize, end: usize, count: u32): bool {
  for (; count > 0; count--) {
    if (end - at < 5) return false;
    const kind = <i32>load<u8>(at);
    if (kind == OperationKind.RangeDelete) {
      at = planRange(at + 1, end);
    } else {
      if (kind != OperationKind.Write && kind != OperationKind.Delete) return false;
      at = planPoint(at + 1, end);
      if (kind == OperationKind.Write && at != 0) {
        if (end - at < 4) return false;
        const length = <usize>load<u32>(at);
        at += 4;
        if (length > end - at) return false;
        at += length;
      }
    }
    if (at == 0) return false;
  }
  return at == end;
}

/** A key (u32 length, bytes) before `end`, whose length is; returns where it ends, 0 when it leads outside. */
function planPoint(at: usize, end: usize): usize {
  const length = <usize>load<u32>(at);
  const key = at + 4;
  if (length > end - key) return 0;
  store<u32>(next, <u32>key);
  store<u32>(next, <u32>length, 4);
  store<u32>(next, 0, 8);
  next += ACCESS_BYTES;
  return key + length;
}

/** The same for a beginning and an end behind it; a range that can hold only one key is that key. */
function planRange(at: usize, end: usize): usize {
  const length = <usize>load<u32>(at);
  const key = at + 4;
  if (length > end - key || end - key - length < 4) return 0;
  const endLength = <usize>load<u32>(key + length);
  const endKey = key + length + 4;
  if (endLength > end - endKey || compare(key, length, endKey, endLength) >= 0) return 0;
  store<u32>(next, <u32>key);
  store<u32>(next, <u32>length, 4);
  store<u32>(next, isSuccessor(key, length, endKey, endLength) ? 0 : <u32>endKey, 8);
  store<u32>(next, <u32>endLength, 12);
  next += ACCESS_BYTES;
  return endKey + endLength;
}
