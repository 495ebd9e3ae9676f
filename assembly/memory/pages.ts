/**
 * Who owns which Wasm page (64 KiB) of the linear memory. Everything that is not static data is taken
 * from here in runs of whole pages, lowest address first, and given back here; the memory grows when
 * no run fits and never shrinks.
 */

export const PAGE_BITS: usize = 16;
export const PAGE_BYTES: usize = 1 << PAGE_BITS;
/** The address space of Wasm has one page more; without it no address behind the end of anything is 0. */
export const PAGES_MAX: i32 = 65535;

export enum Owner {
  Nobody = 0,
  /** Working memory (see buffers.ts), mostly input and output of the functions that JavaScript calls. */
  Buffers = 1,
  /** The history of the conflict set. */
  History = 2,
}

/** The owner of each page, one byte for each. */
const owners: usize = memory.data(65536, 8);
/** All pages below hold static data. */
export const firstPage: i32 = <i32>((__heap_base + PAGE_BYTES - 1) >> PAGE_BITS);
/** Pages owned by buffers. */
let bufferPages: i32 = 0;
/** No page below is free. */
let searchFrom: i32 = firstPage;

/**
 * Takes `count` consecutive pages.
 * @param pagesMax the memory does not grow beyond this many pages for it.
 * @returns their address, or 0 when there is no room.
 */
export function takePages(count: i32, owner: Owner, pagesMax: i32): usize {
  const size = memory.size();
  let run = 0;
  for (let page = searchFrom; page < size; page++) {
    run = load<u8>(owners + page) == Owner.Nobody ? run + 1 : 0;
    if (run == count) return claim(page + 1 - count, count, owner);
  }
  // What is free at the end of the memory counts too; the rest has to grow behind it.
  if (!growBy(size, count - run, pagesMax)) return 0;
  return claim(size - run, count, owner);
}

export function pagesOfBuffers(): i32 {
  return bufferPages;
}

/** Gives back the `count` pages at `address`, which one owner has taken. */
export function givePages(address: usize, count: i32): void {
  const page = <i32>(address >> PAGE_BITS);
  if (load<u8>(owners + page) == Owner.Buffers) bufferPages -= count;
  memory.fill(owners + page, <u8>Owner.Nobody, count);
  searchFrom = min(searchFrom, page);
}

/** Gives back all pages of `owner`. */
export function giveAllPages(owner: Owner): void {
  const size = memory.size();
  for (let page = firstPage; page < size; page++) {
    if (load<u8>(owners + page) == owner) givePages((<usize>page) << PAGE_BITS, 1);
  }
}

function claim(page: i32, count: i32, owner: Owner): usize {
  memory.fill(owners + page, <u8>owner, count);
  if (owner == Owner.Buffers) bufferPages += count;
  // The first page that is free is the one found, unless a longer run was looked for.
  if (count == 1 || page == searchFrom) searchFrom = page + count;
  return (<usize>page) << PAGE_BITS;
}

/** Grows by at least `count` pages, and by an eighth of the memory (at most 16 MiB) where that is possible. */
function growBy(size: i32, count: i32, pagesMax: i32): bool {
  if (count > pagesMax - size) return false;
  const ahead = min(max(count, min(size >> 3, 256)), pagesMax - size);
  return memory.grow(ahead) >= 0 || memory.grow(count) >= 0;
}
