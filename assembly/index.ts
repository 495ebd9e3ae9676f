/**
 * What JavaScript calls; src/core/ is the only caller. Bytes come in through `reserveInput`, small results
 * go out through the block at `resultBlock`, large ones at addresses found there. Versions and times are
 * f64, which is exact up to 2^53.
 */

import { compare as compareBytes } from './bytes';
import { crc32c as checksum } from './codec/crc32c';
import { scan as scanRecords } from './codec/scan';
import { setSipHashKey, sipHash } from './codec/siphash';
import * as conflictSet from './conflict/conflict-set';
import { brokenRule } from './conflict/verify';
import { decide as decideBatch } from './decide';
import { encode as encodeBatch, reserveRecords as reserveOutput } from './encode';
import { Buffer, reserve, resultBlock as results, setResult } from './memory/buffers';
import { render as renderRecords } from './render/transactions';

export function resultBlock(): usize {
  return results;
}

/** Room for the next call's input; 0 when there is none. */
export function reserveInput(bytes: u32): usize {
  return reserve(Buffer.Input, bytes);
}

export function setHashKey(pointer: usize): void {
  setSipHashKey(pointer);
}

/** Results: 0 low lane, 1 high lane. */
export function hash(pointer: usize, length: usize): void {
  const value = sipHash(pointer, length);
  setResult(0, <u32>value);
  setResult(1, <u32>(value >> 32));
}

export function crc32c(pointer: usize, length: usize, seed: u32): u32 {
  return checksum(pointer, length, seed);
}

export function compare(a: usize, aLength: usize, b: usize, bLength: usize): i32 {
  return compareBytes(a, aLength, b, bLength);
}

export function scan(pointer: usize, length: usize, recordBytesMax: u32): i32 {
  return scanRecords(pointer, length, recordBytesMax);
}

export function render(
  pointer: usize,
  length: usize,
  prefixLength: usize,
  suffixLength: usize,
  leaderLength: usize,
): i32 {
  return renderRecords(pointer, length, prefixLength, suffixLength, leaderLength);
}

export function createConflictSet(windowVersions: f64, bytesMax: f64, floor: f64): bool {
  return conflictSet.createConflictSet(<u64>windowVersions, <u64>bytesMax, <u64>floor);
}

export function resetConflictSet(floor: f64): void {
  conflictSet.resetConflictSet(<u64>floor);
}

export function conflictFloor(): f64 {
  return <f64>conflictSet.conflictFloor();
}

export function conflictLatest(): f64 {
  return <f64>conflictSet.conflictLatest();
}

export function conflictEntries(): f64 {
  return <f64>conflictSet.conflictEntries();
}

export function conflictBytes(): f64 {
  return <f64>conflictSet.conflictBytes();
}

/** 0, or the number of the broken rule. */
export function conflictFault(): i32 {
  return brokenRule(conflictSet.conflictFloor(), conflictSet.conflictLatest());
}

export function decide(batch: usize, length: usize, count: i32, firstVersion: f64, step: f64): i32 {
  return decideBatch(batch, length, count, <u64>firstVersion, <u64>step);
}

export function reserveRecords(batch: usize, count: i32): bool {
  return reserveOutput(batch, count);
}

export function encode(
  batch: usize,
  count: i32,
  verdicts: usize,
  firstVersion: f64,
  prevVersion: f64,
  durableVersion: f64,
  timestampMs: f64,
): void {
  encodeBatch(
    batch,
    count,
    verdicts,
    <u64>firstVersion,
    <u64>prevVersion,
    <u64>durableVersion,
    <u64>timestampMs,
  );
}
