import { ACCESS_BYTES, accessEnd, accessEndLength, accessKey, accessLength } from './access';
import { headAtPlace, PLACE_INSIDE, placeOf } from './common';
import { headOf } from './head';
import { childAt } from './inner';
import { touchBlock } from './leaf';
import { headAt, prefixOf } from './node';
import { innerOf, setStep } from './path';
import { blockOf, childIndex } from './search';
import { height, root } from './tree';

/**
 * Where the keys of the next accesses are. They are looked up 16 at a time, one level of the tree for all of
 * them and then the next, so that the processor waits for memory for many at once. A hint stays true until
 * something changes above its leaf; then it is forgotten and made anew when it is needed.
 *
 *      0  u32  leaf; 0 = forgotten
 *      4  u32  the level from which on the end of the range may be in the charge of another child, or NO_FORK
 *      8  i32  place of the key (see common.ts)
 *     12  u32  the leaf, plus 64 for each block of heads before the one that is searched
 *     16  i64  head of the key in the leaf (see head.ts)
 *     24       path (see path.ts)
 */

const GROUP: usize = 16;
/** Both ends of a range are in the charge of one leaf. */
const NO_FORK: i32 = 255;
const HINT_BITS: usize = 8;
const HINT_BYTES: usize = 1 << HINT_BITS;
const FORK_AT: usize = 4;
const PLACE_AT: usize = 8;
const TOUCH_AT: usize = 12;
const HEAD_AT: usize = 16;
const PATH_AT: usize = 24;

const hints: usize = memory.data(16 << 8, 64);

/** Where the accesses of the batch end. */
let accessesEnd: usize = 0;
/** The accesses that have hints. */
let groupFrom: usize = 0;
let groupEnd: usize = 0;
/** Takes what was read only to touch memory, so that it is not optimized away. */
const touched: usize = memory.data(4, 4);

/** From now on hints are made for the accesses of this batch. */
export function startHints(from: usize, end: usize): void {
  accessesEnd = end;
  groupFrom = from;
  groupEnd = from;
}

/** The hint of an access; accesses are asked for in order, some may be left out. @inline */
export function hintOf(access: usize): usize {
  if (access >= groupEnd) locateGroup(access);
  const hint = hints + (((access - groupFrom) / ACCESS_BYTES) << HINT_BITS);
  if (load<u32>(hint) == 0) locateAgain(hint, access);
  return hint;
}

export function leafOf(hint: usize): usize {
  return load<u32>(hint);
}

/** Whether the whole range of the access is in the charge of the leaf. */
export function isWithinLeaf(hint: usize): bool {
  return forkOf(hint) == NO_FORK;
}

/** Above this level both ends of the range are in the charge of the same child. */
export function forkOf(hint: usize): i32 {
  return load<i32>(hint, FORK_AT);
}

/** Where the key of the access lies, see common.ts. */
export function placeIn(hint: usize): i32 {
  return load<i32>(hint, PLACE_AT);
}

/** The head of the key in the leaf. */
export function headOfHint(hint: usize): i64 {
  return load<i64>(hint, HEAD_AT);
}

export function pathOf(hint: usize): usize {
  return hint + PATH_AT;
}

/** When the root, the height or the common prefix changes, or much at once. */
export function forgetAllHints(): void {
  for (let index: usize = 0; index < GROUP; index++) store<u32>(hints + (index << HINT_BITS), 0);
}

/** When the children of an inner node change. */
export function forgetHintsThrough(inner: usize): void {
  const levels = height();
  for (let index: usize = 0; index < GROUP; index++) {
    const hint = hints + (index << HINT_BITS);
    for (let level = 0; level < levels; level++) {
      if (innerOf(pathOf(hint), level) == inner) store<u32>(hint, 0);
    }
  }
}

function locateGroup(from: usize): void {
  groupFrom = from;
  groupEnd = min(from + GROUP * ACCESS_BYTES, accessesEnd);
  const end = hints + (((groupEnd - from) / ACCESS_BYTES) << HINT_BITS);
  for (let hint = hints, access = from; hint < end; hint += HINT_BYTES, access += ACCESS_BYTES) {
    startHint(hint, access);
  }
  const levels = height();
  for (let level = 0; level < levels; level++) {
    for (let hint = hints, access = from; hint < end; hint += HINT_BYTES, access += ACCESS_BYTES) {
      descend(hint, access, level);
    }
    touchNodes(end);
  }
  for (let hint = hints, access = from; hint < end; hint += HINT_BYTES, access += ACCESS_BYTES) {
    takeHead(hint, access);
    store<u32>(hint, <u32>(leafOf(hint) + (blockOf(leafOf(hint), headOfHint(hint)) << 6)), TOUCH_AT);
  }
  touchBlocks(end);
}

/** In a loop of its own that does nothing else, so that the processor asks for all of them at once. */
function touchNodes(end: usize): void {
  let sum: u32 = 0;
  for (let hint = hints; hint < end; hint += HINT_BYTES) sum += load<u32>(leafOf(hint));
  store<u32>(touched, sum);
}

function touchBlocks(end: usize): void {
  let sum: u32 = 0;
  for (let hint = hints; hint < end; hint += HINT_BYTES) sum += touchBlock(load<u32>(hint, TOUCH_AT));
  store<u32>(touched, sum);
}

function locateAgain(hint: usize, access: usize): void {
  startHint(hint, access);
  const levels = height();
  for (let level = 0; level < levels; level++) descend(hint, access, level);
  takeHead(hint, access);
}

/** @inline */
function takeHead(hint: usize, access: usize): void {
  const head = headAtPlace(leafOf(hint), accessKey(access), accessLength(access), placeIn(hint));
  store<i64>(hint, head, HEAD_AT);
}

/** @inline */
function startHint(hint: usize, access: usize): void {
  const place = placeOf(accessKey(access), accessLength(access));
  const end = accessEnd(access);
  const within = place == PLACE_INSIDE && (end == 0 || placeOf(end, accessEndLength(access)) == PLACE_INSIDE);
  store<u32>(hint, <u32>root());
  store<i32>(hint, within ? NO_FORK : 0, FORK_AT);
  store<i32>(hint, place, PLACE_AT);
}

/** One level down. @inline */
function descend(hint: usize, access: usize, level: i32): void {
  const node = leafOf(hint);
  const key = accessKey(access);
  const length = accessLength(access);
  const head = headAtPlace(node, key, length, placeIn(hint));
  const index = childIndex(node, head, key, length);
  const end = accessEnd(access);
  if (end != 0 && isWithinLeaf(hint)) {
    const prefix = prefixOf(node);
    // For the end itself, or one that is hard to tell from the separator, it does not matter.
    if (headAt(node, index) <= headOf(end + prefix, accessEndLength(access) - prefix)) {
      store<i32>(hint, level, FORK_AT);
    }
  }
  const child = childAt(node, index);
  setStep(pathOf(hint), level, node, index);
  store<u32>(hint, <u32>child);
}
