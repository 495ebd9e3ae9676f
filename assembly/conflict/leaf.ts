import {
  appendKeys,
  countOf,
  Kind,
  LEAF_CAPACITY,
  makeNode,
  move,
  moveKeys,
  spliceKeys,
  takePivots,
} from './node';
import { above, later } from './tick';

/**
 * A leaf holds entries, up to 63, in key order. They cut what the leaf is in charge of into slots: the keys
 * before the first entry, its own key, the keys between it and the next entry, and so on: entry i has slot
 * 2i + 1. For each slot there is the tick of the version that last changed something in it.
 *
 *      576       slots, 127 x u32
 *     1088       stored keys, 64 x u32
 *
 * A slot between entries is never above that of the entry before it: what changes it begins at an entry and
 * changes that too. The same holds across leaves: what lies before the first entry of a leaf has the tick
 * of the last slot of the leaf before.
 */

const SLOTS_AT: usize = 576;

/** @returns an empty leaf, or 0 when there is no room. */
export function makeLeaf(tick: u32, prefix: usize): usize {
  const leaf = makeNode(Kind.Leaf, prefix);
  if (leaf != 0) setSlot(leaf, 0, tick);
  return leaf;
}

export function slotAt(leaf: usize, slot: i32): u32 {
  return load<u32>(leaf + ((<usize>slot) << 2), SLOTS_AT);
}

export function setSlot(leaf: usize, slot: i32, tick: u32): void {
  store<u32>(leaf + ((<usize>slot) << 2), tick, SLOTS_AT);
}

/** The latest tick of all slots. */
export function latestIn(leaf: usize): u32 {
  let latest = slotAt(leaf, 0);
  for (let index = 0; index < countOf(leaf); index++) latest = later(latest, slotAt(leaf, 2 * index + 1));
  return latest;
}

/** How far the highest of the slots from `first` to `last` is above `base`; 0 when none is. */
export function highestAbove(leaf: usize, first: i32, last: i32, base: u32): i32 {
  let at = leaf + SLOTS_AT + ((<usize>first) << 2);
  const end = leaf + SLOTS_AT + ((<usize>last) << 2) + 4;
  let highest: i32 = 0;
  if (at + 16 <= end) {
    const bases = i32x4.splat(<i32>base);
    let highs = i32x4.splat(0);
    for (; at + 16 <= end; at += 16) highs = i32x4.max_s(highs, i32x4.sub(v128.load(at), bases));
    highs = i32x4.max_s(
      highs,
      i8x16.shuffle(highs, highs, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7),
    );
    highest = max(i32x4.extract_lane(highs, 0), i32x4.extract_lane(highs, 1));
  }
  for (; at < end; at += 4) highest = max(highest, above(load<u32>(at), base));
  return highest;
}

/**
 * Puts `put` entries in the place of those from `from` up to, not including, `to`. Their keys and slots, and
 * the slot behind them, are set by the caller.
 */
export function spliceEntries(leaf: usize, from: i32, to: i32, put: i32): void {
  const behind = countOf(leaf) - to;
  const slots = leaf + SLOTS_AT + 4;
  move(slots + ((<usize>(from + put)) << 3), slots + ((<usize>to) << 3), (<usize>behind) << 3);
  spliceKeys(leaf, from, to, put);
}

/** Copies entries, each with the slot behind it, behind the last one of `target`. */
export function appendEntries(target: usize, source: usize, from: i32, count: i32): void {
  const slots = target + SLOTS_AT + 4 + ((<usize>countOf(target)) << 3);
  memory.copy(slots, source + SLOTS_AT + 4 + ((<usize>from) << 3), (<usize>count) << 3);
  appendKeys(target, source, from, count);
}

/**
 * Takes every tick up to the floor for the floor, and finds the entries that then say nothing which their
 * neighbours before do not say. @returns one bit for each.
 */
export function findOvertaken(leaf: usize, floor: u32): u64 {
  const slots = leaf + SLOTS_AT;
  const count = countOf(leaf);
  const end = slots + ((<usize>count) << 3) + 4;
  const floors = i32x4.splat(<i32>floor);
  const none = i32x4.splat(0);
  for (let at = slots; at < end; at += 16) {
    v128.store(at, i32x4.add(i32x4.max_s(i32x4.sub(v128.load(at), floors), none), floors));
  }
  // Two entries at a time: the slot before and its own are compared with its own and the one behind.
  let found: u64 = 0;
  for (let index = 0, at = slots; index < count; index += 2, at += 16) {
    found |= (<u64>(<u32>i64x2.bitmask(i64x2.eq(v128.load(at), v128.load(at, 4))))) << index;
  }
  return found & (((<u64>1) << count) - 1);
}

/** Removes the entries whose bits are set. Their stored keys must have been freed. */
export function removeEntries(leaf: usize, removed: u64): void {
  const slots = leaf + SLOTS_AT + 4;
  const count = countOf(leaf);
  let to = <i32>ctz(removed);
  for (let from = to; from < count; ) {
    from += <i32>ctz(~(removed >> from));
    const behind = removed >> from;
    const kept = behind == 0 ? count - from : <i32>ctz(behind);
    move(slots + ((<usize>to) << 3), slots + ((<usize>from) << 3), (<usize>kept) << 3);
    moveKeys(leaf, to, from, kept);
    to += kept;
    from += kept;
  }
  spliceKeys(leaf, to, count, 0);
  takePivots(leaf, 0);
}

export function hasRoomFor(leaf: usize, more: i32): bool {
  return countOf(leaf) + more <= LEAF_CAPACITY;
}

/** Reads a little of the block of heads at `leaf` + 64 * block, and of its slots, so that both come into the cache. */
export function touchBlock(at: usize): u32 {
  return load<u32>(at, 64) + load<u32>(at, SLOTS_AT);
}
