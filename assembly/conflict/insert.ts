import { commonPrefix } from '../bytes';
import { compareKey, freeKey, keyBytes, keyLength, storeKey } from './key';
import {
  CAPACITY,
  childAt,
  childIndex,
  countOf,
  gapAt,
  highestOf,
  indexOf,
  insertChild,
  insertEntry,
  isFound,
  isLeaf,
  keyAt,
  makeInner,
  makeLeaf,
  maximumAt,
  moveChildren,
  moveEntries,
  moveKeys,
  search,
  setCount,
  setMaximum,
  takeHeads,
  valueAt,
} from './node';
import { countEntries, HEIGHT_MAX, height, pushPath, raiseRoot, root, startPath } from './tree';

/** Makes sure that a key has an entry, without changing what the tree says about any key. */

/**
 * How many keys the left node keeps when keys come in order. The right one gets enough to make sure that
 * no order of keys leaves many nodes nearly empty.
 */
const LOPSIDED: i32 = CAPACITY - (CAPACITY >> 3);

let leafFound: usize = 0;
let indexFound: i32 = 0;

/** The leaf and the index of the entry that `ensureEntry` found or made; its path is that of the tree. */
export function ensuredLeaf(): usize {
  return leafFound;
}

export function ensuredIndex(): i32 {
  return indexFound;
}

/**
 * Finds the entry of a key, or makes one that says what the tree said before. Full nodes on the way are
 * split, so that there is room below.
 * @returns false when there is no room in memory: then the tree is sound and says what it said before.
 */
export function ensureEntry(key: usize, length: usize): bool {
  if (countOf(root()) == CAPACITY && !growRoot()) return false;
  startPath();
  let node = root();
  while (!isLeaf(node)) {
    let index = childIndex(node, key, length);
    let child = childAt(node, index);
    if (countOf(child) == CAPACITY) {
      if (!split(node, index, isBehindAll(child, key, length))) return false;
      if (compareKey(keyAt(node, index), key, length) <= 0) index++;
      child = childAt(node, index);
    }
    pushPath(node, index);
    node = child;
  }
  const rank = search(node, key, length);
  leafFound = node;
  indexFound = indexOf(rank);
  if (isFound(rank)) return true;
  const stored = storeKey(key, length);
  if (stored == 0) return false;
  const version = valueAt(node, rank);
  insertEntry(node, indexFound, stored, version, version);
  countEntries(1);
  return true;
}

/** Keys often come in order: then a split that leaves most on the left keeps the tree dense. */
function isBehindAll(node: usize, key: usize, length: usize): bool {
  return indexOf(search(node, key, length)) == CAPACITY;
}

function growRoot(): bool {
  if (height() == HEIGHT_MAX) return false;
  const inner = makeInner(root(), highestOf(root()));
  if (inner == 0) return false;
  raiseRoot(inner);
  return true;
}

/** Splits the full child `index` of a node with room. `lopsided`: most stays on the left. */
function split(parent: usize, index: i32, lopsided: bool): bool {
  const left = childAt(parent, index);
  return isLeaf(left) ? splitLeaf(parent, index, left, lopsided) : splitInner(parent, index, left, lopsided);
}

function splitLeaf(parent: usize, index: i32, left: usize, lopsided: bool): bool {
  const kept = lopsided ? LOPSIDED : CAPACITY >> 1;
  const separator = storeSeparator(keyAt(left, kept - 1), keyAt(left, kept));
  if (separator == 0) return false;
  const right = makeLeaf(gapAt(left, kept - 1));
  if (right == 0) {
    freeKey(separator);
    return false;
  }
  moveEntries(left, kept, right, 0, CAPACITY - kept);
  finishSplit(parent, index, left, kept, separator, right, CAPACITY - kept);
  return true;
}

/** The separator in the middle moves up: nothing has to be stored. */
function splitInner(parent: usize, index: i32, left: usize, lopsided: bool): bool {
  const kept = lopsided ? LOPSIDED : CAPACITY >> 1;
  const right = makeInner(childAt(left, kept + 1), maximumAt(left, kept + 1));
  if (right == 0) return false;
  const moved = CAPACITY - kept - 1;
  moveChildren(left, kept + 1, right, 0, moved + 1);
  moveKeys(left, kept + 1, right, 0, moved);
  finishSplit(parent, index, left, kept, keyAt(left, kept), right, moved);
  return true;
}

function finishSplit(
  parent: usize,
  index: i32,
  left: usize,
  leftCount: i32,
  separator: usize,
  right: usize,
  rightCount: i32,
): void {
  setCount(left, leftCount);
  setCount(right, rightCount);
  takeHeads(left);
  takeHeads(right);
  setMaximum(parent, index, highestOf(left));
  insertChild(parent, index, separator, right, highestOf(right));
}

/** The shortest key that is above `before` and not above `behind`; 0 when there is no room. */
function storeSeparator(before: usize, behind: usize): usize {
  const shared = commonPrefix(keyBytes(before), keyLength(before), keyBytes(behind), keyLength(behind));
  return storeKey(keyBytes(behind), shared + 1);
}
