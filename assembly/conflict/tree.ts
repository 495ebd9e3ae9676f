import { giveAllBlocks } from '../memory/blocks';
import { childAt, countOf, freeNode, isLeaf, makeLeaf, setMaximum } from './node';

/**
 * The root, and the path of the last descent. The tree is a B+tree: all leaves at the same depth.
 */

/** A tree of this height would hold far more than the memory can: growing further is refused. */
export const HEIGHT_MAX: i32 = 24;

let rootNode: usize = 0;
/** Inner nodes above each leaf. */
let treeHeight: i32 = 0;
/** Entries in memory: those of the tree and those of the graveyard. */
let entryCount: i64 = 0;

/** The path: for each level u32 inner node, u32 index of the child taken. */
const path: usize = memory.data(24 * 8, 8);
let pathLength: i32 = 0;

export function root(): usize {
  return rootNode;
}

export function height(): i32 {
  return treeHeight;
}

export function entries(): i64 {
  return entryCount;
}

export function countEntries(more: i64): void {
  entryCount += more;
}

/** Drops everything; the tree is empty, and nothing in it is above `version`. */
export function clearTree(version: u64): bool {
  giveAllBlocks();
  entryCount = 0;
  treeHeight = 0;
  rootNode = makeLeaf(version);
  return rootNode != 0;
}

/** Puts an inner node above the root. */
export function raiseRoot(newRoot: usize): void {
  rootNode = newRoot;
  treeHeight++;
}

/** Takes away roots with a single child. */
export function lowerRoot(): void {
  while (!isLeaf(rootNode) && countOf(rootNode) == 0) {
    const child = childAt(rootNode, 0);
    freeNode(rootNode);
    rootNode = child;
    treeHeight--;
  }
}

export function startPath(): void {
  pathLength = 0;
}

export function pushPath(inner: usize, index: i32): void {
  const step = path + ((<usize>pathLength) << 3);
  store<u32>(step, <u32>inner);
  store<i32>(step, index, 4);
  pathLength++;
}

/** Notes on the whole path that something below was changed at `version`, the newest there is. */
export function raiseMaxima(version: u64): void {
  for (let level = 0; level < pathLength; level++) {
    const step = path + ((<usize>level) << 3);
    setMaximum(load<u32>(step), load<i32>(step, 4), version);
  }
}
