import { floorTick } from './floor';
import { freeKey } from './key';
import { findOvertaken, removeEntries } from './leaf';
import { countOf, keyAt, LEAF_CAPACITY } from './node';
import { countEntries } from './tree';

/** A leaf that is fuller than this after everything overtaken has left it is better split. */
const ROOMY: i32 = (LEAF_CAPACITY * 3) >> 2;

/** Removes the entries of a leaf that say nothing any more, taking all versions up to the floor for one. */
export function removeOvertaken(leaf: usize): void {
  const overtaken = findOvertaken(leaf, floorTick());
  if (overtaken == 0) return;
  for (let left = overtaken; left != 0; left &= left - 1) {
    const key = keyAt(leaf, <i32>ctz(left));
    if (key != 0) freeKey(key);
  }
  removeEntries(leaf, overtaken);
  countEntries(-(<i64>popcnt(overtaken)));
}

/** For a leaf that is full: what is overtaken is the cheapest to give way. @returns whether there is room now. */
export function makeRoomInLeaf(leaf: usize): bool {
  removeOvertaken(leaf);
  return countOf(leaf) <= ROOMY;
}
