import { commonPrefix, compare } from '../bytes';
import { Buffer, reserve } from '../memory/buffers';
import { commonBytes, commonLength, isCommonSet } from './common';
import { isGraveyardEmpty } from './graveyard';
import { bytesOf, HEAD_END, headOf, isLong, storeBytes } from './head';
import { childAt, latestBelow, maximumAt } from './inner';
import { keyBytes, keyLength } from './key';
import { latestIn, slotAt } from './leaf';
import { capacityOf, countOf, HEADS_AT, headAt, isLeaf, keyAt, PIVOTS_AT, prefixOf } from './node';
import { above, later, tickOf } from './tick';
import { entries, height, root } from './tree';

/** Walks the whole tree and checks the rules that it lives by. For tests. */

enum Rule {
  Sound = 0,
  /** All leaves are equally deep. */
  Depth = 1,
  /** No node holds more than it can. */
  Capacity = 2,
  /** Keys of a node ascend. */
  Order = 3,
  /** A node holds only keys that it is in charge of. */
  Fences = 4,
  /** A node's prefix is not longer than what its fences share. */
  Prefix = 5,
  /** Heads are those of the keys, which are stored if and only if their heads are long; behind the last there are none. */
  Heads = 6,
  /** The maximum of a child is that of what is below it, versions up to the floor taken for one. */
  Maxima = 7,
  /** The point of an entry is not below its gap. */
  Points = 8,
  /** A leaf begins with the version with which the leaf before ends, versions up to the floor taken for one. */
  Seams = 9,
  /** No version is above the newest. */
  Versions = 10,
  /** Every entry is counted once, as long as none waits in the graveyard. */
  Entries = 11,
  /** Pivots are those of the heads. */
  Pivots = 12,
  /** None is known to be broken, but there is no room to check them; the twin is in src/core/conflict-set.ts. */
  Unchecked = 13,
}

let floorTick: u32 = 0;
let latestTick: u32 = 0;
/** The tick with which the leaf before ends. */
let seam: u32 = 0;
let counted: i64 = 0;
/** Room for any key of the tree; each level needs it twice. */
let placeBytes: usize = 0;

/** The first rule found broken. */
export function brokenRule(floor: u64, latest: u64): Rule {
  floorTick = tickOf(floor);
  latestTick = tickOf(latest);
  counted = 0;
  placeBytes = longestBelow(root()) + 8;
  const free = reserve(Buffer.Output, <u64>placeBytes * 2 * (height() + 1));
  if (free == 0) return Rule.Unchecked;
  const broken = check(root(), 0, 0, 0, 0, 0, free);
  if (broken != Rule.Sound) return broken;
  return isGraveyardEmpty() && counted != entries() ? Rule.Entries : Rule.Sound;
}

/** The length of the longest key of a node and all that is below it. */
function longestBelow(node: usize): usize {
  let longest: usize = 0;
  const count = countOf(node);
  for (let index = 0; index < count; index++) {
    const key = keyAt(node, index);
    longest = max(longest, key == 0 ? prefixOf(node) + bytesOf(headAt(node, index)) : keyLength(key));
  }
  if (isLeaf(node)) return longest;
  for (let index = 0; index <= count; index++) longest = max(longest, longestBelow(childAt(node, index)));
  return longest;
}

/**
 * @param low, high the fences of the node, 0 at the ends of the key space, and their lengths.
 * @param free where keys can be put together.
 */
function check(
  node: usize,
  depth: i32,
  low: usize,
  lowLength: usize,
  high: usize,
  highLength: usize,
  free: usize,
): Rule {
  if (isLeaf(node) != (depth == height())) return Rule.Depth;
  if (countOf(node) > capacityOf(node)) return Rule.Capacity;
  if (!isPrefixSound(node, low, lowLength, high, highLength)) return Rule.Prefix;
  const broken = checkHeads(node);
  if (broken != Rule.Sound) return broken;
  const guide = low != 0 && high != 0 ? low : commonBytes();
  if (isLeaf(node)) return checkLeaf(node, guide, low, lowLength, high, highLength, free);
  return checkInner(node, depth, guide, low, lowLength, high, highLength, free);
}

