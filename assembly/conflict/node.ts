import { commonPrefix, compare, head } from '../bytes';
import { giveBlock, takeBlock } from '../memory/blocks';
import { keyBytes, keyLength } from './key';

/**
 * Nodes of the tree. The whole key space is divided among the leaves: a leaf is in charge of the keys
 * from the separator before it up to the separator behind it. It holds entries in key order; an entry
 * says at which version its key was last changed (its point), and at which version everything between
 * it and the next entry or the end of the leaf was (its gap). What lies before the first entry has a
 * version of its own.
 *
 * Common to both kinds:
 *
 *        0  u32  kind: 0 = leaf, 1 = inner
 *        4  u32  number of keys
 *        8  u32  prefix: all keys of the node share at least this many bytes
 *       12  u32  next node in the graveyard
 *       16  u64  leaf: version of what lies before its first entry
 *       32       heads, 72 x u64: the 8 bytes of each key behind the prefix, big-endian, zeros behind its end
 *      608       keys, 72 x u32 (see key.ts)
 *
 * A leaf holds up to 72 entries:
 *
 *      896       points, 72 x u64
 *     1472       gaps, 72 x u64
 *
 * An inner node holds up to 72 keys, called separators, and one child more than that; child i is in
 * charge of what lies from separator i - 1 up to, not including, separator i:
 *
 *      896       maxima, 73 x u64: the highest version of anything that the child is in charge of
 *     1480       children, 73 x u32
 *
 * The point of an entry is never below its gap: whatever changes a gap begins at an entry, and changes it too.
 */

/** Most keys of a node. */
export const CAPACITY: i32 = 72;

const PREFIX_AT: usize = 8;
const NEXT_AT: usize = 12;
const LOW_GAP_AT: usize = 16;
const HEADS_AT: usize = 32;
const KEYS_AT: usize = HEADS_AT + 8 * CAPACITY;
const POINTS_AT: usize = KEYS_AT + 4 * CAPACITY;
const GAPS_AT: usize = POINTS_AT + 8 * CAPACITY;
const MAXIMA_AT: usize = POINTS_AT;
const CHILDREN_AT: usize = MAXIMA_AT + 8 * (CAPACITY + 1);
/** Fills a block exactly. */
const NODE_BYTES: usize = GAPS_AT + 8 * CAPACITY;

enum Kind {
  Leaf = 0,
  Inner = 1,
}

/** @returns an empty leaf, or 0 when there is no room. */
export function makeLeaf(lowGap: u64): usize {
  const leaf = makeNode(Kind.Leaf);
  if (leaf != 0) setLowGap(leaf, lowGap);
  return leaf;
}

/** @returns an inner node without a separator, above one child; or 0 when there is no room. */
export function makeInner(child: usize, maximum: u64): usize {
  const inner = makeNode(Kind.Inner);
  if (inner == 0) return 0;
  setChild(inner, 0, child);
  setMaximum(inner, 0, maximum);
  return inner;
}

function makeNode(kind: Kind): usize {
  const node = takeBlock(NODE_BYTES);
  if (node == 0) return 0;
  store<u32>(node, kind);
  setCount(node, 0);
  setPrefix(node, 0);
  return node;
}

/** Frees the node alone, not what it refers to. */
export function freeNode(node: usize): void {
  giveBlock(node);
}

export function isLeaf(node: usize): bool {
  return load<u32>(node) == Kind.Leaf;
}

export function countOf(node: usize): i32 {
  return load<i32>(node, 4);
}

export function setCount(node: usize, count: i32): void {
  store<i32>(node, count, 4);
}

export function prefixOf(node: usize): usize {
  return load<u32>(node, PREFIX_AT);
}

export function setPrefix(node: usize, prefix: usize): void {
  store<u32>(node, <u32>prefix, PREFIX_AT);
}

export function nextInGraveyard(node: usize): usize {
  return load<u32>(node, NEXT_AT);
}

