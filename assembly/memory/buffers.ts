import { givePages, Owner, PAGE_BITS, PAGE_BYTES, PAGES_MAX, takePages } from './pages';

/**
 * Working memory, mostly for what comes in and goes out; what it holds is not needed for long. Each buffer is
 * one run of pages that is reused, grows when needed and is given back when it has become far too large.
 */
export enum Buffer {
  /** What JavaScript hands in. */
  Input = 0,
  /** Bytes that go out: records or text. */
  Output = 1,
  /** Tables that go out beside them. */
  Table = 2,
  /** Conflicts of a batch. */
  Conflicts = 3,
  /** Stays inside, from one call to the next: the key at which the sweep of the conflict set goes on. */
  Cursor = 4,
  /** Stays inside: what all keys of the conflict set have in common. */
  Common = 5,
  /** A key of the conflict set that is put together. */
  Spelled = 6,
  /** What a batch asks for, as tables. */
  Plan = 7,
  /** One byte for each transaction of a batch. */
  Verdicts = 8,
  /** A fence of nodes of the conflict set while they are joined. */
  Fence = 9,
}

/** For each buffer: u32 address, u32 pages. */
const slots: usize = memory.data(10 * 8, 8);
/** Bytes behind the end of a buffer that may be read or written, so that loops can work in blocks of 16. */
const SLACK: u64 = 16;
const BYTES_MAX: u64 = 0x7fff_ffff;
/** A buffer above this size is exchanged for a smaller one when an eighth of it would do. */
const KEEP_PAGES: i32 = 64;

/**
 * Room for `bytes` bytes and 16 more. What the buffer held is lost.
 * @returns the address, or 0 when there is no room.
 */
export function reserve(buffer: Buffer, bytes: u64): usize {
  if (bytes > BYTES_MAX) return 0;
  const slot = slots + ((<usize>buffer) << 3);
  const pages = load<i32>(slot, 4);
  const wanted = <i32>((bytes + SLACK + PAGE_BYTES - 1) >> PAGE_BITS);
  if (wanted <= pages && (pages <= KEEP_PAGES || wanted > pages >> 3)) return load<u32>(slot);
  if (pages > 0) givePages(load<u32>(slot), pages);
  let taken = wanted + (wanted >> 2);
  let address = takePages(taken, Owner.Buffers, PAGES_MAX);
  if (address == 0) {
    taken = wanted;
    address = takePages(taken, Owner.Buffers, PAGES_MAX);
  }
  store<u32>(slot, address);
  store<u32>(slot, address == 0 ? 0 : taken, 4);
  return address;
}

/** Where the functions that JavaScript calls leave their small results; each documents its own layout. */
export const resultBlock: usize = memory.data(64, 8);

export function setResult(index: i32, value: usize): void {
  store<u32>(resultBlock + ((<usize>index) << 2), value);
}
