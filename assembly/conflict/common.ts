import { commonPrefix, compare } from '../bytes';
import { Buffer, reserve } from '../memory/buffers';
import { HEAD_ABOVE, HEAD_BELOW, headOf } from './head';
import { prefixOf } from './node';

/**
 * The common prefix: bytes that all keys of the tree share. Nodes at the ends of the key space have a
 * fence on one side at most; the common prefix stands in for the other. A key without it is below or
 * above all keys of the tree, which is its place.
 */

/** No key yet: every key is outside. */
const UNSET: usize = 0xffff_ffff;

let bytes: usize = 0;
let length: usize = UNSET;

/** Where a key is. */
export const PLACE_BELOW: i32 = -1;
export const PLACE_INSIDE: i32 = 0;
export const PLACE_ABOVE: i32 = 1;

export function commonBytes(): usize {
  return bytes;
}

export function commonLength(): usize {
  return length;
}

export function isCommonSet(): bool {
  return length != UNSET;
}

/** When the tree is empty. */
export function unsetCommon(): void {
  length = UNSET;
}

/** For a tree that is empty. Without room for a copy there is just nothing in common. */
export function setCommon(key: usize, keyLength: usize): void {
  bytes = reserve(Buffer.Common, keyLength);
  length = bytes == 0 ? 0 : keyLength;
  if (length != 0) memory.copy(bytes, key, keyLength);
}

/** The nodes at the ends of the key space must have been brought down to it before. */
export function shortenCommon(to: usize): void {
  length = to;
}

/** @inline */
export function placeOf(key: usize, keyLength: usize): i32 {
  if (length <= keyLength) {
    let at: usize = 0;
    let different: u64 = 0;
    for (; at + 8 <= length; at += 8) different |= load<u64>(key + at) ^ load<u64>(bytes + at);
    const rest = (<u64>length & 7) << 3;
    if (rest != 0) different |= (load<u64>(key + at) ^ load<u64>(bytes + at)) << (64 - rest);
    if (different == 0) return PLACE_INSIDE;
  }
  return placeOutside(key, keyLength);
}

function placeOutside(key: usize, keyLength: usize): i32 {
  if (length == UNSET) return PLACE_ABOVE;
  return compare(key, keyLength, bytes, length) < 0 ? PLACE_BELOW : PLACE_ABOVE;
}

/** How much of the common prefix a key has. */
export function sharedWithCommon(key: usize, keyLength: usize): usize {
  return commonPrefix(bytes, length, key, keyLength);
}

/** The head of a key at a node that it leads to. @inline */
export function headAtPlace(node: usize, key: usize, keyLength: usize, place: i32): i64 {
  if (place != PLACE_INSIDE) return place == PLACE_BELOW ? HEAD_BELOW : HEAD_ABOVE;
  const prefix = prefixOf(node);
  return headOf(key + prefix, keyLength - prefix);
}
