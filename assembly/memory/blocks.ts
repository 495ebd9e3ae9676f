import {
  firstPage,
  giveAllPages,
  givePages,
  Owner,
  PAGE_BITS,
  PAGE_BYTES,
  PAGES_MAX,
  pagesOfBuffers,
  takePages,
} from './pages';

/**
 * Memory of the history, in blocks. Bounded: what does not fit is refused, and nothing has changed.
 *
 * A block of up to 28 KiB lies in a slab: one page that holds blocks of one size. A slab whose blocks
 * are all free is given back, so that other sizes can use the page. Longer blocks have pages of their
 * own.
 *
 *     slab   0  u32  size class
 *            4  u32  free blocks
 *            8  u32  blocks
 *           12  u32  bytes of a block
 *           16  u32  next slab of the class that has a free block; 0 = none
 *           20  u32  the one before; 0 = none
 *           24  u32  no free block starts below this word of the map
 *           64       map, one bit for each 8 bytes of the page: a free block starts there
 *         1088       blocks
 *
 *     pages  0  u32  LARGE
 *            4  u32  number of pages
 *           16       the block
 *
 * Neither reaches the last 8 bytes of its page, so that a block may be read beyond its end.
 */

const MAP_AT: usize = 64;
const BLOCKS_AT: usize = 1088;
const SLACK: usize = 8;
const LARGE: u32 = 0xffff_ffff;
const LARGE_AT: usize = 16;

/** Classes 0 to 15 are the multiples of 8 up to 128; then four to each doubling, up to 28 KiB. */
const SMALL_CLASSES: i32 = 16;
const SLAB_BYTES_MAX: usize = 28 * 1024;
/** Nodes of the conflict set have classes of their own, of exactly their sizes, multiples of 64. */
export const NODE_LEAF: i32 = 62;
export const NODE_INNER: i32 = 63;
const LEAF_BYTES: usize = 1344;
const INNER_BYTES: usize = 2624;
const CLASSES: i32 = 64;

/** For each class the first slab that has a free block; 0 = none. */
const slabsWithRoom: usize = memory.data(64 * 4, 8);

let pagesMax: i32 = 0;
let pages: i32 = 0;
/** Slabs that hold nothing: see `giveEmptySlabs`. */
let emptySlabs: i32 = 0;
/** Bytes of the blocks that are in use. */
let used: u64 = 0;
/**
 * The linear memory does not grow beyond this many pages for the history, not counting those of buffers:
 * what is decided must not depend on how large the batches are. (Where the buffers lie can still make a
 * difference for a run of pages when there are only small gaps.)
 */
let spanMax: i32 = 0;
/** Pages that the history leaves to buffers, whatever it needs. */
const PAGES_LEFT_TO_BUFFERS: i32 = 4096;

/** Sets the bound. The linear memory may grow half as much again, for runs of pages that find no gap. */
export function setBlocksBound(bytesMax: u64): void {
  pagesMax = <i32>(bytesMax >> PAGE_BITS);
  spanMax = firstPage + pagesMax + (pagesMax >> 1) + 64;
}

/** Bytes of the pages that the history holds. */
export function heldBytes(): u64 {
  return (<u64>pages) << PAGE_BITS;
}

export function heldBytesMax(): u64 {
  return (<u64>pagesMax) << PAGE_BITS;
}

/** The same without the slabs that hold nothing, whose pages can be used for anything. */
export function occupiedBytes(): u64 {
  return (<u64>(pages - emptySlabs)) << PAGE_BITS;
}

/** Bytes of the blocks that are in use; the rest of what is held waits to be used again. */
export function usedBytes(): u64 {
  return used;
}

/** @returns a block of at least `bytes` bytes, a multiple of 8, or 0 when there is no room. */
export function takeBlock(bytes: usize): usize {
  if (bytes > SLAB_BYTES_MAX) return takeLarge(bytes);
  return takeOfClass(classOf(bytes));
}

