/**
 * A tick is the lower half of a version: what the history keeps of it. Versions in the history are less than
 * 2^31 apart (the floor and the sweep see to that), so ticks order as their versions do when they are
 * compared by their difference, whatever the upper halves are.
 */

/**
 * Everything the sweep has not overtaken yet must stay closer to the newest version than this. The window is at most
 * half as long: see WINDOW_VERSIONS_MAX in src/core/conflict-set.ts.
 */
export const SPAN_MAX: u64 = 1 << 31;

export function tickOf(version: u64): u32 {
  return <u32>version;
}

/** How many versions `tick` is above `base`; below 0 when it is under it. */
export function above(tick: u32, base: u32): i32 {
  return <i32>(tick - base);
}

export function later(a: u32, b: u32): u32 {
  return above(a, b) > 0 ? a : b;
}
