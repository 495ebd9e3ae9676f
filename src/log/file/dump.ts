import { Core } from '../../core/core.js';
import { renderTransactions } from '../../core/render.js';
import { LogError } from '../log.js';
import { listDirectory } from './directory-listing.js';
import { type Disk, type DiskFile, isNotFound } from './disk.js';
import { damaged } from './failures.js';
import { NodeDisk } from './node-disk.js';
import { walkOpenEnded } from './open-ended-walk.js';
import type { Segment } from './segment.js';
import { checkSuccession, loadSegment, withFile } from './segment-load.js';
import { firstRecord, type WalkEnd, type WalkedRecords, walkRecords } from './segment-walk.js';

export interface DumpOptions {
  readonly directory: string;
  /** Print what stands above this version; everything that is held when it is absent. */
  readonly after?: number;
  readonly disk?: Disk;
}

export interface DumpResult {
  readonly transactions: number;
  /** Where the readable records of the newest segment end, if bytes that were never synced stand behind them. */
  readonly unsyncedTail: { readonly file: string; readonly offset: number } | undefined;
}

const FRAME = { prefix: new Uint8Array(0), suffix: Uint8Array.of(0x0a) };

/**
 * Prints transactions as lines of JSON, in the shape of the events of a subscription. Only reads, and needs no
 * lock: beside a running server it prints what has been written so far, which may be more than what is durable.
 * @param write takes some whole lines in UTF-8; the next ones come when its promise resolves.
 * @throws LogError `damaged` where the log is damaged, after everything before it has been written; `truncated` when
 *   `after` lies below what is held.
 */
export async function dumpLog(
  options: DumpOptions,
  write: (lines: Uint8Array) => void | Promise<void>,
): Promise<DumpResult> {
  const { directory, disk = new NodeDisk() } = options;
  const core = Core.load();
  const listing = await listDirectory(disk, directory);
  const segments: Segment[] = [];
  for (const firstVersion of listing.segments) {
    const segment = await unlessGone(loadSegment(disk, core, directory, firstVersion));
    if (segment !== undefined) segments.push(segment);
  }
  const truncatedThrough = segments[0]?.header.prevVersion ?? 0;
  const after = options.after ?? truncatedThrough;
  if (after < truncatedThrough) {
    throw new LogError('truncated', `the log holds nothing up to version ${truncatedThrough}`);
  }

  let transactions = 0;
  let unsyncedTail: DumpResult['unsyncedTail'];
  let previous: Segment | undefined;
  for (const [index, segment] of segments.entries()) {
    // Nothing of it is above `after`.
    if ((segments[index + 1]?.header.prevVersion ?? Number.POSITIVE_INFINITY) <= after) continue;
    checkSuccession(previous, segment);
    const print = async (records: WalkedRecords): Promise<void> => {
      const skipped = Math.max(0, after - records.firstVersion + 1);
      if (skipped >= records.count) return;
      const bytes = records.bytes.subarray(records.scan.offsets[skipped]);
      await write(renderTransactions(core, { bytes, leaderId: segment.header.leaderId }, FRAME).text);
      transactions += records.count - skipped;
    };
    const isOpen = index === segments.length - 1 && !listing.indexes.has(segment.firstVersion);
    const walked = withFile(disk, segment.path, 'read', (file) => walk(core, file, segment, isOpen, print));
    const end = await unlessGone(walked);
    if (end === undefined) {
      if (await wasEmpty(disk, core, directory, segment)) continue;
      throw new LogError('truncated', `${segment.path} was truncated meanwhile`);
    }
    if (end.fault !== undefined) unsyncedTail = { file: segment.path, offset: end.offset };
    segment.lastVersion = end.version - 1;
    previous = segment;
  }
  return { transactions, unsyncedTail };
}

/** @throws LogError `damaged` for every fault that is not an unsynced tail. */
async function walk(
  core: Core,
  file: DiskFile,
  segment: Segment,
  isOpen: boolean,
  visit: (records: WalkedRecords) => Promise<void>,
): Promise<WalkEnd> {
  const start = firstRecord(segment.header);
  const { end, tail } = isOpen
    ? await walkOpenEnded(core, file, start, visit)
    : { end: await walkRecords(core, file, start, visit), tail: undefined };
  const isUnsyncedTail = tail !== undefined && tail.proof === undefined;
  if (end.fault !== undefined && !isUnsyncedTail) throw damaged(segment.path, end.offset, end.fault.what);
  return end;
}

/** Whether a segment that is gone held no record, so that a new term took its place: then the next one skips it. */
async function wasEmpty(disk: Disk, core: Core, directory: string, gone: Segment): Promise<boolean> {
  const { segments } = await listDirectory(disk, directory);
  const next = segments.find((firstVersion) => firstVersion > gone.firstVersion);
  if (next === undefined) return false;
  const segment = await unlessGone(loadSegment(disk, core, directory, next));
  return segment?.header.prevVersion === gone.header.prevVersion;
}

/** `undefined` when the file is not there (any more). */
async function unlessGone<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
