import assert from 'node:assert/strict';
import type { Transaction } from './conflict-model.js';
import { ConflictRig } from './conflict-rig.js';
import type { Step, Walk } from './conflict-walk.js';

/** Versions stay below 2^53. */
const LEAPS_END = 2 ** 52;
const VERIFY_EVERY = 40;

export interface Played {
  readonly committed: number;
  readonly refused: number;
}

/** What went wrong in which step. */
export class WalkFailure extends Error {
  constructor(
    readonly step: number,
    override readonly cause: unknown,
  ) {
    super(`step ${step}: ${String(cause)}`);
  }
}

/**
 * Plays a walk to a conflict set and to its model.
 * @throws WalkFailure when they differ, or the structure is broken.
 */
export function play(walk: Walk): Played {
  const rig = new ConflictRig(walk);
  for (const [index, step] of walk.steps.entries()) {
    try {
      playStep(rig, step, walk.conflictBytesMax);
      if (index % VERIFY_EVERY === 0 || index === walk.steps.length - 1) rig.decider.verify();
    } catch (cause) {
      throw new WalkFailure(index, cause);
    }
  }
  return { committed: rig.committed, refused: rig.refused };
}

function playStep(rig: ConflictRig, { leap, resets, batch }: Step, bytesMax: number | undefined): void {
  if (rig.version + leap < LEAPS_END) rig.version += leap;
  if (resets) rig.reset();
  const now = batch.map((transaction) => atVersions(transaction, rig.version));
  if (bytesMax === undefined) {
    rig.decide(now);
    return;
  }
  for (const transaction of now) rig.decideShortOfMemory(transaction);
  assert.ok(rig.decider.bytes <= bytesMax, `${rig.decider.bytes} bytes`);
}

/** Turns lags behind the newest version into versions. */
export function atVersions(transaction: Transaction, newest: number): Transaction {
  const reads = transaction.reads.map((read) => ({ ...read, version: Math.max(0, newest - read.version) }));
  return { reads, writes: transaction.writes };
}
