import { Buffer, reserve } from '../memory/buffers';
import { headOf, isLong } from './head';
import { forgetHintsThrough } from './hints';
import { appendChildren, childAt, maximumAt, removeChildren, setChild, setMaximum } from './inner';
import { freeKey, storeKey } from './key';
import { appendEntries } from './leaf';
import {
  countOf,
  freeNode,
  INNER_CAPACITY,
  isLeaf,
  keyAt,
  LEAF_CAPACITY,
  prefixOf,
  setCount,
  setHead,
  setKey,
  takePivots,
} from './node';
import { shortenPrefix, spell, spelledLength } from './prefix';
import { later } from './tick';

/** Neighbours that have become small become one. */

/** Nodes are joined when the result is at most this full. */
const LEAF_JOIN_MAX: i32 = (LEAF_CAPACITY * 3) >> 2;
const INNER_JOIN_MAX: i32 = (INNER_CAPACITY * 3) >> 2;

/**
 * Moves what child `index` of an inner node holds to the child before it, if both are small.
 * @param guide a key that has the prefix of the inner node.
 * @returns whether it did; not when there is no room in memory.
 */
export function joinWithBefore(parent: usize, index: i32, guide: usize): bool {
  const before = childAt(parent, index - 1);
  const node = childAt(parent, index);
  const sum = countOf(before) + countOf(node);
  if (isLeaf(node) ? sum > LEAF_JOIN_MAX : sum + 1 > INNER_JOIN_MAX) return false;
  const spelled = spell(parent, index - 1, guide);
  const length = spelledLength();
  const separator = spelled == 0 ? <usize>0 : reserve(Buffer.Fence, length);
  if (separator == 0) return false;
  memory.copy(separator, spelled, length);
  return joinBehind(parent, index, before, node, separator, length);
}

function joinBehind(
  parent: usize,
  index: i32,
  before: usize,
  node: usize,
  separator: usize,
  length: usize,
): bool {
  const prefix = min(prefixOf(before), prefixOf(node));
  const head = headOf(separator + prefix, length - prefix);
  const old = keyAt(parent, index - 1);
  let stored: usize = 0;
  if (!isLeaf(node) && isLong(head)) {
    stored = old != 0 ? old : storeKey(separator, length);
    if (stored == 0) return false;
  }
  if (!shortenPrefix(before, prefix, separator) || !shortenPrefix(node, prefix, separator)) {
    if (stored != old && stored != 0) freeKey(stored);
    return false;
  }
  if (isLeaf(node)) {
    appendEntries(before, node, 0, countOf(node));
  } else {
    appendSeparator(before, head, stored, childAt(node, 0), maximumAt(node, 0));
    appendChildren(before, node, 0, countOf(node));
  }
  takePivots(before, 0);
  if (old != 0 && stored == 0) freeKey(old);
  setMaximum(parent, index - 1, later(maximumAt(parent, index - 1), maximumAt(parent, index)));
  removeChildren(parent, index, index + 1);
  takePivots(parent, index - 1);
  freeNode(node);
  forgetHintsThrough(parent);
  return true;
}

/** Puts a separator and the child behind it behind the last one; the pivots are left to the caller. */
function appendSeparator(inner: usize, head: i64, stored: usize, child: usize, maximum: u32): void {
  const count = countOf(inner);
  setHead(inner, count, head);
  setKey(inner, count, stored);
  setCount(inner, count + 1);
  setChild(inner, count + 1, child);
  setMaximum(inner, count + 1, maximum);
}
