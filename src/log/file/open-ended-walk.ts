import type { Core } from '../../core/core.js';
import type { DiskFile } from './disk.js';
import { inspectTail, type Tail } from './record-search.js';
import { type WalkEnd, type WalkedRecords, type WalkStart, walkRecords } from './segment-walk.js';

/** Where a walk through the newest segment ended. */
export interface OpenEnd {
  readonly end: WalkEnd;
  /** What stands behind the good records; `undefined` when that is nothing, or a record that breaks the chain. */
  readonly tail: Tail | undefined;
}

/**
 * Goes through the records of a segment that was not sealed, in which another process may be writing right now.
 * What it took for damage in passing, it looks at again: a record that was being written is whole by then.
 */
export async function walkOpenEnded(
  core: Core,
  file: DiskFile,
  start: WalkStart,
  visit: (records: WalkedRecords) => void | Promise<void>,
): Promise<OpenEnd> {
  let end = await walkRecords(core, file, start, visit);
  for (;;) {
    if (end.fault === undefined || end.fault.breaksChain) return { end, tail: undefined };
    const tail = await inspectTail(core, file, end, end.fileBytes);
    if (tail.proof === undefined) return { end, tail };
    const from = { offset: end.offset, version: end.version, prevVersion: undefined };
    const again = await walkRecords(core, file, from, visit);
    if (again.fault !== undefined && again.offset === end.offset) return { end, tail };
    end = again;
  }
}
