import type { Core } from '../../core/core.js';
import type { Disk } from './disk.js';
import { LANES } from './request-id-table.js';
import type { Segment } from './segment.js';
import type { LiveIndex } from './segment-index.js';
import { indexMismatch } from './segment-load.js';
import { StoredIndex } from './stored-index.js';

/**
 * Compares an index file with the index that its segment's records make.
 * @returns how they differ; `undefined` when they do not.
 * @throws IndexDamage when the file is not sound.
 */
export async function checkIndex(
  disk: Disk,
  core: Core,
  segment: Segment,
  made: LiveIndex,
): Promise<string | undefined> {
  const stored = await StoredIndex.open(disk, core, segment.indexPath);
  try {
    const { head } = stored;
    const mismatch = indexMismatch(segment, head);
    if (mismatch !== undefined) return mismatch;
    if (head.segmentBytes !== segment.bytes || head.lastVersion !== segment.lastVersion) {
      return `it states ${head.recordCount} records in ${head.segmentBytes} bytes`;
    }
    if (head.lastTimestampMs !== segment.lastTimestampMs)
      return 'its last time is not that of the last record';
    const blocks = made.blocks.lanes;
    const isSame =
      blocks.length === stored.blockLanes.length &&
      blocks.every((lane, at) => lane === stored.blockLanes[at]);
    if (!isSame) return 'its blocks are not those of the records';
    let count = 0;
    for await (const slots of stored.pages()) {
      for (let lane = 0; lane < slots.length; lane += LANES) {
        const offset = slots[lane + 2]! * 8;
        if (offset === 0) continue;
        count += 1;
        if (!made.requests.offsets(slots[lane]!, slots[lane + 1]!).includes(offset)) {
          return `it lists a request ID for offset ${offset} that does not stand there`;
        }
      }
    }
    return count === segment.recordCount ? undefined : `it lists ${count} request IDs`;
  } finally {
    await stored.close();
  }
}
