import { settleBlock } from '../memory/blocks';
import { childAt, setChild } from './inner';
import { countOf, keyAt, setKey } from './node';

/**
 * Moves what is still needed out of slabs that are mostly free, so that their pages can be given back: keys
 * that are written over and over would else hold the pages of all that were once stored beside them. Part
 * of the sweep when blocks are scattered. Every key and every node but the root has exactly one referrer.
 */

/** All keys of a leaf. */
export function settleKeys(leaf: usize): void {
  const count = countOf(leaf);
  for (let index = 0; index < count; index++) settleKey(leaf, index);
}

/** Child `index` of an inner node, and the separator behind it. */
export function settleChild(inner: usize, index: i32): void {
  setChild(inner, index, settleBlock(childAt(inner, index)));
  if (index < countOf(inner)) settleKey(inner, index);
}

function settleKey(node: usize, index: i32): void {
  const key = keyAt(node, index);
  if (key != 0) setKey(node, index, settleBlock(key));
}