export function setNextInGraveyard(node: usize, next: usize): void {
  store<u32>(node, <u32>next, NEXT_AT);
}

export function lowGapOf(leaf: usize): u64 {
  return load<u64>(leaf, LOW_GAP_AT);
}

export function setLowGap(leaf: usize, version: u64): void {
  store<u64>(leaf, version, LOW_GAP_AT);
}

export function headAt(node: usize, index: i32): u64 {
  return load<u64>(node + ((<usize>index) << 3), HEADS_AT);
}

function setHead(node: usize, index: i32, value: u64): void {
  store<u64>(node + ((<usize>index) << 3), value, HEADS_AT);
}

export function keyAt(node: usize, index: i32): usize {
  return load<u32>(node + ((<usize>index) << 2), KEYS_AT);
}

export function setKey(node: usize, index: i32, key: usize): void {
  store<u32>(node + ((<usize>index) << 2), <u32>key, KEYS_AT);
}

export function pointAt(leaf: usize, index: i32): u64 {
  return load<u64>(leaf + ((<usize>index) << 3), POINTS_AT);
}

export function setPoint(leaf: usize, index: i32, version: u64): void {
  store<u64>(leaf + ((<usize>index) << 3), version, POINTS_AT);
}

export function gapAt(leaf: usize, index: i32): u64 {
  return load<u64>(leaf + ((<usize>index) << 3), GAPS_AT);
}

export function setGap(leaf: usize, index: i32, version: u64): void {
  store<u64>(leaf + ((<usize>index) << 3), version, GAPS_AT);
}

export function maximumAt(inner: usize, index: i32): u64 {
  return load<u64>(inner + ((<usize>index) << 3), MAXIMA_AT);
}

export function setMaximum(inner: usize, index: i32, version: u64): void {
  store<u64>(inner + ((<usize>index) << 3), version, MAXIMA_AT);
}

export function childAt(inner: usize, index: i32): usize {
  return load<u32>(inner + ((<usize>index) << 2), CHILDREN_AT);
}

export function setChild(inner: usize, index: i32, child: usize): void {
  store<u32>(inner + ((<usize>index) << 2), <u32>child, CHILDREN_AT);
}

/**
 * Where a key stands among the keys of a node, as a rank: see `indexOf`, `isFound` and `firstAfter`. It is
 * twice the number of keys before it, and one more if it is itself among them.
 */
export function search(node: usize, bytes: usize, length: usize): i32 {
  let high = countOf(node);
  if (high == 0) return 0;
  const prefix = prefixOf(node);
  if (prefix != 0) {
    const order = comparePrefix(keyBytes(keyAt(node, 0)), prefix, bytes, length);
    if (order != 0) return order < 0 ? high << 1 : 0;
  }
  const wanted = head(bytes + prefix, length - prefix);
  let low = 0;
  while (low < high) {
    const middle = (low + high) >> 1;
    const found = headAt(node, middle);
    let order = <i32>(found > wanted) - <i32>(found < wanted);
    if (order == 0) {
      order = compareBehindHead(keyAt(node, middle), prefix + 8, bytes, length);
      if (order == 0) return (middle << 1) + 1;
    }
    if (order < 0) low = middle + 1;
    else high = middle;
  }
  return low << 1;
}

/** The index of the key with this rank, or where it would go. */
export function indexOf(rank: i32): i32 {
  return rank >> 1;
}

/** Whether the key with this rank is among those of the node. */
export function isFound(rank: i32): bool {
  return (rank & 1) != 0;
}

/** The index of the first key above the one with this rank. */
export function firstAfter(rank: i32): i32 {
  return (rank + 1) >> 1;
}

/** Below 0, 0 or above 0, as the prefix is before the key, shared by it, or behind it. */
function comparePrefix(prefixBytes: usize, prefix: usize, bytes: usize, length: usize): i32 {
  const shared = commonPrefix(prefixBytes, prefix, bytes, length);
  if (shared == prefix) return 0;
  if (shared == length) return 1;
  return <i32>load<u8>(prefixBytes + shared) - <i32>load<u8>(bytes + shared);
}

