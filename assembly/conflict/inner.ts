import { appendKeys, countOf, Kind, makeNode, move, spliceKeys } from './node';
import { above, later } from './tick';

/**
 * An inner node holds up to 127 keys, called separators, and one child more than that: child i is in charge
 * of what lies from separator i - 1 up to, not including, separator i.
 *
 *     1088       maxima, 128 x u32: the latest tick of anything that the child is in charge of
 *     1600       children, 128 x u32
 *     2112       stored keys, 128 x u32
 */

const MAXIMA_AT: usize = 1088;
const CHILDREN_AT: usize = 1600;

/** @returns an inner node without a separator, above one child; or 0 when there is no room. */
export function makeInner(child: usize, maximum: u32, prefix: usize): usize {
  const inner = makeNode(Kind.Inner, prefix);
  if (inner == 0) return 0;
  setChild(inner, 0, child);
  setMaximum(inner, 0, maximum);
  return inner;
}

export function maximumAt(inner: usize, index: i32): u32 {
  return load<u32>(inner + ((<usize>index) << 2), MAXIMA_AT);
}

export function setMaximum(inner: usize, index: i32, tick: u32): void {
  store<u32>(inner + ((<usize>index) << 2), tick, MAXIMA_AT);
}

export function childAt(inner: usize, index: i32): usize {
  return load<u32>(inner + ((<usize>index) << 2), CHILDREN_AT);
}

export function setChild(inner: usize, index: i32, child: usize): void {
  store<u32>(inner + ((<usize>index) << 2), <u32>child, CHILDREN_AT);
}

/** The latest tick of anything that the node is in charge of. */
export function latestBelow(inner: usize): u32 {
  let latest = maximumAt(inner, 0);
  for (let index = 1; index <= countOf(inner); index++) latest = later(latest, maximumAt(inner, index));
  return latest;
}

/** How far the highest maximum of the children from `from` up to, not including, `to` is above `base`, or 0. */
export function highestMaximumAbove(inner: usize, from: i32, to: i32, base: u32): i32 {
  let highest = 0;
  for (let index = from; index < to; index++) highest = max(highest, above(maximumAt(inner, index), base));
  return highest;
}

/** Makes room for a separator at `index`, to be set by the caller, and puts the child behind it. */
export function insertChild(inner: usize, index: i32, child: usize, maximum: u32): void {
  const behind = (<usize>(countOf(inner) - index)) << 2;
  const at = inner + ((<usize>(index + 1)) << 2);
  move(at + MAXIMA_AT + 4, at + MAXIMA_AT, behind);
  move(at + CHILDREN_AT + 4, at + CHILDREN_AT, behind);
  setMaximum(inner, index + 1, maximum);
  setChild(inner, index + 1, child);
  spliceKeys(inner, index, index, 1);
}

/**
 * Takes the children from `from` up to, not including, `to` out of an inner node that keeps at least one,
 * with the separators between them and the one before (behind, if child 0 goes). Nothing is freed.
 */
export function removeChildren(inner: usize, from: i32, to: i32): void {
  const behind = (<usize>(countOf(inner) + 1 - to)) << 2;
  const source = inner + ((<usize>to) << 2);
  const target = inner + ((<usize>from) << 2);
  move(target + MAXIMA_AT, source + MAXIMA_AT, behind);
  move(target + CHILDREN_AT, source + CHILDREN_AT, behind);
  const firstKey = max(from - 1, 0);
  spliceKeys(inner, firstKey, firstKey + (to - from), 0);
}

/** Copies `count` separators from `from` on, and the children behind them, to behind the last of `target`. */
export function appendChildren(target: usize, source: usize, from: i32, count: i32): void {
  const to = target + ((<usize>(countOf(target) + 1)) << 2);
  const at = source + ((<usize>(from + 1)) << 2);
  memory.copy(to + MAXIMA_AT, at + MAXIMA_AT, (<usize>count) << 2);
  memory.copy(to + CHILDREN_AT, at + CHILDREN_AT, (<usize>count) << 2);
  appendKeys(target, source, from, count);
}
