import { commonPrefix, head } from '../bytes';
import { isGraveyardEmpty } from './graveyard';
import { compareKey, keyBytes, keyLength } from './key';
import {
  CAPACITY,
  childAt,
  countOf,
  gapAt,
  headAt,
  highestOf,
  isLeaf,
  keyAt,
  lowGapOf,
  maximumAt,
  pointAt,
  prefixOf,
} from './node';
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
  /** All keys of a node share its prefix. */
  Prefix = 5,
  /** Heads are those of the keys. */
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
}

let floorVersion: u64 = 0;
let latestVersion: u64 = 0;
/** The version with which the leaf before ends. */
let seam: u64 = 0;
let counted: i64 = 0;

/** The first rule found broken. */
export function brokenRule(floor: u64, latest: u64): Rule {
  floorVersion = floor;
  latestVersion = latest;
  counted = 0;
  const broken = check(root(), 0, 0, 0);
  if (broken != Rule.Sound) return broken;
  return isGraveyardEmpty() && counted != entries() ? Rule.Entries : Rule.Sound;
}

/** @param low, high the separators around the node; 0 at the ends of the key space. */
function check(node: usize, depth: i32, low: usize, high: usize): Rule {
  if (isLeaf(node) != (depth == height())) return Rule.Depth;
  if (countOf(node) > CAPACITY) return Rule.Capacity;
  const broken = checkKeys(node, low, high);
  if (broken != Rule.Sound) return broken;
  return isLeaf(node) ? checkLeaf(node, low) : checkInner(node, depth, low, high);
}

function checkKeys(node: usize, low: usize, high: usize): Rule {
  const prefix = prefixOf(node);
  const count = countOf(node);
  for (let index = 0; index < count; index++) {
    const key = keyAt(node, index);
    const bytes = keyBytes(key);
    const length = keyLength(key);
    if (index > 0 && compareKey(keyAt(node, index - 1), bytes, length) >= 0) return Rule.Order;
    if (low != 0 && compareKey(low, bytes, length) > 0) return Rule.Fences;
    if (high != 0 && compareKey(high, bytes, length) <= 0) return Rule.Fences;
    if (commonPrefix(keyBytes(keyAt(node, 0)), prefix, bytes, length) != prefix) return Rule.Prefix;
    if (headAt(node, index) != head(bytes + prefix, length - prefix)) return Rule.Heads;
  }
  return count == 0 && prefix != 0 ? Rule.Prefix : Rule.Sound;
}

function checkLeaf(leaf: usize, low: usize): Rule {
  if (low != 0 && overFloor(lowGapOf(leaf)) != overFloor(seam)) return Rule.Seams;
  if (lowGapOf(leaf) > latestVersion) return Rule.Versions;
  seam = lowGapOf(leaf);
  const count = countOf(leaf);
  counted += count;
  for (let index = 0; index < count; index++) {
    if (pointAt(leaf, index) > latestVersion) return Rule.Versions;
    if (pointAt(leaf, index) < gapAt(leaf, index)) return Rule.Points;
    seam = gapAt(leaf, index);
  }
  return Rule.Sound;
}

function checkInner(inner: usize, depth: i32, low: usize, high: usize): Rule {
  const count = countOf(inner);
  for (let index = 0; index <= count; index++) {
    const child = childAt(inner, index);
    if (overFloor(maximumAt(inner, index)) != overFloor(highestOf(child))) return Rule.Maxima;
    const before = index == 0 ? low : keyAt(inner, index - 1);
    const behind = index == count ? high : keyAt(inner, index);
    const broken = check(child, depth + 1, before, behind);
    if (broken != Rule.Sound) return broken;
  }
  return Rule.Sound;
}

function overFloor(version: u64): u64 {
  return max(version, floorVersion);
}