/** @returns a block for a node: NODE_LEAF or NODE_INNER; it begins at a multiple of 64. 0 when there is no room. */
export function takeNodeBlock(sizeClass: i32): usize {
  return takeOfClass(sizeClass);
}

function takeOfClass(sizeClass: i32): usize {
  let slab = <usize>load<u32>(slabsWithRoom + ((<usize>sizeClass) << 2));
  if (slab == 0) {
    slab = makeSlab(sizeClass);
    if (slab == 0) return 0;
  }
  return takeFrom(slab);
}

/** Gives a block back. */
export function giveBlock(block: usize): void {
  const page = block & ~(PAGE_BYTES - 1);
  if (load<u32>(page) == LARGE) {
    const count = load<i32>(page, 4);
    used -= (<u64>count) << PAGE_BITS;
    giveHistoryPages(page, count);
    return;
  }
  used -= load<u32>(page, 12);
  const bit = (block & (PAGE_BYTES - 1)) >> 3;
  const word = page + MAP_AT + ((bit >> 6) << 3);
  store<u64>(word, load<u64>(word) | ((<u64>1) << (bit & 63)));
  store<u32>(page, min(load<u32>(page, 24), <u32>(bit >> 6)), 24);
  const free = load<u32>(page, 4) + 1;
  store<u32>(page, free, 4);
  if (free == 1) link(page);
  if (free != load<u32>(page, 8)) return;
  emptySlabs++;
  if (!isOnlyWithRoom(page)) giveEmptySlab(page);
}

/** Whether much is occupied, a good part of it by slabs with room, which other sizes cannot use. */
export function isScattered(): bool {
  const occupied = occupiedBytes();
  return occupied >= heldBytesMax() - (heldBytesMax() >> 2) && used < occupied - occupied / 5;
}

/**
 * Moves a block out of a slab that is mostly free, if another one of its class has room.
 * @returns where it is now.
 */
export function settleBlock(block: usize): usize {
  const slab = block & ~(PAGE_BYTES - 1);
  if (load<u32>(slab) == LARGE || load<u32>(slab, 4) < load<u32>(slab, 8) >> 1) return block;
  // Always into the first one, never out of it: so it fills up, and those behind it become empty.
  const target = <usize>load<u32>(slabsWithRoom + ((<usize>load<u32>(slab)) << 2));
  if (target == slab) return block;
  const moved = takeFrom(target);
  memory.copy(moved, block, load<u32>(slab, 12));
  giveBlock(block);
  return moved;
}

/** Gives all blocks back at once. */
export function giveAllBlocks(): void {
  giveAllPages(Owner.History);
  memory.fill(slabsWithRoom, 0, CLASSES << 2);
  pages = 0;
  emptySlabs = 0;
  used = 0;
}

function classOf(bytes: usize): i32 {
  if (bytes <= 128) return max((<i32>bytes + 7) >> 3, 1) - 1;
  const doubling = 31 - <i32>clz<u32>(<u32>bytes - 1);
  const quarter = <i32>((bytes - 1) >> (<usize>doubling - 2)) & 3;
  return SMALL_CLASSES + ((doubling - 7) << 2) + quarter;
}

function blockBytesOf(sizeClass: i32): usize {
  if (sizeClass == NODE_LEAF) return LEAF_BYTES;
  if (sizeClass == NODE_INNER) return INNER_BYTES;
  if (sizeClass < SMALL_CLASSES) return (<usize>(sizeClass + 1)) << 3;
  const doubling = 7 + ((sizeClass - SMALL_CLASSES) >> 2);
  const quarter = (sizeClass - SMALL_CLASSES) & 3;
  return (<usize>(5 + quarter)) << (<usize>doubling - 2);
}

