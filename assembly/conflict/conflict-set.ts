import { heldBytes, heldBytesMax, occupiedBytes, setBlocksBound, usedBytes } from '../memory/blocks';
import { forgetGraveyard, isGraveyardEmpty } from './graveyard';
import { resetSweep, sweep, sweepAll } from './sweep';
import { clearTree, entries } from './tree';
import { writePoint, writeRange } from './write';

/**
 * The history of recent changes: for every key the version that last changed it, exact for versions
 * above the floor. The floor follows the newest version at a fixed distance, and faster when memory is
 * short: then the oldest versions are forgotten.
 */

/** Work per changed key or range, in entries; what was inserted is overtaken and removed in time. */
const SWEEP_PER_WRITE: i64 = 6;
/** No transaction pays for more than this, besides its own writes. */
const SWEEP_MAX: i64 = 512;
/** When this share of the bound is in use, what a transaction adds is paid for with old history. */
const PRESSURE_USED: f64 = 0.75;
/** The same when this share is occupied: what is free there may be of no use for the next key. */
const PRESSURE_OCCUPIED: f64 = 0.9375;
/** How much of the history is then forgotten, and swept, in units of the share that was added. */
const PRESSURE_FORGETS: f64 = 2;
const PRESSURE_SWEEPS: f64 = 8;

let windowVersions: u64 = 0;
let floorVersion: u64 = 0;
let latestVersion: u64 = 0;
/** Sweeping that is owed, in entries. */
let credit: i64 = 0;
/** Bytes in use after the last transaction. */
let usedBefore: u64 = 0;

/** @returns whether there is room for an empty one. */
export function createConflictSet(window: u64, bytesMax: u64, floor: u64): bool {
  windowVersions = window;
  setBlocksBound(bytesMax);
  return resetConflictSet(floor);
}

/** Empties the history: nothing is known to have changed above `floor`, and nothing is known below. */
export function resetConflictSet(floor: u64): bool {
  floorVersion = floor;
  latestVersion = floor;
  return forgetAll();
}

export function conflictFloor(): u64 {
  return floorVersion;
}

export function conflictLatest(): u64 {
  return latestVersion;
}

export function conflictEntries(): i64 {
  return entries();
}

export function conflictBytes(): u64 {
  return heldBytes();
}

/**
 * A key was changed at `version`, which is above all versions before that of this transaction.
 * @returns false when the history has no room even for this transaction alone.
 */
export function changePoint(key: usize, length: usize, version: u64): bool {
  for (let attempt = 0; !writePoint(key, length, version); attempt++) {
    if (!makeRoom(attempt)) return false;
  }
  return true;
}

/** The same for the keys from `begin` up to, not including, `end`, which is above it. */
export function changeRange(
  begin: usize,
  beginLength: usize,
  end: usize,
  endLength: usize,
  version: u64,
): bool {
  for (let attempt = 0; !writeRange(begin, beginLength, end, endLength, version); attempt++) {
    if (!makeRoom(attempt)) return false;
  }
  return true;
}

/** Ends a transaction of `writes` changes at `version`: the floor follows, and some of the past is swept away. */
export function finishTransaction(writes: u32, version: u64): void {
  latestVersion = version;
  raiseFloor(version - min(version, windowVersions));
  credit += SWEEP_PER_WRITE * (<i64>writes + 1);
  relievePressure();
  const budget = min(credit, SWEEP_MAX + SWEEP_PER_WRITE * <i64>writes);
  const left = sweep(budget, floorVersion);
  credit = left > 0 ? 0 : credit - budget + left;
  usedBefore = usedBytes();
}

/** Ends a transaction that is larger than the history may be: nothing but its version is known afterwards. */
export function abandonHistory(version: u64): void {
  latestVersion = version;
  floorVersion = version;
  forgetAll();
}

function forgetAll(): bool {
  credit = 0;
  forgetGraveyard();
  const cleared = clearTree(floorVersion);
  resetSweep(floorVersion);
  usedBefore = usedBytes();
  return cleared;
}

function raiseFloor(version: u64): void {
  floorVersion = max(floorVersion, version);
}

/**
 * Near the bound the floor rises, and what it overtakes is swept away, as fast as memory is taken; the
 * sweep also empties pages that hold little (see settle.ts). So the bound itself, where everything stops
 * for a full sweep, is met by transactions that need much of what is left at once, and hardly else.
 */
function relievePressure(): void {
  const used = usedBytes();
  const bound = <f64>heldBytesMax();
  if (used <= usedBefore) return;
  if (<f64>used < PRESSURE_USED * bound && <f64>occupiedBytes() < PRESSURE_OCCUPIED * bound) return;
  const added = <f64>(used - usedBefore) / <f64>used;
  const span = latestVersion - floorVersion;
  raiseFloor(floorVersion + min(span, <u64>ceil(<f64>span * added * PRESSURE_FORGETS)));
  credit += <i64>(<f64>entries() * added * PRESSURE_SWEEPS);
}

/**
 * Forgets the oldest versions, at each further attempt more of them, and all but this transaction's own
 * at the fourth.
 * @returns false when there was nothing left to forget.
 */
function makeRoom(attempt: i32): bool {
  if (attempt == 0 && !isGraveyardEmpty()) {
    sweepAll(floorVersion);
    return true;
  }
  if (floorVersion == latestVersion) return false;
  const share = <u64>max(3 - attempt, 0);
  const span = latestVersion - floorVersion;
  raiseFloor(floorVersion + max(span >> share, 1));
  sweepAll(floorVersion);
  return true;
}
