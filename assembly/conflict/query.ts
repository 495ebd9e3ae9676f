import { accessEnd, accessEndLength, accessKey, accessLength } from './access';
import { headAtPlace, placeOf } from './common';
import { headOf, isLong } from './head';
import { forkOf, headOfHint, isWithinLeaf, leafOf, pathOf } from './hints';
import { childAt, highestMaximumAbove, maximumAt } from './inner';
import { highestAbove, slotAt } from './leaf';
import { countOf, headAt, isLeaf, prefixOf } from './node';
import { indexOf, innerOf } from './path';
import { childIndex, rankOf } from './search';
import { above } from './tick';
import { height } from './tree';

/**
 * When did something that is read last change? Where nothing in a leaf is later than the tick asked for, which
 * is known above it, the leaf is not looked at.
 */

/** How many versions the last change of what an access reads is above `base`, not below the floor; 0 if it is not. @inline */
export function lastChangeAbove(access: usize, hint: usize, base: u32): i32 {
  const end = accessEnd(access);
  if (end != 0 && !isWithinLeaf(hint)) return lastChangeBetween(access, hint, base);
  const levels = height();
  if (levels > 0) {
    const parent = innerOf(pathOf(hint), levels - 1);
    if (above(maximumAt(parent, indexOf(pathOf(hint), levels - 1)), base) <= 0) return 0;
  }
  const leaf = leafOf(hint);
  const key = accessKey(access);
  const length = accessLength(access);
  const slot = rankOf(leaf, headOfHint(hint), key, length);
  if (end == 0) return max(0, above(slotAt(leaf, slot), base));
  return highestAbove(leaf, slot, 2 * indexBefore(leaf, slot, end, accessEndLength(access)), base);
}

/** The number of entries of a leaf before the end of a range whose beginning is in `slot`, mostly few behind it. @inline */
export function indexBefore(leaf: usize, slot: i32, end: usize, endLength: usize): i32 {
  const prefix = prefixOf(leaf);
  const head = headOf(end + prefix, endLength - prefix);
  const next = (slot + 1) >> 1;
  const found = headAt(leaf, next);
  if (found > head || (found == head && !isLong(head))) return next;
  return rankOf(leaf, head, end, endLength) >> 1;
}

/** The same for a range that may reach over many leaves. */
function lastChangeBetween(access: usize, hint: usize, base: u32): i32 {
  const path = pathOf(hint);
  const end = accessEnd(access);
  const length = accessEndLength(access);
  const place = placeOf(end, length);
  const levels = height();
  for (let level = forkOf(hint); level < levels; level++) {
    const node = innerOf(path, level);
    const first = indexOf(path, level);
    const last = childIndex(node, headAtPlace(node, end, length, place), end, length);
    if (first != last) {
      let highest = highestMaximumAbove(node, first + 1, last, base);
      if (above(maximumAt(node, first), base) > highest) {
        highest = max(highest, highestFrom(access, hint, level + 1, base));
      }
      if (above(maximumAt(node, last), base) > highest) {
        highest = max(highest, highestBefore(childAt(node, last), end, length, place, base));
      }
      return highest;
    }
    if (above(maximumAt(node, first), base) <= 0) return 0;
  }
  const leaf = leafOf(hint);
  const from = rankOf(leaf, headOfHint(hint), accessKey(access), accessLength(access));
  const to = rankOf(leaf, headAtPlace(leaf, end, length, place), end, length);
  return highestAbove(leaf, from, to & ~1, base);
}

/** What lies behind the beginning of the access, in the node at `level` of the path to it. */
function highestFrom(access: usize, hint: usize, level: i32, base: u32): i32 {
  const levels = height();
  let highest = 0;
  for (; level < levels; level++) {
    const node = innerOf(pathOf(hint), level);
    const index = indexOf(pathOf(hint), level);
    highest = max(highest, highestMaximumAbove(node, index + 1, countOf(node) + 1, base));
    if (above(maximumAt(node, index), base) <= highest) return highest;
  }
  const leaf = leafOf(hint);
  const from = rankOf(leaf, headOfHint(hint), accessKey(access), accessLength(access));
  return max(highest, highestAbove(leaf, from, 2 * countOf(leaf), base));
}

/** The part of a node from the beginning of what it is in charge of up to, not including, `end`. */
function highestBefore(node: usize, end: usize, length: usize, place: i32, base: u32): i32 {
  let highest = 0;
  while (!isLeaf(node)) {
    const index = childIndex(node, headAtPlace(node, end, length, place), end, length);
    highest = max(highest, highestMaximumAbove(node, 0, index, base));
    if (above(maximumAt(node, index), base) <= highest) return highest;
    node = childAt(node, index);
  }
  const to = rankOf(node, headAtPlace(node, end, length, place), end, length);
  return max(highest, highestAbove(node, 0, to & ~1, base));
}
