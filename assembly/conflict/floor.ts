import { tickOf } from './tick';

/** The floor: all versions up to it are taken for one. */

let version: u64 = 0;
let tick: u32 = 0;

export function floorVersion(): u64 {
  return version;
}

export function floorTick(): u32 {
  return tick;
}

/** To any version, when the history begins anew. */
export function setFloor(to: u64): void {
  version = to;
  tick = tickOf(to);
}

export function raiseFloor(to: u64): void {
  if (to > version) setFloor(to);
}
