import { accessEnd, accessEndLength, accessKey, accessLength } from './access';
import { admitKey, admitRange } from './admit';
import { PLACE_INSIDE } from './common';
import { cover } from './cover';
import { isLong } from './head';
import { headOfHint, isWithinLeaf, leafOf, pathOf, placeIn } from './hints';
import { ensuredIndex, ensuredLeaf, ensureEntry, insertEntry } from './insert';
import { freeKey, storeKey } from './key';
import { hasRoomFor, setSlot, slotAt, spliceEntries } from './leaf';
import { headAt, keyAt, setHead, setKey, takePivots } from './node';
import { makeRoomInLeaf } from './overtaken';
import { ownPath, raiseMaxima } from './path';
import { indexBefore } from './query';
import { headIn, rankOf } from './search';
import { countEntries, height } from './tree';

/**
 * Changes of keys and ranges at a tick that no other in the tree is above. Mostly a leaf has room for the entries
 * that a change needs. Otherwise they are first made, which may fail but changes nothing that the tree says;
 * what follows cannot fail.
 */

/** @returns false when there is no room in memory: then nothing has changed. */
export function writeAccess(access: usize, hint: usize, tick: u32): bool {
  const end = accessEnd(access);
  const leaf = leafOf(hint);
  const fits = placeIn(hint) == PLACE_INSIDE && (hasRoomFor(leaf, 2) || makeRoomInLeaf(leaf));
  if (end == 0) return fits ? changeInLeaf(access, hint, tick) : writePoint(access, tick);
  return fits && isWithinLeaf(hint) ? coverInLeaf(access, hint, tick) : writeRange(access, tick);
}

function changeInLeaf(access: usize, hint: usize, tick: u32): bool {
  const leaf = leafOf(hint);
  const key = accessKey(access);
  const length = accessLength(access);
  const head = headOfHint(hint);
  const rank = rankOf(leaf, head, key, length);
  if (rank & 1) setSlot(leaf, rank, tick);
  else if (!insertEntry(leaf, rank >> 1, head, key, length, tick)) return false;
  raiseMaxima(pathOf(hint), height(), tick);
  return true;
}

/** A range inside one leaf, with room for both of its ends: what lies between gives way to them. */
function coverInLeaf(access: usize, hint: usize, tick: u32): bool {
  const leaf = leafOf(hint);
  const begin = accessKey(access);
  const beginLength = accessLength(access);
  const end = accessEnd(access);
  const endLength = accessEndLength(access);
  const beginHead = headOfHint(hint);
  const endHead = headIn(leaf, end, endLength);
  const first = rankOf(leaf, beginHead, begin, beginLength);
  const from = first >> 1;
  const behind = indexBefore(leaf, first, end, endLength);
  const last = rankAt(leaf, behind, endHead, end, endLength);
  const to = (last + 1) >> 1;

  const beginKey = first & 1 ? keyAt(leaf, from) : isLong(beginHead) ? storeKey(begin, beginLength) : 0;
  if (beginKey == 0 && isLong(beginHead)) return false;
  const endKey = last & 1 ? keyAt(leaf, behind) : isLong(endHead) ? storeKey(end, endLength) : 0;
  if (endKey == 0 && isLong(endHead)) {
    if ((first & 1) == 0 && beginKey != 0) freeKey(beginKey);
    return false;
  }
  for (let index = (first + 1) >> 1; index < behind; index++) {
    const key = keyAt(leaf, index);
    if (key != 0) freeKey(key);
  }
  const endTick = slotAt(leaf, last);
  const behindTick = slotAt(leaf, (last & ~1) + ((last & 1) << 1));
  spliceEntries(leaf, from, to, 2);
  setHead(leaf, from, beginHead);
  setKey(leaf, from, beginKey);
  setHead(leaf, from + 1, endHead);
  setKey(leaf, from + 1, endKey);
  takePivots(leaf, from);
  const slot = 2 * from;
  setSlot(leaf, slot + 1, tick);
  setSlot(leaf, slot + 2, tick);
  setSlot(leaf, slot + 3, endTick);
  setSlot(leaf, slot + 4, behindTick);
  countEntries(2 - (to - from));
  raiseMaxima(pathOf(hint), height(), tick);
  return true;
}

/** The rank of a key of which it is known how many entries are before it. */
function rankAt(leaf: usize, index: i32, head: i64, key: usize, length: usize): i32 {
  return isLong(head) ? rankOf(leaf, head, key, length) : 2 * index + <i32>(headAt(leaf, index) == head);
}

function writePoint(access: usize, tick: u32): bool {
  const key = accessKey(access);
  const length = accessLength(access);
  if (!admitKey(key, length) || !ensureEntry(key, length)) return false;
  setSlot(ensuredLeaf(), 2 * ensuredIndex() + 1, tick);
  raiseMaxima(ownPath, height(), tick);
  return true;
}

function writeRange(access: usize, tick: u32): bool {
  const begin = accessKey(access);
  const beginLength = accessLength(access);
  const end = accessEnd(access);
  const endLength = accessEndLength(access);
  return (
    admitRange(begin, beginLength, end, endLength) &&
    ensureEntry(end, endLength) &&
    ensureEntry(begin, beginLength) &&
    cover(begin, beginLength, end, endLength, tick)
  );
}
