import { giveAllBlocks } from '../memory/blocks';
import { unsetCommon } from './common';
import { forgetAllHints } from './hints';
import { childAt } from './inner';
import { makeLeaf } from './leaf';
import { countOf, freeNode, isLeaf } from './node';

/** The root. The tree is a B+tree: all leaves at the same depth. */

/** A tree of this height would hold far more than the memory can: growing further is refused. */
export const HEIGHT_MAX: i32 = 24;

let rootNode: usize = 0;
/** Inner nodes above each leaf. */
let treeHeight: i32 = 0;
/** Entries in memory: those of the tree and those of the graveyard. */
let entryCount: i64 = 0;

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

/** Drops everything; the tree is empty, and nothing in it is above `tick`. */
export function clearTree(tick: u32): bool {
  giveAllBlocks();
  entryCount = 0;
  treeHeight = 0;
  rootNode = makeLeaf(tick, 0);
  unsetCommon();
  return rootNode != 0;
}

/** Puts an inner node above the root. */
export function raiseRoot(newRoot: usize): void {
  rootNode = newRoot;
  treeHeight++;
}

/** Takes away roots with a single child; an empty tree has no common prefix. */
export function lowerRoot(): void {
  if (countOf(rootNode) > 0) return;
  forgetAllHints();
  while (!isLeaf(rootNode) && countOf(rootNode) == 0) {
    const child = childAt(rootNode, 0);
    freeNode(rootNode);
    rootNode = child;
    treeHeight--;
  }
  if (isLeaf(rootNode) && countOf(rootNode) == 0) unsetCommon();
}
