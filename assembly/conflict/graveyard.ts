import { childAt } from './inner';
import { freeKey } from './key';
import { countOf, freeNode, isLeaf, keyAt, nextInGraveyard, setNextInGraveyard } from './node';
import { countEntries } from './tree';

/**
 * Subtrees that a range write has cut off. They are freed a node at a time, so that a write over the
 * whole key space does not stop the world.
 */

let first: usize = 0;

export function bury(subtree: usize): void {
  setNextInGraveyard(subtree, first);
  first = subtree;
}

export function isGraveyardEmpty(): bool {
  return first == 0;
}

/** After all blocks were given back. */
export function forgetGraveyard(): void {
  first = 0;
}

/**
 * Frees one node and its stored keys; its children come next.
 * @returns how many stored keys were freed.
 */
export function freeBuriedNode(): i32 {
  const node = first;
  const count = countOf(node);
  first = nextInGraveyard(node);
  let freed = 0;
  for (let index = 0; index < count; index++) {
    const key = keyAt(node, index);
    if (key == 0) continue;
    freeKey(key);
    freed++;
  }
  if (isLeaf(node)) {
    countEntries(-count);
  } else {
    for (let index = 0; index <= count; index++) bury(childAt(node, index));
  }
  freeNode(node);
  return freed;
}
