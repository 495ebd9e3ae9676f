import type { Core } from '../../src/core/core.js';
import { Decider, type DeciderOptions } from '../../src/core/decider.js';

const LOWEST = 2 ** 23;

/**
 * A decider whose history may have less memory than a `Decider` accepts, so that a test meets the bound soon:
 * the conflict set behind it is created once more.
 */
export function boundedDecider(core: Core, options: DeciderOptions): Decider {
  const { windowVersions, conflictBytesMax, floor } = options;
  const decider = new Decider(core, { ...options, conflictBytesMax: Math.max(conflictBytesMax, LOWEST) });
  core.wasm.exports.createConflictSet(windowVersions, conflictBytesMax, floor);
  return decider;
}
