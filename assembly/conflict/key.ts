import { giveBlock, takeBlock } from '../memory/blocks';

/**
 * A key that the history keeps: one block.
 *
 *     0  u32  length
 *     4       bytes
 */
const BYTES_AT: usize = 4;

/** @returns the copy of a key, or 0 when there is no room. */
export function storeKey(bytes: usize, length: usize): usize {
  const key = takeBlock(BYTES_AT + length);
  if (key == 0) return 0;
  store<u32>(key, <u32>length);
  memory.copy(key + BYTES_AT, bytes, length);
  return key;
}

export function freeKey(key: usize): void {
  giveBlock(key);
}

export function keyBytes(key: usize): usize {
  return key + BYTES_AT;
}

export function keyLength(key: usize): usize {
  return load<u32>(key);
}
