import { compare } from '../bytes';
import { headOf, isLong } from './head';
import { keyBytes, keyLength } from './key';
import { HEADS_AT, headAt, keyAt, PIVOTS_AT, prefixOf } from './node';

/**
 * Where a key stands among the keys of a node: first among the pivots, all at once, which says in which block
 * of heads; then among these, all at once. Stored keys are looked at only when a long head is met.
 */

/** The index of the first key of a leaf whose head is not below `head`. @inline */
export function lowerBound(leaf: usize, head: i64): i32 {
  const wanted = i64x2.splat(head);
  const block = blocksBelow(leaf, wanted, head);
  const at = leaf + HEADS_AT + (block << 6);
  return <i32>(block << 3) + lanes(below8(at, wanted));
}

/** The number of keys of an inner node whose heads are not above `head`. @inline */
export function upperBound(inner: usize, head: i64): i32 {
  const next = head + 1;
  const wanted = i64x2.splat(next);
  const block = blocksBelow(inner, wanted, next);
  const at = inner + HEADS_AT + (block << 7);
  return <i32>(block << 4) + lanes(i64x2.add(below8(at, wanted), below8(at + 64, wanted)));
}

/** The index of the child that is in charge of a key. @inline */
export function childIndex(inner: usize, head: i64, key: usize, length: usize): i32 {
  const index = upperBound(inner, head);
  if (!isLong(head) || index == 0 || headAt(inner, index - 1) != head) return index;
  return (rankAmongEqual(inner, head, index, key, length) + 1) >> 1;
}

/** Twice the number of keys of a leaf before this one, and one more if it is itself among them. @inline */
export function rankOf(leaf: usize, head: i64, key: usize, length: usize): i32 {
  const index = lowerBound(leaf, head);
  if (headAt(leaf, index) != head) return index << 1;
  if (!isLong(head)) return (index << 1) + 1;
  let end = index + 1;
  while (headAt(leaf, end) == head) end++;
  return rankAmongEqual(leaf, head, end, key, length);
}

/** The head of a key at a node that it leads to. @inline */
export function headIn(node: usize, key: usize, length: usize): i64 {
  const prefix = prefixOf(node);
  return headOf(key + prefix, length - prefix);
}

/** The rank of a key whose long head is that of some keys of the node, the last of them before `end`. */
function rankAmongEqual(node: usize, head: i64, end: i32, key: usize, length: usize): i32 {
  let low = end;
  while (low > 0 && headAt(node, low - 1) == head) low--;
  const skip = prefixOf(node) + 7;
  let high = end;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = keyAt(node, middle);
    const order = compare(keyBytes(found) + skip, keyLength(found) - skip, key + skip, length - skip);
    if (order == 0) return (middle << 1) + 1;
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low << 1;
}

/** How many blocks have a pivot below. @inline */
function blocksBelow(node: usize, wanted: v128, head: i64): usize {
  const below = i64x2.add(
    i64x2.add(
      i64x2.lt_s(v128.load(node, PIVOTS_AT), wanted),
      i64x2.lt_s(v128.load(node, PIVOTS_AT + 16), wanted),
    ),
    i64x2.lt_s(v128.load(node, PIVOTS_AT + 32), wanted),
  );
  return <usize>lanes(below) + <usize>(load<i64>(node, PIVOTS_AT + 48) < head);
}

/** How many of 8 heads are below, as two lanes to be counted by `lanes`. @inline */
function below8(at: usize, wanted: v128): v128 {
  return i64x2.add(
    i64x2.add(i64x2.lt_s(v128.load(at), wanted), i64x2.lt_s(v128.load(at, 16), wanted)),
    i64x2.add(i64x2.lt_s(v128.load(at, 32), wanted), i64x2.lt_s(v128.load(at, 48), wanted)),
  );
}

/** @inline */
function lanes(negative: v128): i32 {
  return -(<i32>(i64x2.extract_lane(negative, 0) + i64x2.extract_lane(negative, 1)));
}

/** The block of a leaf that a search for this head looks at. @inline */
export function blockOf(leaf: usize, head: i64): usize {
  return blocksBelow(leaf, i64x2.splat(head), head);
}
