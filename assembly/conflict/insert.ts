import { commonLength } from './common';
import { headOf, isLong } from './head';
import { forgetAllHints, forgetHintsThrough } from './hints';
import { appendChildren, childAt, insertChild, latestBelow, makeInner, maximumAt, setMaximum } from './inner';
import { freeKey, storeKey } from './key';
import { appendEntries, latestIn, makeLeaf, setSlot, slotAt, spliceEntries } from './leaf';
import {
  capacityOf,
  countOf,
  INNER_CAPACITY,
  isLeaf,
  keyAt,
  LEAF_CAPACITY,
  prefixOf,
  setHead,
  setKey,
  spliceKeys,
  takePivots,
} from './node';
import { indexOf, innerOf, ownPath, setStep } from './path';
import { lengthenPrefix, sharedWithKey, sharedWithNext, spell, spelledLength } from './prefix';
import { childIndex, headIn, rankOf } from './search';
import { countEntries, HEIGHT_MAX, height, raiseRoot, root } from './tree';

/** Makes sure that a key has an entry, without changing what the tree says about any key. */

/** How far from the middle of a leaf a shorter separator is looked for. */
const MIDDLE_SPAN: i32 = 4;

let leafFound: usize = 0;
let indexFound: i32 = 0;

/** The leaf and the index of the entry that `ensureEntry` found or made; its path is `ownPath`. */
export function ensuredLeaf(): usize {
  return leafFound;
}

export function ensuredIndex(): i32 {
  return indexFound;
}

/**
 * Finds the entry of a key inside the common prefix, or makes one that says what the tree said before. Full nodes
 * on the way are split, so that there is room below.
 * @returns false when there is no room in memory: then the tree is sound and says what it said before.
 */
export function ensureEntry(key: usize, length: usize): bool {
  if (countOf(root()) == capacityOf(root()) && !growRoot()) return false;
  let node = root();
  for (let level = 0; !isLeaf(node); level++) {
    let index = childIndex(node, headIn(node, key, length), key, length);
    setStep(ownPath, level, node, index);
    let child = childAt(node, index);
    if (countOf(child) == capacityOf(child)) {
      if (!split(level, child, key, length)) return false;
      index = childIndex(node, headIn(node, key, length), key, length);
      setStep(ownPath, level, node, index);
      child = childAt(node, index);
    }
    node = child;
  }
  const head = headIn(node, key, length);
  const rank = rankOf(node, head, key, length);
  leafFound = node;
  indexFound = rank >> 1;
  return (rank & 1) != 0 || insertEntry(node, rank >> 1, head, key, length, slotAt(node, rank));
}

/**
 * Puts an entry into a leaf that has room for it, into the slot before the entry `index`.
 * @returns false when there is no room in memory: then nothing has changed.
 */
export function insertEntry(leaf: usize, index: i32, head: i64, key: usize, length: usize, tick: u32): bool {
  const stored = isLong(head) ? storeKey(key, length) : 0;
  if (stored == 0 && isLong(head)) return false;
  spliceEntries(leaf, index, index, 1);
  setHead(leaf, index, head);
  if (stored != 0) setKey(leaf, index, stored);
  else setKey(leaf, index, 0);
  setSlot(leaf, 2 * index + 1, tick);
  setSlot(leaf, 2 * index + 2, slotAt(leaf, 2 * index));
  takePivots(leaf, index);
  countEntries(1);
  return true;
}

function growRoot(): bool {
  if (height() == HEIGHT_MAX) return false;
  const below = root();
  const inner = makeInner(below, isLeaf(below) ? latestIn(below) : latestBelow(below), commonLength());
  if (inner == 0) return false;
  raiseRoot(inner);
  forgetAllHints();
  return true;
}

/**
 * Splits the full child of the node at `level` of the path to a key. When that is behind all keys of the child, keys
 * seem to come in order: then most stay on the left, which keeps the tree dense; the right node gets
 * enough to make sure that no order of keys leaves many nodes nearly empty.
 */
function split(level: i32, child: usize, key: usize, length: usize): bool {
  const isInner = !isLeaf(child);
  const head = headIn(child, key, length);
  const isBehindAll = isInner
    ? childIndex(child, head, key, length) == INNER_CAPACITY
    : rankOf(child, head, key, length) == 2 * LEAF_CAPACITY;
  forgetHintsThrough(innerOf(ownPath, level));
  return isInner ? splitInner(level, child, isBehindAll, key) : splitLeaf(level, child, isBehindAll, key);
}