function isPrefixSound(node: usize, low: usize, lowLength: usize, high: usize, highLength: usize): bool {
  const prefix = prefixOf(node);
  if (low != 0 && high != 0) return prefix <= commonPrefix(low, lowLength, high, highLength);
  return !isCommonSet() || prefix <= commonLength();
}

function checkHeads(node: usize): Rule {
  const count = countOf(node);
  const prefix = prefixOf(node);
  for (let index = 0; index <= capacityOf(node); index++) {
    const head = headAt(node, index);
    const key = keyAt(node, index);
    if (index >= count ? head != HEAD_END || key != 0 : isLong(head) != (key != 0)) return Rule.Heads;
    if (key != 0 && head != headOf(keyBytes(key) + prefix, keyLength(key) - prefix)) return Rule.Heads;
    if (index > 0 && head < headAt(node, index - 1)) return Rule.Order;
  }
  const blockBytes: usize = isLeaf(node) ? 64 : 128;
  for (let pivot: usize = 0; pivot < 7; pivot++) {
    const last = load<i64>(node + HEADS_AT + (pivot + 1) * blockBytes - 8);
    if (load<i64>(node + PIVOTS_AT + (pivot << 3)) != last) return Rule.Pivots;
  }
  return Rule.Sound;
}

/** The length of the key that `spellAt` returned the place of. */
let spelled: usize = 0;

/** A key of a node: where it is stored, or at `free`, put together with a guide that has the node's prefix. */
function spellAt(node: usize, index: i32, guide: usize, free: usize): usize {
  const key = keyAt(node, index);
  if (key != 0) {
    spelled = keyLength(key);
    return keyBytes(key);
  }
  const prefix = prefixOf(node);
  memory.copy(free, guide, prefix);
  storeBytes(headAt(node, index), free + prefix);
  spelled = prefix + bytesOf(headAt(node, index));
  return free;
}

function checkLeaf(
  leaf: usize,
  guide: usize,
  low: usize,
  lowLength: usize,
  high: usize,
  highLength: usize,
  free: usize,
): Rule {
  if (low != 0 && overFloor(slotAt(leaf, 0)) != overFloor(seam)) return Rule.Seams;
  const count = countOf(leaf);
  counted += count;
  let before: usize = 0;
  let beforeLength: usize = 0;
  for (let index = 0; index < count; index++) {
    const key = spellAt(leaf, index, guide, free);
    const length = spelled;
    if (low != 0 && compare(low, lowLength, key, length) > 0) return Rule.Fences;
    if (high != 0 && compare(high, highLength, key, length) <= 0) return Rule.Fences;
    if (before != 0 && compare(before, beforeLength, key, length) >= 0) return Rule.Order;
    memory.copy(free + placeBytes, key, length);
    before = free + placeBytes;
    beforeLength = length;
    if (above(slotAt(leaf, 2 * index + 2), slotAt(leaf, 2 * index + 1)) > 0) return Rule.Points;
  }
  for (let slot = 0; slot <= 2 * count; slot++) {
    if (above(slotAt(leaf, slot), latestTick) > 0) return Rule.Versions;
  }
  seam = slotAt(leaf, 2 * count);
  return Rule.Sound;
}

function checkInner(
  inner: usize,
  depth: i32,
  guide: usize,
  low: usize,
  lowLength: usize,
  high: usize,
  highLength: usize,
  free: usize,
): Rule {
  const count = countOf(inner);
  let before = low;
  let beforeLength = lowLength;
  for (let index = 0; index <= count; index++) {
    const child = childAt(inner, index);
    const latest = isLeaf(child) ? latestIn(child) : latestBelow(child);
    if (overFloor(maximumAt(inner, index)) != overFloor(latest)) return Rule.Maxima;
    // Two places take turns: one fence is kept while the next one is put together.
    const place = free + <usize>(index & 1) * placeBytes;
    const behind = index == count ? high : spellAt(inner, index, guide, place);
    const behindLength = index == count ? highLength : spelled;
    if (before != 0 && behind != 0 && compare(before, beforeLength, behind, behindLength) >= 0)
      return Rule.Order;
    const broken = check(child, depth + 1, before, beforeLength, behind, behindLength, free + 2 * placeBytes);
    if (broken != Rule.Sound) return broken;
    before = behind;
    beforeLength = behindLength;
  }
  return Rule.Sound;
}

function overFloor(tick: u32): u32 {
  return later(tick, floorTick);
}