/** Compares keys with equal heads that end at `offset`. */
function compareBehindHead(key: usize, offset: usize, bytes: usize, length: usize): i32 {
  const keyEnd = keyLength(key);
  if (keyEnd > offset && length > offset) {
    return compare(keyBytes(key) + offset, keyEnd - offset, bytes + offset, length - offset);
  }
  // One of them ends inside the head, and only zeros follow in the other one's: the shorter is a prefix.
  return <i32>(keyEnd > length) - <i32>(keyEnd < length);
}

/** The index of the child that is in charge of a key. */
export function childIndex(inner: usize, bytes: usize, length: usize): i32 {
  return firstAfter(search(inner, bytes, length));
}

/** The version of a key of which `search` in the leaf has said where it stands. */
export function valueAt(leaf: usize, rank: i32): u64 {
  const index = indexOf(rank);
  if (isFound(rank)) return pointAt(leaf, index);
  return index == 0 ? lowGapOf(leaf) : gapAt(leaf, index - 1);
}

/** The highest version of anything that a node is in charge of. */
export function highestOf(node: usize): u64 {
  const count = countOf(node);
  let highest: u64 = 0;
  if (isLeaf(node)) {
    highest = lowGapOf(node);
    for (let index = 0; index < count; index++) highest = max(highest, pointAt(node, index));
  } else {
    for (let index = 0; index <= count; index++) highest = max(highest, maximumAt(node, index));
  }
  return highest;
}

/** Puts an entry into a leaf that has room for it. */
export function insertEntry(leaf: usize, index: i32, key: usize, point: u64, gap: u64): void {
  insertKey(leaf, index, key);
  const behind = (<usize>(countOf(leaf) - index - 1)) << 3;
  const at = leaf + ((<usize>index) << 3);
  memory.copy(at + POINTS_AT + 8, at + POINTS_AT, behind);
  memory.copy(at + GAPS_AT + 8, at + GAPS_AT, behind);
  setPoint(leaf, index, point);
  setGap(leaf, index, gap);
}

/** Puts a separator, and the child behind it, into an inner node that has room for them. */
export function insertChild(inner: usize, index: i32, separator: usize, child: usize, maximum: u64): void {
  insertKey(inner, index, separator);
  const behind = <usize>(countOf(inner) - index - 1);
  const maximumFrom = inner + MAXIMA_AT + ((<usize>(index + 1)) << 3);
  const childFrom = inner + CHILDREN_AT + ((<usize>(index + 1)) << 2);
  memory.copy(maximumFrom + 8, maximumFrom, behind << 3);
  memory.copy(childFrom + 4, childFrom, behind << 2);
  setMaximum(inner, index + 1, maximum);
  setChild(inner, index + 1, child);
}

/** Puts a key and its head at `index` and counts it. */
function insertKey(node: usize, index: i32, key: usize): void {
  const count = countOf(node);
  if (count != 0) shortenPrefix(node, key);
  const behind = <usize>(count - index);
  const headAt = node + HEADS_AT + ((<usize>index) << 3);
  const keyAt = node + KEYS_AT + ((<usize>index) << 2);
  memory.copy(headAt + 8, headAt, behind << 3);
  memory.copy(keyAt + 4, keyAt, behind << 2);
  setKey(node, index, key);
  setCount(node, count + 1);
  // Now and then it pays to look whether the keys that came share more than the first ones did.
  if (((count + 1) & count) == 0) takeHeads(node);
  else setHead(node, index, headOfKey(key, prefixOf(node)));
}

function headOfKey(key: usize, prefix: usize): u64 {
  return head(keyBytes(key) + prefix, keyLength(key) - prefix);
}

