import {
  heldBytes,
  heldBytesMax,
  isScattered,
  occupiedBytes,
  setBlocksBound,
  usedBytes,
} from '../memory/blocks';
import { floorVersion, raiseFloor, setFloor } from './floor';
import { forgetGraveyard, isGraveyardEmpty } from './graveyard';
import { forgetAllHints, hintOf } from './hints';
import { lastChangeAbove } from './query';
import { resetSweep, sweep, sweepAll, sweptFloor } from './sweep';
import { SPAN_MAX, tickOf } from './tick';
import { clearTree, entries } from './tree';
import { writeAccess } from './write';

/**
 * The history of recent changes: for every key the version that last changed it, exact for versions
 * above the floor. The floor follows the newest version at a fixed distance, and faster when memory is
 * short: then the oldest versions are forgotten.
 */

/** Work per entry that a change may need, in entries; what was inserted is overtaken and removed in time. */
const SWEEP_PER_ENTRY: i64 = 3;
/** The same while pages that hold little have to be emptied as well. */
const SWEEP_PER_ENTRY_SCATTERED: i64 = 6;
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
let latestVersion: u64 = 0;
/** Sweeping that is owed, in entries. */
let credit: i64 = 0;
/** Bytes in use after the last transaction. */
let usedBefore: u64 = 0;

/** @param window at most half of SPAN_MAX. @returns whether there is room for an empty one. */
export function createConflictSet(window: u64, bytesMax: u64, floor: u64): bool {
  windowVersions = window;
  setBlocksBound(bytesMax);
  return resetConflictSet(floor);
}

/** Empties the history: nothing is known to have changed above `floor`, and nothing is known below. */
export function resetConflictSet(floor: u64): bool {
  setFloor(floor);
  latestVersion = floor;
  return forgetAll();
}

export function conflictFloor(): u64 {
  return floorVersion();
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

/** The higher of `version`, not below the floor, and the version at which something that an access reads last changed. */
export function lastChange(access: usize, version: u64): u64 {
  if (version >= latestVersion) return version;
  return version + lastChangeAbove(access, hintOf(access), tickOf(version));
}

/**
 * What an access writes was changed at `version`, which is not below any before.
 * @returns false when the history has no room even for this transaction alone.
 */
export function change(access: usize, version: u64): bool {
  const tick = tickOf(version);
  for (let attempt = 0; !writeAccess(access, hintOf(access), tick); attempt++) {
    if (!makeRoom(attempt)) return false;
  }
  return true;
}

/**
 * Before changes at `version`: versions leap so far only when they are made to. What the sweep has not reached is
 * then swept at once, because ticks tell only so many versions apart.
 */
export function startChanges(version: u64): void {
  if (version - sweptFloor() < SPAN_MAX) return;
  raiseFloor(version - windowVersions);
  if (floorVersion() >= latestVersion) resetConflictSet(floorVersion());
  else sweepAll(floorVersion());
}

/**
 * Ends a transaction at `version`, whose changes needed up to `added` entries: the floor follows, and some of the past
 * is swept away.
 */
export function finishTransaction(added: u32, version: u64): void {
  const before = latestVersion;
  latestVersion = version;
  raiseFloor(version - min(version, windowVersions));
  if (added == 0) return;
  const perEntry = isScattered() ? SWEEP_PER_ENTRY_SCATTERED : SWEEP_PER_ENTRY;
  credit += perEntry * <i64>added;
  relievePressure(before);
  const budget = min(credit, SWEEP_MAX + perEntry * <i64>added);
  const left = sweep(budget, floorVersion());
  credit = left > 0 ? 0 : credit - budget + left;
  usedBefore = usedBytes();
}

/** Ends a transaction that is larger than the history may be: nothing but its version is known afterwards. */
export function abandonHistory(version: u64): void {
  latestVersion = version;
  setFloor(version);
  forgetAll();
}

function forgetAll(): bool {
  credit = 0;
  forgetGraveyard();
  const cleared = clearTree(tickOf(floorVersion()));
  forgetAllHints();
  resetSweep(floorVersion());
  usedBefore = usedBytes();
  return cleared;
}

/**
 * Near the bound the floor rises, and what it overtakes is swept away, as fast as memory is taken; the
 * sweep also empties pages that hold little (see settle.ts). So the bound itself, where everything stops
 * for a full sweep, is met by transactions that need much of what is left at once, and hardly else.
 * @param before the version before that of the transaction, whose own changes are kept.
 */
function relievePressure(before: u64): void {
  const used = usedBytes();
  const bound = <f64>heldBytesMax();
  if (used <= usedBefore) return;
  if (<f64>used < PRESSURE_USED * bound && <f64>occupiedBytes() < PRESSURE_OCCUPIED * bound) return;
  const added = <f64>(used - usedBefore) / <f64>used;
  const span = latestVersion - floorVersion();
  raiseFloor(min(before, floorVersion() + min(span, <u64>ceil(<f64>span * added * PRESSURE_FORGETS))));
  credit += <i64>(<f64>entries() * added * PRESSURE_SWEEPS);
}

/**
 * Forgets the oldest versions, at each further attempt more of them, and all but this transaction's own
 * at the fourth.
 * @returns false when there was nothing left to forget.
 */
function makeRoom(attempt: i32): bool {
  if (attempt == 0 && !isGraveyardEmpty()) {
    sweepAll(floorVersion());
    return true;
  }
  if (floorVersion() == latestVersion) {
    // All of the past is forgotten already, but it may still take room.
    if (sweptFloor() >= floorVersion()) return false;
    sweepAll(floorVersion());
    return true;
  }
  const share = <u64>max(3 - attempt, 0);
  const span = latestVersion - floorVersion();
  raiseFloor(floorVersion() + max(span >> share, 1));
  sweepAll(floorVersion());
  return true;
}
