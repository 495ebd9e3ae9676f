import { isScattered } from '../memory/blocks';
import { Buffer, reserve } from '../memory/buffers';
import { freeBuriedNode, isGraveyardEmpty } from './graveyard';
import { freeKey, keyBytes, keyLength } from './key';
import {
  appendSeparator,
  CAPACITY,
  childAt,
  childIndex,
  countOf,
  freeNode,
  gapAt,
  isLeaf,
  keyAt,
  lowGapOf,
  maximumAt,
  moveChildren,
  moveEntries,
  moveKeys,
  pointAt,
  removeChildren,
  setCount,
  setMaximum,
  setPrefix,
  takeHeads,
} from './node';
import { settleChild, settleKeys } from './settle';
import { countEntries, lowerRoot, root } from './tree';

/**
 * Removes what the floor has overtaken, a leaf at a time, round and round through the tree. An entry
 * goes when it says nothing that its neighbour before does not say, taking all versions up to the floor
 * for one. Neighbours that have become small are joined on the way.
 */

/** Nodes are joined when the result is at most this full. */
const JOIN_MAX: i32 = (CAPACITY * 3) >> 2;
/** Visiting a leaf costs at least as much as this many entries. */
const LEAF_COST: i32 = 16;

/** The next leaf is the one in charge of this key (a copy); the empty key stands for the beginning, no separator is empty. */
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
 *
 * The fence is a separator that the cursor takes over at the end, so nothing on the way may free or move
 * it. Nothing does: a join at child `index` frees the separator before that child (inner nodes: takes it
 * down), the fence is the one behind the child taken at this level or at one above; and what settles at a
 * level has settled before the fence is taken from it.
 * @returns how many entries it looked at.
 */
function sweepLeaf(floor: u64): i32 {
  const settles = isScattered();
  let node = root();
  /** Where what the leaf is in charge of ends: the separator behind it, 0 at the end of the tree. */
  let fence: usize = 0;
  let parent: usize = 0;
  let index = 0;
  while (!isLeaf(node)) {
    parent = node;
    index = childIndex(parent, cursor, cursorLength);
    if (settles) settleChild(parent, index);
    if (index < countOf(parent)) fence = keyAt(parent, index);
    node = childAt(parent, index);
    if (index > 0 && !isLeaf(node)) {
      const before = childAt(parent, index - 1);
      if (countOf(before) + countOf(node) + 1 <= JOIN_MAX) {
        joinInner(parent, index, before, node);
        node = before;
        index--;
      }
    }
  }
  const looked = countOf(node);
  removeOvertaken(node, floor);
  if (settles) settleKeys(node);
  if (parent != 0 && index > 0) {
    const before = childAt(parent, index - 1);
    if (countOf(before) + countOf(node) <= JOIN_MAX) joinLeaves(parent, index, before, node);
  }
  moveCursor(fence, floor);
  if (fence == 0) lowerRoot();
  return looked;
}

/** To the fence; behind the last leaf to the beginning. */
function moveCursor(fence: usize, floor: u64): void {
  cursorLength = 0;
  if (fence == 0) {
    doneFloor = roundFloor;
    roundFloor = floor;
    return;
  }
  const length = keyLength(fence);
  cursor = reserve(Buffer.Cursor, length);
  if (cursor == 0) {
    // No room to remember where to go on: the round begins anew, and is not done.
    roundFloor = floor;
    return;
  }
  memory.copy(cursor, keyBytes(fence), length);
  cursorLength = length;
}

function removeOvertaken(leaf: usize, floor: u64): void {
  const count = countOf(leaf);
  let before = max(lowGapOf(leaf), floor);
  let kept = 0;
  for (let index = 0; index < count; index++) {
    const point = max(pointAt(leaf, index), floor);
    const gap = max(gapAt(leaf, index), floor);
    if (point == before && gap == before) {
      freeKey(keyAt(leaf, index));
    } else {
      if (kept < index) moveEntries(leaf, index, leaf, kept, 1);
      kept++;
      before = gap;
    }
  }
  if (kept == count) return;
  countEntries(kept - count);
  setCount(leaf, kept);
  if (kept == 0) setPrefix(leaf, 0);
}

/** Moves the entries of a leaf to the one before it. Both say the same about what lies between. */
function joinLeaves(parent: usize, index: i32, before: usize, leaf: usize): void {
  moveEntries(leaf, 0, before, countOf(before), countOf(leaf));
  setCount(before, countOf(before) + countOf(leaf));
  freeKey(keyAt(parent, index - 1));
  finishJoin(parent, index, before, leaf);
}

/** Moves the children of an inner node to the one before it; the separator between them comes down. */
function joinInner(parent: usize, index: i32, before: usize, inner: usize): void {
  appendSeparator(before, keyAt(parent, index - 1));
  moveKeys(inner, 0, before, countOf(before), countOf(inner));
  moveChildren(inner, 0, before, countOf(before), countOf(inner) + 1);
  setCount(before, countOf(before) + countOf(inner));
  finishJoin(parent, index, before, inner);
}

function finishJoin(parent: usize, index: i32, before: usize, node: usize): void {
  setMaximum(parent, index - 1, max(maximumAt(parent, index - 1), maximumAt(parent, index)));
  removeChildren(parent, index, index + 1);
  freeNode(node);
  takeHeads(before);
}