function splitLeaf(level: i32, left: usize, lopsided: bool, guide: usize): bool {
  const parent = innerOf(ownPath, level);
  const index = indexOf(ownPath, level);
  const kept = lopsided ? LEAF_CAPACITY - (LEAF_CAPACITY >> 3) : placeToSplit(left);
  const bytes = spell(left, kept, guide);
  if (bytes == 0) return false;
  // The shortest key that is above the last one on the left and not above the first one on the right.
  const length = prefixOf(left) + sharedWithNext(left, kept - 1) + 1;
  const head = headOf(bytes + prefixOf(parent), length - prefixOf(parent));
  const separator = isLong(head) ? storeKey(bytes, length) : 0;
  if (separator == 0 && isLong(head)) return false;
  const right = makeLeaf(slotAt(left, 2 * kept), prefixOf(left));
  if (right == 0) {
    if (separator != 0) freeKey(separator);
    return false;
  }
  const leftPrefix = sharedWithLowFence(level, bytes, length);
  const rightPrefix = sharedWithHighFence(level, bytes, length);
  appendEntries(right, left, kept, LEAF_CAPACITY - kept);
  takePivots(right, 0);
  spliceEntries(left, kept, LEAF_CAPACITY, 0);
  takePivots(left, kept);
  setMaximum(parent, index, latestIn(left));
  insertChild(parent, index, right, latestIn(right));
  setSeparator(parent, index, head, separator);
  lengthenPrefix(left, leftPrefix);
  lengthenPrefix(right, rightPrefix);
  return true;
}

/** Near the middle of a full leaf, where the separator is shortest. */
function placeToSplit(leaf: usize): i32 {
  const middle = (LEAF_CAPACITY + 1) >> 1;
  let best = middle;
  let shortest = sharedWithNext(leaf, middle - 1);
  for (let away = 1; away <= MIDDLE_SPAN; away++) {
    const before = sharedWithNext(leaf, middle - away - 1);
    if (before < shortest) {
      shortest = before;
      best = middle - away;
    }
    const behind = sharedWithNext(leaf, middle + away - 1);
    if (behind < shortest) {
      shortest = behind;
      best = middle + away;
    }
  }
  return best;
}

/** The separator in the middle moves up. */
function splitInner(level: i32, left: usize, lopsided: bool, guide: usize): bool {
  const parent = innerOf(ownPath, level);
  const index = indexOf(ownPath, level);
  const kept = lopsided ? INNER_CAPACITY - (INNER_CAPACITY >> 3) : INNER_CAPACITY >> 1;
  const bytes = spell(left, kept, guide);
  if (bytes == 0) return false;
  const length = spelledLength();
  const head = headOf(bytes + prefixOf(parent), length - prefixOf(parent));
  const old = keyAt(left, kept);
  const separator = !isLong(head) ? <usize>0 : old != 0 ? old : storeKey(bytes, length);
  if (separator == 0 && isLong(head)) return false;
  const right = makeInner(childAt(left, kept + 1), maximumAt(left, kept + 1), prefixOf(left));
  if (right == 0) {
    if (separator != old && separator != 0) freeKey(separator);
    return false;
  }
  const leftPrefix = sharedWithLowFence(level, bytes, length);
  const rightPrefix = sharedWithHighFence(level, bytes, length);
  appendChildren(right, left, kept + 1, INNER_CAPACITY - kept - 1);
  takePivots(right, 0);
  spliceKeys(left, kept, INNER_CAPACITY, 0);
  takePivots(left, kept);
  if (old != 0 && separator == 0) freeKey(old);
  setMaximum(parent, index, latestBelow(left));
  insertChild(parent, index, right, latestBelow(right));
  setSeparator(parent, index, head, separator);
  lengthenPrefix(left, leftPrefix);
  lengthenPrefix(right, rightPrefix);
  return true;
}

function setSeparator(parent: usize, index: i32, head: i64, stored: usize): void {
  setHead(parent, index, head);
  setKey(parent, index, stored);
  takePivots(parent, index);
}

/** How much a key shares with the fence before the child at a level of the path; 0 when there is none. */
function sharedWithLowFence(level: i32, key: usize, length: usize): usize {
  for (; level >= 0; level--) {
    const index = indexOf(ownPath, level);
    if (index > 0) return sharedWithKey(innerOf(ownPath, level), index - 1, key, length);
  }
  return 0;
}

/** The same for the fence behind it. */
function sharedWithHighFence(level: i32, key: usize, length: usize): usize {
  for (; level >= 0; level--) {
    const inner = innerOf(ownPath, level);
    const index = indexOf(ownPath, level);
    if (index < countOf(inner)) return sharedWithKey(inner, index, key, length);
  }
  return 0;
}
