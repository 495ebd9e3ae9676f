import {
  childAt,
  childIndex,
  countOf,
  firstAfter,
  indexOf,
  isLeaf,
  lowGapOf,
  maximumAt,
  pointAt,
  search,
  valueAt,
} from './node';
import { root } from './tree';

/**
 * When did something in a range last change? One descent for each end of the range; what lies between
 * is answered by the maxima of inner nodes, and whatever is not above the version asked for is skipped.
 */

/** The higher of `version`, not below the floor, and the version at which a key last changed. */
export function lastChangeAt(key: usize, length: usize, version: u64): u64 {
  let node = root();
  while (!isLeaf(node)) {
    const index = childIndex(node, key, length);
    if (maximumAt(node, index) <= version) return version;
    node = childAt(node, index);
  }
  return max(version, valueAt(node, search(node, key, length)));
}

/** The highest of `version`, not below the floor, and the versions at which keys of a range last changed. */
export function lastChangeIn(
  begin: usize,
  beginLength: usize,
  end: usize,
  endLength: usize,
  version: u64,
): u64 {
  let node = root();
  while (!isLeaf(node)) {
    const first = childIndex(node, begin, beginLength);
    const last = childIndex(node, end, endLength);
    if (first != last) {
      let highest = highestOfChildren(node, first + 1, last, version);
      if (maximumAt(node, first) > highest)
        highest = highestFrom(childAt(node, first), begin, beginLength, highest);
      if (maximumAt(node, last) > highest)
        highest = highestBefore(childAt(node, last), end, endLength, highest);
      return highest;
    }
    if (maximumAt(node, first) <= version) return version;
    node = childAt(node, first);
  }
  const rank = search(node, begin, beginLength);
  const highest = max(version, valueAt(node, rank));
  return highestOfPoints(node, firstAfter(rank), indexOf(search(node, end, endLength)), highest);
}

/** The part of a node from `begin` to the end of what it is in charge of. */
function highestFrom(node: usize, begin: usize, length: usize, highest: u64): u64 {
  while (!isLeaf(node)) {
    const index = childIndex(node, begin, length);
    highest = highestOfChildren(node, index + 1, countOf(node) + 1, highest);
    if (maximumAt(node, index) <= highest) return highest;
    node = childAt(node, index);
  }
  const rank = search(node, begin, length);
  return highestOfPoints(node, firstAfter(rank), countOf(node), max(highest, valueAt(node, rank)));
}

/** The part of a node from the beginning of what it is in charge of up to, not including, `end`. */
function highestBefore(node: usize, end: usize, length: usize, highest: u64): u64 {
  while (!isLeaf(node)) {
    const index = childIndex(node, end, length);
    highest = highestOfChildren(node, 0, index, highest);
    if (maximumAt(node, index) <= highest) return highest;
    node = childAt(node, index);
  }
  return highestOfPoints(node, 0, indexOf(search(node, end, length)), max(highest, lowGapOf(node)));
}

function highestOfChildren(inner: usize, from: i32, to: i32, highest: u64): u64 {
  for (let index = from; index < to; index++) highest = max(highest, maximumAt(inner, index));
  return highest;
}

/** Gaps need no look: the point of an entry is never below its gap. */
function highestOfPoints(leaf: usize, from: i32, to: i32, highest: u64): u64 {
  for (let index = from; index < to; index++) highest = max(highest, pointAt(leaf, index));
  return highest;
}
