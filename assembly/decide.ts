import { ACCESS_BYTES, accessEnd, accessVersion } from './conflict/access';
import {
  abandonHistory,
  change,
  conflictFloor,
  finishTransaction,
  lastChange,
  startChanges,
} from './conflict/conflict-set';
import { startHints } from './conflict/hints';
import { Buffer, reserve, setResult } from './memory/buffers';
import { makePlan, malformedTransaction, Planned, readsOf, writesOf } from './plan';

/** Decides a batch of packed transactions, one after the other. */

const CONFLICT_HEADER_BYTES: usize = 16;
/** What a verdict says; the twin is `Verdict` in src/core/conflict-set.ts. */
const COMMITTED: u8 = 1;

/** Where the next violated precondition is noted. */
let conflictOut: usize = 0;

/**
 * `batch` has `length` bytes and starts with `count` + 1 offsets (u32): where each transaction starts, and where the last one ends. What
 * commits first takes `firstVersion`, and each that follows a version that is `step` above.
 *
 * Results: 0 number of committed, 1 address of the verdicts, one byte for each transaction, 1 = committed;
 * 2 number of conflicts and 3 their address, each f64 settledAt, u32 transaction, u32 count, indices of the violated
 * preconditions (u32); 4 after Planned.Malformed, the transaction. The twin of this list is `Result` in
 * src/core/conflict-set.ts.
 * @returns Planned.Done; Planned.Malformed or Planned.OutOfMemory with nothing decided.
 */
export function decide(batch: usize, length: usize, count: i32, firstVersion: u64, step: u64): Planned {
  const planned = makePlan(batch, length, count);
  setResult(4, malformedTransaction());
  if (planned != Planned.Done) return planned;
  const reads = (writesOf(count - 1) - readsOf(0)) / ACCESS_BYTES;
  const verdicts = reserve(Buffer.Verdicts, count);
  const conflicts = reserve(Buffer.Conflicts, <u64>count * CONFLICT_HEADER_BYTES + ((<u64>reads) << 2));
  if (verdicts == 0 || conflicts == 0) return Planned.OutOfMemory;

  startHints(readsOf(0), readsOf(count));
  let version = firstVersion;
  let committed = 0;
  conflictOut = conflicts;
  for (let index = 0; index < count; index++) {
    const writes = writesOf(index);
    if (findConflict(readsOf(index), writes, index)) {
      store<u8>(verdicts + index, 0);
      continue;
    }
    store<u8>(verdicts + index, COMMITTED);
    merge(writes, readsOf(index + 1), version);
    version += step;
    committed++;
  }
  setResult(0, committed);
  setResult(1, verdicts);
  setResult(2, count - committed);
  setResult(3, conflicts);
  return Planned.Done;
}

/** Whether a precondition is violated; notes all that are, and the newest version that violates them. */
function findConflict(from: usize, to: usize, index: i32): bool {
  const floor = conflictFloor();
  const list = conflictOut + CONFLICT_HEADER_BYTES;
  let out = list;
  let settledAt: u64 = 0;
  for (let access = from; access < to; access += ACCESS_BYTES) {
    const version = accessVersion(access);
    const last = lastChange(access, max(version, floor));
    if (last <= version) continue;
    store<u32>(out, <u32>((access - from) / ACCESS_BYTES));
    out += 4;
    settledAt = max(settledAt, last);
  }
  if (out == list) return false;
  store<f64>(conflictOut, <f64>settledAt);
  store<u32>(conflictOut, index, 8);
  store<u32>(conflictOut, <u32>((out - list) >> 2), 12);
  conflictOut = out;
  return true;
}

/** Notes the changes of a transaction in the history. */
function merge(from: usize, to: usize, version: u64): void {
  startChanges(version);
  let added: u32 = 0;
  for (let access = from; access < to; access += ACCESS_BYTES) {
    added += accessEnd(access) == 0 ? 1 : 2;
    if (change(access, version)) continue;
    abandonHistory(version);
    return;
  }
  finishTransaction(added, version);
}