/** Makes the prefix of a node with keys one that `key` shares. */
function shortenPrefix(node: usize, key: usize): void {
  const prefix = prefixOf(node);
  if (prefix == 0) return;
  const shared = commonPrefix(keyBytes(keyAt(node, 0)), prefix, keyBytes(key), keyLength(key));
  if (shared < prefix) takeHeadsBehind(node, shared);
}

/** Takes the heads anew, behind the longest prefix that the keys of the node share. */
export function takeHeads(node: usize): void {
  const count = countOf(node);
  if (count == 0) {
    setPrefix(node, 0);
    return;
  }
  const first = keyAt(node, 0);
  const last = keyAt(node, count - 1);
  takeHeadsBehind(node, commonPrefix(keyBytes(first), keyLength(first), keyBytes(last), keyLength(last)));
}

function takeHeadsBehind(node: usize, prefix: usize): void {
  setPrefix(node, prefix);
  const count = countOf(node);
  for (let index = 0; index < count; index++) setHead(node, index, headOfKey(keyAt(node, index), prefix));
}

/** Takes entries out of a leaf: those from `from` up to, not including, `to`. Their keys are not freed. */
export function removeEntries(leaf: usize, from: i32, to: i32): void {
  moveEntries(leaf, to, leaf, from, countOf(leaf) - to);
  setCount(leaf, countOf(leaf) - (to - from));
  if (countOf(leaf) == 0) setPrefix(leaf, 0);
}

/** Copies `count` entries with their heads; the counts are left to the caller. */
export function moveEntries(source: usize, from: i32, target: usize, to: i32, count: i32): void {
  moveKeys(source, from, target, to, count);
  const bytes = (<usize>count) << 3;
  const source8 = source + ((<usize>from) << 3);
  const target8 = target + ((<usize>to) << 3);
  memory.copy(target8 + POINTS_AT, source8 + POINTS_AT, bytes);
  memory.copy(target8 + GAPS_AT, source8 + GAPS_AT, bytes);
}

/** Copies `count` keys with their heads; the counts are left to the caller. */
export function moveKeys(source: usize, from: i32, target: usize, to: i32, count: i32): void {
  const source8 = source + ((<usize>from) << 3);
  const target8 = target + ((<usize>to) << 3);
  memory.copy(target8 + HEADS_AT, source8 + HEADS_AT, (<usize>count) << 3);
  const source4 = source + ((<usize>from) << 2);
  const target4 = target + ((<usize>to) << 2);
  memory.copy(target4 + KEYS_AT, source4 + KEYS_AT, (<usize>count) << 2);
}

/** Copies `count` children with their maxima; the counts are left to the caller. */
export function moveChildren(source: usize, from: i32, target: usize, to: i32, count: i32): void {
  const source8 = source + ((<usize>from) << 3);
  const target8 = target + ((<usize>to) << 3);
  memory.copy(target8 + MAXIMA_AT, source8 + MAXIMA_AT, (<usize>count) << 3);
  const source4 = source + ((<usize>from) << 2);
  const target4 = target + ((<usize>to) << 2);
  memory.copy(target4 + CHILDREN_AT, source4 + CHILDREN_AT, (<usize>count) << 2);
}

/**
 * Takes the children from `from` up to, not including, `to` out of an inner node that keeps at least one,
 * with the separators between them and the one before (behind, if child 0 goes). Nothing is freed.
 */
export function removeChildren(inner: usize, from: i32, to: i32): void {
  const count = countOf(inner);
  moveChildren(inner, to, inner, from, count + 1 - to);
  const firstKey = max(from - 1, 0);
  const lastKey = firstKey + (to - from);
  moveKeys(inner, lastKey, inner, firstKey, count - lastKey);
  setCount(inner, count - (to - from));
  if (countOf(inner) == 0) setPrefix(inner, 0);
}

/** Puts a separator, without a child, behind the last one. Its head is left to `takeHeads`. */
export function appendSeparator(inner: usize, separator: usize): void {
  setKey(inner, countOf(inner), separator);
  setCount(inner, countOf(inner) + 1);
}