function makeSlab(sizeClass: i32): usize {
  const slab = takeHistoryPages(1);
  if (slab == 0) return 0;
  const bytes = blockBytesOf(sizeClass);
  const count = (PAGE_BYTES - SLACK - BLOCKS_AT) / bytes;
  memory.fill(slab, 0, BLOCKS_AT);
  store<u32>(slab, sizeClass);
  store<u32>(slab, count, 4);
  store<u32>(slab, count, 8);
  store<u32>(slab, bytes, 12);
  for (let index: usize = 0, at = BLOCKS_AT; index < count; index++, at += bytes) {
    const bit = at >> 3;
    const word = slab + MAP_AT + ((bit >> 6) << 3);
    store<u64>(word, load<u64>(word) | ((<u64>1) << (bit & 63)));
  }
  link(slab);
  emptySlabs++;
  return slab;
}

function takeFrom(slab: usize): usize {
  let index = <usize>load<u32>(slab, 24);
  let word = slab + MAP_AT + (index << 3);
  while (load<u64>(word) == 0) {
    index++;
    word += 8;
  }
  const bits = load<u64>(word);
  store<u64>(word, bits & (bits - 1));
  store<u32>(slab, <u32>index, 24);
  const free = load<u32>(slab, 4) - 1;
  if (free + 1 == load<u32>(slab, 8)) emptySlabs--;
  store<u32>(slab, free, 4);
  if (free == 0) unlink(slab);
  used += load<u32>(slab, 12);
  return slab + (((index << 6) + <usize>ctz<u64>(bits)) << 3);
}

function takeLarge(bytes: usize): usize {
  const count = <i32>((bytes + LARGE_AT + SLACK + PAGE_BYTES - 1) >> PAGE_BITS);
  const page = takeHistoryPages(count);
  if (page == 0) return 0;
  store<u32>(page, LARGE);
  store<i32>(page, count, 4);
  used += (<u64>count) << PAGE_BITS;
  return page + LARGE_AT;
}

function takeHistoryPages(count: i32): usize {
  if (pages + count > pagesMax) giveEmptySlabs();
  if (pages + count > pagesMax) return 0;
  const sizeMax = min(spanMax + pagesOfBuffers(), PAGES_MAX - PAGES_LEFT_TO_BUFFERS);
  let address = takePages(count, Owner.History, sizeMax);
  if (address == 0) {
    giveEmptySlabs();
    address = takePages(count, Owner.History, sizeMax);
  }
  if (address != 0) pages += count;
  return address;
}

function giveHistoryPages(address: usize, count: i32): void {
  givePages(address, count);
  pages -= count;
}

/**
 * An empty slab is kept when no other of its class has room, and may later be anywhere among those that
 * have; when memory is short all are given back.
 */
function giveEmptySlabs(): void {
  for (let sizeClass = 0; sizeClass < CLASSES && emptySlabs > 0; sizeClass++) {
    let slab = <usize>load<u32>(slabsWithRoom + ((<usize>sizeClass) << 2));
    while (slab != 0) {
      const next = <usize>load<u32>(slab, 16);
      if (load<u32>(slab, 4) == load<u32>(slab, 8)) giveEmptySlab(slab);
      slab = next;
    }
  }
}

function giveEmptySlab(slab: usize): void {
  unlink(slab);
  giveHistoryPages(slab, 1);
  emptySlabs--;
}

function isOnlyWithRoom(slab: usize): bool {
  return load<u32>(slab, 16) == 0 && load<u32>(slab, 20) == 0;
}

function link(slab: usize): void {
  const first = slabsWithRoom + ((<usize>load<u32>(slab)) << 2);
  const next = <usize>load<u32>(first);
  store<u32>(slab, next, 16);
  store<u32>(slab, 0, 20);
  if (next != 0) store<u32>(next, slab, 20);
  store<u32>(first, slab);
}

function unlink(slab: usize): void {
  const next = <usize>load<u32>(slab, 16);
  const previous = <usize>load<u32>(slab, 20);
  if (next != 0) store<u32>(next, previous, 20);
  if (previous != 0) store<u32>(previous, next, 16);
  else store<u32>(slabsWithRoom + ((<usize>load<u32>(slab)) << 2), next);
}
