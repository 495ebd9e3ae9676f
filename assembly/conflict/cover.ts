import { commonPrefix } from '../bytes';
import { bury } from './graveyard';
import { forgetAllHints } from './hints';
import { childAt, removeChildren, setMaximum } from './inner';
import { freeKey } from './key';
import { setSlot, spliceEntries } from './leaf';
import { countOf, isLeaf, keyAt, takePivots } from './node';
import { ownPath, raiseMaxima, setStep } from './path';
import { shortenPrefix } from './prefix';
import { childIndex, headIn, rankOf } from './search';
import { countEntries, height, lowerRoot, root } from './tree';

/**
 * A range takes over everything from the entry of its beginning up to that of its end. What lies between is cut
 * off and buried.
 *
 * Nodes beside a cut are in charge of more than before, up to the beginning or the end of the range: so their
 * prefixes must not be longer than what these two share.
 */

/** @returns false when there is no room in memory: then nothing has changed. */
export function cover(begin: usize, beginLength: usize, end: usize, endLength: usize, tick: u32): bool {
  let node = root();
  let level = 0;
  while (!isLeaf(node)) {
    const first = childIndex(node, headIn(node, begin, beginLength), begin, beginLength);
    const last = childIndex(node, headIn(node, end, endLength), end, endLength);
    setStep(ownPath, level, node, first);
    level++;
    if (first != last) {
      const shared = commonPrefix(begin, beginLength, end, endLength);
      const cuts = last - first > 1;
      if (!shortenBeginning(childAt(node, first), begin, beginLength, shared, cuts)) return false;
      if (!shortenEnd(childAt(node, last), end, endLength, shared, false)) return false;
      cutChildren(node, first + 1, last);
      setMaximum(node, first + 1, tick);
      coverFrom(childAt(node, first), begin, beginLength, tick);
      coverBefore(childAt(node, first + 1), end, endLength, tick);
      raiseMaxima(ownPath, level, tick);
      forgetAllHints();
      lowerRoot();
      return true;
    }
    node = childAt(node, first);
  }
  const first = rankOf(node, headIn(node, begin, beginLength), begin, beginLength) >> 1;
  const last = rankOf(node, headIn(node, end, endLength), end, endLength) >> 1;
  coverEntries(node, first, last, tick);
  raiseMaxima(ownPath, height(), tick);
  return true;
}

/** @param cuts whether something behind the node is going to be cut off. */
function shortenBeginning(node: usize, key: usize, length: usize, prefix: usize, cuts: bool): bool {
  if (cuts && !shortenPrefix(node, prefix, key)) return false;
  if (isLeaf(node)) return true;
  const index = childIndex(node, headIn(node, key, length), key, length);
  return shortenBeginning(childAt(node, index), key, length, prefix, cuts || index < countOf(node));
}

/** @param cuts whether something before the node is going to be cut off. */
function shortenEnd(node: usize, key: usize, length: usize, prefix: usize, cuts: bool): bool {
  if (cuts && !shortenPrefix(node, prefix, key)) return false;
  if (isLeaf(node)) return true;
  const index = childIndex(node, headIn(node, key, length), key, length);
  return shortenEnd(childAt(node, index), key, length, prefix, cuts || index > 0);
}

/** The entry of `begin` takes over the rest of what a node is in charge of. */
function coverFrom(node: usize, begin: usize, length: usize, tick: u32): void {
  while (!isLeaf(node)) {
    const index = childIndex(node, headIn(node, begin, length), begin, length);
    cutChildren(node, index + 1, countOf(node) + 1);
    setMaximum(node, index, tick);
    node = childAt(node, index);
  }
  coverEntries(node, rankOf(node, headIn(node, begin, length), begin, length) >> 1, countOf(node), tick);
}

/** What lies before `end` in a node goes over to the entry of the beginning, in some node before. */
function coverBefore(node: usize, end: usize, length: usize, tick: u32): void {
  while (!isLeaf(node)) {
    cutChildren(node, 0, childIndex(node, headIn(node, end, length), end, length));
    setMaximum(node, 0, tick);
    node = childAt(node, 0);
  }
  cutEntries(node, 0, rankOf(node, headIn(node, end, length), end, length) >> 1);
  setSlot(node, 0, tick);
}

/** The entry `index` takes over those behind it, up to, not including, `to`. */
function coverEntries(leaf: usize, index: i32, to: i32, tick: u32): void {
  cutEntries(leaf, index + 1, to);
  setSlot(leaf, 2 * index + 1, tick);
  setSlot(leaf, 2 * index + 2, tick);
}

function cutEntries(leaf: usize, from: i32, to: i32): void {
  freeKeys(leaf, from, to);
  countEntries(from - to);
  spliceEntries(leaf, from, to, 0);
  takePivots(leaf, from);
}

/** Cuts off children and what separates them from the rest; at least one child stays. */
function cutChildren(inner: usize, from: i32, to: i32): void {
  if (from >= to) return;
  for (let index = from; index < to; index++) bury(childAt(inner, index));
  const firstKey = max(from - 1, 0);
  freeKeys(inner, firstKey, firstKey + to - from);
  removeChildren(inner, from, to);
  takePivots(inner, firstKey);
}

function freeKeys(node: usize, from: i32, to: i32): void {
  for (let index = from; index < to; index++) {
    const key = keyAt(node, index);
    if (key != 0) freeKey(key);
  }
}
