import { isScattered } from '../memory/blocks';
import { Buffer, reserve } from '../memory/buffers';
import { commonBytes, headAtPlace, PLACE_BELOW, PLACE_INSIDE, placeOf } from './common';
import { floorTick } from './floor';
import { freeBuriedNode, isGraveyardEmpty } from './graveyard';
import { forgetHintsThrough } from './hints';
import { childAt, maximumAt, setMaximum } from './inner';
import { joinWithBefore } from './join';
import { countOf, isLeaf } from './node';
import { removeOvertaken } from './overtaken';
import { indexOf, innerOf, ownPath, setStep } from './path';
import { spell, spelledLength } from './prefix';
import { childIndex } from './search';
import { settleChild, settleKeys } from './settle';
import { later } from './tick';
import { height, lowerRoot, root } from './tree';

/**
 * Removes what the floor has overtaken, a leaf at a time, round and round through the tree. An entry
 * goes when it says nothing that its neighbour before does not say, taking all versions up to the floor
 * for one. Neighbours that have become small are joined on the way.
 */

/** Visiting a leaf costs at least as much as this many entries. */
const LEAF_COST: i32 = 16;

/** The next leaf is the one in charge of this key (a copy); of length 0 it stands for the beginning. */
let cursor: usize = 0;
let cursorLength: usize = 0;
/** The floor when this round began, and that of the last full round. */
let roundFloor: u64 = 0;
let doneFloor: u64 = 0;

/** Starts over: after the tree was cleared, with nothing in it that the floor has overtaken. */
export function resetSweep(floor: u64): void {
  cursorLength = 0;
  roundFloor = floor;
  doneFloor = floor;
}

/** No tick in the tree is of a version below. */
export function sweptFloor(): u64 {
  return doneFloor;
}

/** Works for about `credit` entries; returns what is left (below 0: the last piece was larger). */
export function sweep(credit: i64, floor: u64): i64 {
  while (credit > 0 && !isGraveyardEmpty()) credit -= LEAF_COST + freeBuriedNode();
  while (credit > 0 && doneFloor < floor) credit -= LEAF_COST + sweepLeaf(floor);
  return credit;
}

/** A whole round at once, and the graveyard. */
export function sweepAll(floor: u64): void {
  while (!isGraveyardEmpty()) freeBuriedNode();
  cursorLength = 0;
  roundFloor = floor;
  if (doneFloor >= floor) return;
  // The cursor is at the beginning again after the last leaf, or earlier, when it found no room: then the
  // rest of the tree has to wait.
  do sweepLeaf(floor);
  while (cursorLength != 0);
}

/**
 * Sweeps the leaf at the cursor and moves the cursor on.
 * @returns how many entries it looked at.
 */
function sweepLeaf(floor: u64): i32 {
  const settles = isScattered();
  const place = cursorLength == 0 ? PLACE_BELOW : placeOf(cursor, cursorLength);
  const guide = place == PLACE_INSIDE ? cursor : commonBytes();
  let node = root();
  let level = 0;
  for (; !isLeaf(node); level++) {
    let index = childIndex(node, headAtPlace(node, cursor, cursorLength, place), cursor, cursorLength);
    if (settles) {
      settleChild(node, index);
      forgetHintsThrough(node);
    }
    setMaximum(node, index, later(maximumAt(node, index), floorTick()));
    // A leaf is joined after it was swept.
    if (index > 0 && !isLeaf(childAt(node, index)) && joinWithBefore(node, index, guide)) index--;
    setStep(ownPath, level, node, index);
    node = childAt(node, index);
  }
  const looked = countOf(node);
  removeOvertaken(node);
  if (settles) settleKeys(node);
  if (level > 0) {
    const parent = innerOf(ownPath, level - 1);
    const index = indexOf(ownPath, level - 1);
    if (index > 0 && joinWithBefore(parent, index, guide)) setStep(ownPath, level - 1, parent, index - 1);
  }
  moveCursor(guide, floor);
  return looked;
}

/** To the separator behind the leaf; behind the last leaf to the beginning. */
function moveCursor(guide: usize, floor: u64): void {
  for (let level = height() - 1; level >= 0; level--) {
    const inner = innerOf(ownPath, level);
    const index = indexOf(ownPath, level);
    if (index == countOf(inner)) continue;
    const fence = spell(inner, index, guide);
    const length = spelledLength();
    cursorLength = 0;
    const copy = fence == 0 ? <usize>0 : reserve(Buffer.Cursor, length);
    if (copy != 0) {
      memory.copy(copy, fence, length);
      cursor = copy;
      cursorLength = length;
    } else {
      // No room to remember where to go on: the round begins anew, and is not done.
      roundFloor = floor;
    }
    return;
  }
  cursorLength = 0;
  doneFloor = roundFloor;
  roundFloor = floor;
  lowerRoot();
}
