import type { Core } from '../../core/core.js';
import type { Disk, DiskFile } from './disk.js';
import { damaged } from './failures.js';
import type { IndexHead } from './index-head.js';
import { Segment } from './segment.js';
import { decodeSegmentHeader, HEADER_BYTES, headerChecksum } from './segment-header.js';
import { segmentName } from './segment-name.js';

/**
 * Reads the header of a segment.
 * @throws LogError `damaged` when it is not sound or belongs under another name.
 */
export async function loadSegment(
  disk: Disk,
  core: Core,
  directory: string,
  firstVersion: number,
): Promise<Segment> {
  const path = `${directory}/${segmentName(firstVersion)}`;
  const bytes = new Uint8Array(HEADER_BYTES);
  const count = await withFile(disk, path, 'read', (file) => file.read(bytes, 0));
  const header = decodeSegmentHeader(core, bytes.subarray(0, count));
  if (typeof header === 'string') throw damaged(path, 0, header);
  const segment = new Segment(directory, header, headerChecksum(bytes));
  if (segment.path !== path) throw damaged(path, 0, `the header is that of ${segment.path}`);
  return segment;
}

/**
 * Checks that a segment continues the one before it.
 * @throws LogError `damaged` when one between them is missing, or they belong to different logs.
 */
export function checkSuccession(previous: Segment | undefined, segment: Segment): void {
  if (previous === undefined) return;
  const { prevVersion, versionFloor, hashKey } = segment.header;
  if (prevVersion !== previous.chainVersion) {
    const ends = `${previous.path} ends with ${previous.chainVersion}`;
    throw damaged(segment.path, 0, `the log before it should end with version ${prevVersion}, but ${ends}`);
  }
  if (versionFloor < previous.lastVersion) {
    throw damaged(segment.path, 0, `its versions start inside of ${previous.path}`);
  }
  if (previous.header.hashKey.some((byte, index) => byte !== hashKey[index])) {
    throw damaged(segment.path, 0, `its hash key is not that of ${previous.path}`);
  }
}

/** Why an index is not that of a segment; `undefined` when it is. */
export function indexMismatch(segment: Segment, head: IndexHead): string | undefined {
  if (head.segmentChecksum !== segment.headerChecksum) return 'it belongs to another segment';
  if (head.firstVersion !== segment.firstVersion) return 'it starts with another version';
  if (head.recordCount < 1 || head.lastVersion !== head.firstVersion + head.recordCount - 1) {
    return 'its versions do not fit its number of records';
  }
  return undefined;
}

/** Takes over what a matching index states. */
export function adoptFacts(segment: Segment, head: IndexHead): void {
  segment.lastVersion = head.lastVersion;
  segment.lastTimestampMs = head.lastTimestampMs;
  segment.bytes = head.segmentBytes;
}

/** Opens a file for the time of an action. */
export async function withFile<T>(
  disk: Disk,
  path: string,
  mode: 'read' | 'update',
  action: (file: DiskFile) => Promise<T>,
): Promise<T> {
  const file = await disk.open(path, mode);
  try {
    return await action(file);
  } finally {
    await file.close();
  }
}
