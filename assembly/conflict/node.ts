import { giveBlock, NODE_INNER, NODE_LEAF, takeNodeBlock } from '../memory/blocks';
import { HEAD_END } from './head';

/**
 * Nodes of the tree, and what both kinds have in common. The whole key space is divided among the leaves: a
 * node is in charge of the keys from one fence up to, not including, the next: separators of the nodes
 * above, or the ends of the key space. All keys it is ever asked for share the bytes that its fences share,
 * so these are not compared: this is its prefix. (The prefix may be shorter than that; a node at an
 * end of the key space has the common prefix of the tree.)
 *
 *        0  u16  number of keys
 *        2  u8   kind: 0 = leaf, 1 = inner
 *        3  u8   whether it has, or has had, stored keys: without, they need not be moved about
 *        4  u32  length of the prefix
 *        8       7 pivots (i64): the last head of each block of heads but the last block
 *       64       heads (i64, see head.ts): 8 blocks, of 8 in a leaf and of 16 in an inner node; behind
 *                the last key they are HEAD_END
 *
 * followed by what leaf.ts and inner.ts say, and by one u32 for each key: its stored form (see key.ts) if its
 * head is long, else 0. Blocks begin at multiples of 64, so that a search reads the line at the beginning
 * and the one or two of a block of heads.
 */

export const HEADS_AT: usize = 64;
export const PIVOTS_AT: usize = 8;
const PREFIX_AT: usize = 4;
const KIND_AT: usize = 2;
const STORES_AT: usize = 3;
/** In a node that nobody needs any more. */
const NEXT_AT: usize = 8;

export const LEAF_CAPACITY: i32 = 63;
export const INNER_CAPACITY: i32 = 127;
const LEAF_KEYS_AT: usize = 1088;
const INNER_KEYS_AT: usize = 2112;

export enum Kind {
  Leaf = 0,
  Inner = 1,
}

/** @returns a node without keys, or 0 when there is no room. */
export function makeNode(kind: Kind, prefix: usize): usize {
  const node = takeNodeBlock(kind == Kind.Leaf ? NODE_LEAF : NODE_INNER);
  if (node == 0) return 0;
  store<u64>(node, 0);
  store<u8>(node, <u8>kind, KIND_AT);
  setPrefix(node, prefix);
  const heads = capacityOf(node) + 1;
  for (let index = 0; index < heads; index++) store<i64>(headSlot(node, index), HEAD_END);
  memory.fill(keysAt(node), 0, (<usize>heads) << 2);
  takePivots(node, 0);
  return node;
}

/** Frees the node alone, not what it refers to. */
export function freeNode(node: usize): void {
  giveBlock(node);
}

export function isLeaf(node: usize): bool {
  return load<u8>(node, KIND_AT) == Kind.Leaf;
}

export function capacityOf(node: usize): i32 {
  return isLeaf(node) ? LEAF_CAPACITY : INNER_CAPACITY;
}

export function countOf(node: usize): i32 {
  return <i32>load<u16>(node);
}

export function setCount(node: usize, count: i32): void {
  store<u16>(node, <u16>count);
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

function headSlot(node: usize, index: i32): usize {
  return node + HEADS_AT + ((<usize>index) << 3);
}

export function headAt(node: usize, index: i32): i64 {
  return load<i64>(headSlot(node, index));
}

export function setHead(node: usize, index: i32, head: i64): void {
  store<i64>(headSlot(node, index), head);
}

/** Where the stored forms of the keys are. */
export function keysAt(node: usize): usize {
  return node + (isLeaf(node) ? LEAF_KEYS_AT : INNER_KEYS_AT);
}

/** The stored form of a key, 0 when its head is all there is. */
export function keyAt(node: usize, index: i32): usize {
  if (!storesKeys(node)) return 0;
  return load<u32>(keysAt(node) + ((<usize>index) << 2));
}

export function setKey(node: usize, index: i32, key: usize): void {
  if (key != 0) store<u8>(node, 1, STORES_AT);
  else if (!storesKeys(node)) return;
  store<u32>(keysAt(node) + ((<usize>index) << 2), <u32>key);
}

function storesKeys(node: usize): bool {
  return load<u8>(node, STORES_AT) != 0;
}

/** Brings the pivots up to date from that of the block of `index` on. */
export function takePivots(node: usize, index: i32): void {
  const blockBits: usize = isLeaf(node) ? 3 : 4;
  const blockBytes: usize = (<usize>8) << blockBits;
  let pivot = <usize>index >> blockBits;
  let last = node + HEADS_AT + (pivot + 1) * blockBytes - 8;
  for (; pivot < 7; pivot++, last += blockBytes) {
    store<i64>(node + (pivot << 3), load<i64>(last), PIVOTS_AT);
  }
}

/** Puts `put` keys, to be set by the caller, in the place of those from `from` up to, not including, `to`. */
export function spliceKeys(node: usize, from: i32, to: i32, put: i32): void {
  const count = countOf(node);
  const newCount = count + put - (to - from);
  const behind = (<usize>(count - to)) << 3;
  const heads = node + HEADS_AT;
  move(heads + ((<usize>(from + put)) << 3), heads + ((<usize>to) << 3), behind);
  if (storesKeys(node)) {
    const keys = keysAt(node);
    move(keys + ((<usize>(from + put)) << 2), keys + ((<usize>to) << 2), behind >> 1);
  }
  for (let index = newCount; index < count; index++) {
    setHead(node, index, HEAD_END);
    setKey(node, index, 0);
  }
  setCount(node, newCount);
}

/** Copies keys behind the last one of `target`; the pivots are left to the caller. */
export function appendKeys(target: usize, source: usize, from: i32, count: i32): void {
  const to = countOf(target);
  memory.copy(headSlot(target, to), headSlot(source, from), (<usize>count) << 3);
  if (storesKeys(source)) {
    const keys = keysAt(source) + ((<usize>from) << 2);
    memory.copy(keysAt(target) + ((<usize>to) << 2), keys, (<usize>count) << 2);
    store<u8>(target, 1, STORES_AT);
  }
  setCount(target, to + count);
}

/** Moves keys towards the beginning of their node; what they leave behind is left to the caller. */
export function moveKeys(node: usize, to: i32, from: i32, count: i32): void {
  move(headSlot(node, to), headSlot(node, from), (<usize>count) << 3);
  if (!storesKeys(node)) return;
  const keys = keysAt(node);
  move(keys + ((<usize>to) << 2), keys + ((<usize>from) << 2), (<usize>count) << 2);
}

/** Moves a few bytes, a multiple of 4, to where they may overlap: faster than `memory.copy` for so few. */
export function move(to: usize, from: usize, bytes: usize): void {
  if (to <= from) {
    let at: usize = 0;
    for (; at + 16 <= bytes; at += 16) v128.store(to + at, v128.load(from + at));
    if (bytes & 8) {
      store<u64>(to + at, load<u64>(from + at));
      at += 8;
    }
    if (bytes & 4) store<u32>(to + at, load<u32>(from + at));
  } else {
    let at = bytes;
    for (; at >= 32; at -= 32) {
      const upper = v128.load(from + at - 16);
      const lower = v128.load(from + at - 32);
      v128.store(to + at - 16, upper);
      v128.store(to + at - 32, lower);
    }
    for (; at >= 16; at -= 16) v128.store(to + at - 16, v128.load(from + at - 16));
    if (bytes & 8) {
      store<u64>(to + at - 8, load<u64>(from + at - 8));
      at -= 8;
    }
    if (bytes & 4) store<u32>(to + at - 4, load<u32>(from + at - 4));
  }
}
