import { isSuccessor } from '../bytes';
import { bury } from './graveyard';
import { ensuredIndex, ensuredLeaf, ensureEntry } from './insert';
import { freeKey } from './key';
import {
  childAt,
  childIndex,
  countOf,
  indexOf,
  isLeaf,
  keyAt,
  removeChildren,
  removeEntries,
  search,
  setGap,
  setLowGap,
  setMaximum,
  setPoint,
} from './node';
import { countEntries, lowerRoot, pushPath, raiseMaxima, root, startPath } from './tree';

/**
 * Changes of keys and ranges at a version that is not below any in the tree. Each first makes the
 * entries that it needs, which may fail but changes nothing that the tree says; what follows cannot fail.
 */

/** @returns false when there is no room in memory: then nothing has changed. */
export function writePoint(key: usize, length: usize, version: u64): bool {
  if (!ensureEntry(key, length)) return false;
  setPoint(ensuredLeaf(), ensuredIndex(), version);
  raiseMaxima(version);
  return true;
}

/**
 * Changes the keys from `begin` up to, not including, `end`, which is above it.
 * @returns false when there is no room in memory: then nothing has changed.
 */
export function writeRange(
  begin: usize,
  beginLength: usize,
  end: usize,
  endLength: usize,
  version: u64,
): bool {
  if (isSuccessor(begin, beginLength, end, endLength)) return writePoint(begin, beginLength, version);
  if (!ensureEntry(end, endLength) || !ensureEntry(begin, beginLength)) return false;
  cover(begin, beginLength, end, endLength, version);
  raiseMaxima(version);
  lowerRoot();
  return true;
}

/** Both ends have entries: that of `begin` takes over everything up to that of `end`. */
function cover(begin: usize, beginLength: usize, end: usize, endLength: usize, version: u64): void {
  startPath();
  let node = root();
  while (!isLeaf(node)) {
    const first = childIndex(node, begin, beginLength);
    const last = childIndex(node, end, endLength);
    pushPath(node, first);
    if (first != last) {
      cutChildren(node, first + 1, last);
      setMaximum(node, first + 1, version);
      coverFrom(childAt(node, first), begin, beginLength, version);
      coverBefore(childAt(node, first + 1), end, endLength, version);
      return;
    }
    node = childAt(node, first);
  }
  coverEntries(
    node,
    indexOf(search(node, begin, beginLength)),
    indexOf(search(node, end, endLength)),
    version,
  );
}

/** The entry of `begin` takes over the rest of what a node is in charge of. */
function coverFrom(node: usize, begin: usize, length: usize, version: u64): void {
  while (!isLeaf(node)) {
    const index = childIndex(node, begin, length);
    cutChildren(node, index + 1, countOf(node) + 1);
    setMaximum(node, index, version);
    node = childAt(node, index);
  }
  coverEntries(node, indexOf(search(node, begin, length)), countOf(node), version);
}

/** What lies before `end` in a node goes over to the entry of the beginning, in some node before. */
function coverBefore(node: usize, end: usize, length: usize, version: u64): void {
  while (!isLeaf(node)) {
    cutChildren(node, 0, childIndex(node, end, length));
    setMaximum(node, 0, version);
    node = childAt(node, 0);
  }
  cutEntries(node, 0, indexOf(search(node, end, length)));
  setLowGap(node, version);
}

/** The entry `index` takes over those behind it, up to, not including, `to`. */
function coverEntries(leaf: usize, index: i32, to: i32, version: u64): void {
  cutEntries(leaf, index + 1, to);
  setPoint(leaf, index, version);
  setGap(leaf, index, version);
}

function cutEntries(leaf: usize, from: i32, to: i32): void {
  for (let index = from; index < to; index++) freeKey(keyAt(leaf, index));
  countEntries(from - to);
  removeEntries(leaf, from, to);
}

/** Cuts off children and what separates them from the rest; at least one child stays. */
function cutChildren(inner: usize, from: i32, to: i32): void {
  const firstKey = max(from - 1, 0);
  for (let index = from; index < to; index++) {
    bury(childAt(inner, index));
    freeKey(keyAt(inner, firstKey + index - from));
  }
  removeChildren(inner, from, to);
}
