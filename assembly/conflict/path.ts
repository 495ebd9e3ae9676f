import { setMaximum } from './inner';

/**
 * The way from the root to a leaf: for each level u32 inner node, u32 index of the child taken.
 */

/** The path of the one descent that may change nodes on its way. */
export const ownPath: usize = memory.data(24 * 8, 8);

export function setStep(path: usize, level: i32, inner: usize, index: i32): void {
  const step = path + ((<usize>level) << 3);
  store<u32>(step, <u32>inner);
  store<i32>(step, index, 4);
}

export function innerOf(path: usize, level: i32): usize {
  return load<u32>(path + ((<usize>level) << 3));
}

export function indexOf(path: usize, level: i32): i32 {
  return load<i32>(path + ((<usize>level) << 3), 4);
}

/** Notes on `levels` levels that something below was changed at `tick`, the newest there is. */
export function raiseMaxima(path: usize, levels: i32, tick: u32): void {
  for (let level = 0; level < levels; level++) setMaximum(innerOf(path, level), indexOf(path, level), tick);
}
