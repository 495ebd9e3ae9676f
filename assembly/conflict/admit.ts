import { commonPrefix } from '../bytes';
import {
  commonBytes,
  commonLength,
  isCommonSet,
  PLACE_INSIDE,
  placeOf,
  setCommon,
  sharedWithCommon,
  shortenCommon,
} from './common';
import { forgetAllHints } from './hints';
import { childAt } from './inner';
import { countOf, isLeaf, setPrefix } from './node';
import { shortenPrefix } from './prefix';
import { root } from './tree';

/**
 * Makes the common prefix one that a key has, which is about to come into the tree. @returns false when there is
 * no room in memory: then nothing has changed.
 */
export function admitKey(key: usize, length: usize): bool {
  if (!isCommonSet()) return start(key, length);
  if (placeOf(key, length) == PLACE_INSIDE) return true;
  const shared = sharedWithCommon(key, length);
  if (!shortenEnds(shared)) return false;
  shortenCommon(shared);
  forgetAllHints();
  return true;
}

/** The same for both ends of a range. */
export function admitRange(begin: usize, beginLength: usize, end: usize, endLength: usize): bool {
  if (!isCommonSet()) return start(begin, commonPrefix(begin, beginLength, end, endLength));
  return admitKey(begin, beginLength) && admitKey(end, endLength);
}

/** The first key of all, or what the first two share. */
function start(key: usize, length: usize): bool {
  setCommon(key, length);
  setPrefix(root(), commonLength());
  forgetAllHints();
  return true;
}

/** Only nodes at the ends of the key space rely on the common prefix. */
function shortenEnds(prefix: usize): bool {
  let first = root();
  let last = first;
  while (shortenPrefix(first, prefix, commonBytes()) && shortenPrefix(last, prefix, commonBytes())) {
    if (isLeaf(first)) return true;
    first = childAt(first, 0);
    last = childAt(last, countOf(last));
  }
  return false;
}
