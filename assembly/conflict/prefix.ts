import { commonPrefix } from '../bytes';
import { Buffer, reserve } from '../memory/buffers';
import { bytesOf, headBehind, headOf, isLong, sharedBytes, storeBytes } from './head';
import { freeKey, keyBytes, keyLength, storeKey } from './key';
import { countOf, headAt, keyAt, prefixOf, setHead, setKey, setPrefix, takePivots } from './node';

/**
 * Keys that are known by their heads are put together again here, and nodes change their prefixes. The bytes
 * of a node's prefix are not stored anywhere in it: they come from a guide, any key that has them.
 */

/** Room for 7 bytes of a prefix and the 8 of a head. */
const scratch: usize = memory.data(32, 16);

let spelled: usize = 0;

/** The length of what `spell` returned. */
export function spelledLength(): usize {
  return spelled;
}

/**
 * The bytes of a key of a node. They stay until the next call or, if its head is long, until it is freed.
 * @returns 0 when there is no room.
 */
export function spell(node: usize, index: i32, guide: usize): usize {
  const key = keyAt(node, index);
  if (key != 0) {
    spelled = keyLength(key);
    return keyBytes(key);
  }
  const head = headAt(node, index);
  const prefix = prefixOf(node);
  spelled = prefix + bytesOf(head);
  const bytes = reserve(Buffer.Spelled, <u64>prefix + 8);
  if (bytes == 0) return 0;
  memory.copy(bytes, guide, prefix);
  storeBytes(head, bytes + prefix);
  return bytes;
}

/** How many bytes a key of a node shares with another one that has its prefix. */
export function sharedWithKey(node: usize, index: i32, key: usize, length: usize): usize {
  const prefix = prefixOf(node);
  const own = headAt(node, index);
  const head = headOf(key + prefix, length - prefix);
  if (own != head) return prefix + sharedBytes(own, head);
  const stored = keyAt(node, index);
  if (stored == 0) return length;
  return commonPrefix(keyBytes(stored), keyLength(stored), key, length);
}

/** How many bytes two neighbours in a node share behind its prefix; for equal heads more than they speak for. */
export function sharedWithNext(node: usize, index: i32): usize {
  const a = headAt(node, index);
  const b = headAt(node, index + 1);
  if (a != b) return sharedBytes(a, b);
  const one = keyAt(node, index);
  const other = keyAt(node, index + 1);
  return commonPrefix(keyBytes(one), keyLength(one), keyBytes(other), keyLength(other)) - prefixOf(node);
}

/** Gives a node a longer prefix, one that all it will ever be asked for have. */
export function lengthenPrefix(node: usize, prefix: usize): void {
  const before = prefixOf(node);
  if (prefix <= before) return;
  setPrefix(node, prefix);
  const count = countOf(node);
  for (let index = 0; index < count; index++) {
    const key = keyAt(node, index);
    if (key == 0) {
      setHead(node, index, headBehind(headAt(node, index), prefix - before));
      continue;
    }
    const head = headOf(keyBytes(key) + prefix, keyLength(key) - prefix);
    setHead(node, index, head);
    if (isLong(head)) continue;
    freeKey(key);
    setKey(node, index, 0);
  }
  takePivots(node, 0);
}

/**
 * Gives a node a prefix of at most `prefix` bytes.
 * @returns false when there is no room for keys whose heads become long: then nothing has changed.
 */
export function shortenPrefix(node: usize, prefix: usize, guide: usize): bool {
  const before = prefixOf(node);
  if (prefix >= before) return true;
  if (!storeLongBehind(node, prefix, guide)) return false;
  const back = before - prefix;
  const count = countOf(node);
  for (let index = 0; index < count; index++) {
    const key = keyAt(node, index);
    if (key != 0) {
      setHead(node, index, headOf(keyBytes(key) + prefix, keyLength(key) - prefix));
      continue;
    }
    const head = headAt(node, index);
    memory.copy(scratch, guide + prefix, back);
    storeBytes(head, scratch + back);
    setHead(node, index, headOf(scratch, back + bytesOf(head)));
  }
  setPrefix(node, prefix);
  takePivots(node, 0);
  return true;
}

/** Stores the keys that have long heads behind a shorter prefix. */
function storeLongBehind(node: usize, prefix: usize, guide: usize): bool {
  const back = prefixOf(node) - prefix;
  const count = countOf(node);
  for (let index = 0; index < count; index++) {
    const head = headAt(node, index);
    if (isLong(head) || back + bytesOf(head) <= 7) continue;
    const bytes = spell(node, index, guide);
    const key = bytes == 0 ? <usize>0 : storeKey(bytes, spelledLength());
    if (key == 0) {
      freeShortKeys(node, index);
      return false;
    }
    setKey(node, index, key);
  }
  return true;
}

/** Frees what was stored for the first `count` keys although their heads are short. */
function freeShortKeys(node: usize, count: i32): void {
  for (let index = 0; index < count; index++) {
    const key = keyAt(node, index);
    if (key == 0 || isLong(headAt(node, index))) continue;
    freeKey(key);
    setKey(node, index, 0);
  }
}
