import { Core } from '../../core/core.js';
import { type DirectoryListing, listDirectory } from './directory-listing.js';
import { cutDurably, type Disk, type DiskFile, unlinkIfThere } from './disk.js';
import { damaged, messageOf } from './failures.js';
import type { IndexHead } from './index-head.js';
import type { Notify } from './notify.js';
import { endOfNonZeros, inspectTail } from './record-search.js';
import { sealSegment } from './sealer.js';
import type { Segment } from './segment.js';
import { LiveIndex } from './segment-index.js';
import { adoptFacts, checkSuccession, indexMismatch, loadSegment, withFile } from './segment-load.js';
import { indexName } from './segment-name.js';
import { firstRecord, type WalkEnd, walkRecords } from './segment-walk.js';
import { readIndexHead } from './stored-index.js';

const REWRITE_BYTES = 1 << 20;

export interface RecoveredLog {
  /** Hashes request IDs with `hashKey`. */
  readonly core: Core;
  /** The key of the directory; the one proposed when it holds no segment. */
  readonly hashKey: Uint8Array;
  /** Oldest first; only the newest may be empty. */
  readonly segments: Segment[];
}

/**
 * Finds out what a directory holds, and makes it whole: cuts an unsynced tail of the newest segment, builds
 * missing indexes, removes what was left unfinished. What it answers is on stable storage.
 * @throws LogError `damaged`, naming file and offset, when anything is missing or wrong that no crash explains.
 */
export async function recoverLog(
  disk: Disk,
  directory: string,
  newHashKey: Uint8Array,
  notify: Notify,
): Promise<RecoveredLog> {
  // A segment may stand under its name in the page cache only. Before its name is on the disk, nothing that it
  // takes the place of may be removed: the floor of an empty one keeps versions from being issued twice.
  await disk.syncDirectory(directory);
  const listing = await listDirectory(disk, directory);
  await tidyUp(disk, directory, listing, notify);
  const unkeyed = Core.load();
  const loaded: Segment[] = [];
  for (const firstVersion of listing.segments) {
    loaded.push(await loadSegment(disk, unkeyed, directory, firstVersion));
  }
  const hashKey = loaded[0]?.header.hashKey ?? newHashKey;
  const core = Core.load({ hashKey });
  const recovery = new Recovery(disk, core, notify);
  const segments: Segment[] = [];
  for (const segment of loaded) {
    // Empty ones count here: what follows them must still name what came before them.
    checkSuccession(segments.at(-1), segment);
    if (segments.at(-1)?.recordCount === 0) await recovery.removeEmpty(segments.pop()!);
    const isNewest = segment === loaded.at(-1);
    const hasIndex = listing.indexes.has(segment.firstVersion);
    await recovery.recover(segment, isNewest, hasIndex);
    segments.push(segment);
  }
  // What was removed stays removed.
  await disk.syncDirectory(directory);
  return { core, hashKey, segments };
}

/** Removes files that nothing refers to. An index without its segment is left of a truncation, or a loss. */
async function tidyUp(
  disk: Disk,
  directory: string,
  { segments, indexes, leftovers }: DirectoryListing,
  notify: Notify,
): Promise<void> {
  const oldest = segments[0] ?? 0;
  const present = new Set(segments);
  const orphans = [...indexes].filter((firstVersion) => !present.has(firstVersion));
  const lost = orphans.find((firstVersion) => firstVersion > oldest);
  if (lost !== undefined) {
    throw damaged(`${directory}/${indexName(lost)}`, 0, 'the segment of this index is missing');
  }
  for (const name of [...leftovers, ...orphans.map(indexName)]) {
    await unlinkIfThere(disk, `${directory}/${name}`);
    notify('leftover-removed', { file: `${directory}/${name}` });
  }
}

/** All records of a segment, and the index made of them. */
export interface ScannedSegment {
  readonly end: WalkEnd;
  readonly live: LiveIndex;
}

/**
 * Scans a segment in which nothing may be missing: sound records, and nothing but zeros behind them.
 * @throws LogError `damaged` for anything else.
 */
export async function scanWhole(disk: Disk, core: Core, segment: Segment): Promise<ScannedSegment> {
  const scanned = await withFile(disk, segment.path, 'read', (file) => scan(core, file, segment));
  const { offset, fault } = scanned.end;
  if (fault !== undefined) throw damaged(segment.path, offset, fault.what);
  return scanned;
}

/** What is cut off: bytes up to the last one that is not zero, and how many whole records are among them. */
interface CutTail {
  readonly bytes: number;
  readonly records: number;
}

class Recovery {
  readonly #disk: Disk;
  readonly #core: Core;
  readonly #notify: Notify;

  constructor(disk: Disk, core: Core, notify: Notify) {
    this.#disk = disk;
    this.#core = core;
    this.#notify = notify;
  }

  async recover(segment: Segment, isNewest: boolean, hasIndex: boolean): Promise<void> {
    if (hasIndex) {
      const mismatch = await this.#adoptIndex(segment);
      if (mismatch === undefined) return;
      this.#notify('index-rebuilt', { file: segment.indexPath, reason: mismatch });
    }
    // With an index of whatever state, it was sealed: nothing of it can be an unsynced tail.
    if (isNewest && !hasIndex) {
      await withFile(this.#disk, segment.path, 'update', (file) => this.#recoverNewest(file, segment));
    } else {
      adoptScan(segment, await scanWhole(this.#disk, this.#core, segment));
      if (!hasIndex && segment.recordCount > 0) {
        this.#notify('index-rebuilt', { file: segment.indexPath, reason: 'missing' });
      }
    }
    if (segment.recordCount > 0) await this.#seal(segment);
  }

  /** An empty segment with one behind it: a term that wrote nothing, or never began. */
  async removeEmpty(segment: Segment): Promise<void> {
    await unlinkIfThere(this.#disk, segment.path);
    this.#notify('leftover-removed', { file: segment.path });
  }

  /** @returns what is wrong with the index file; `undefined` when the segment need not be scanned. */
  async #adoptIndex(segment: Segment): Promise<string | undefined> {
    const fileBytes = await withFile(this.#disk, segment.path, 'read', (file) => file.size());
    let head: IndexHead;
    try {
      head = await withFile(this.#disk, segment.indexPath, 'read', (file) => readIndexHead(this.#core, file));
    } catch (error) {
      // Whatever keeps it from being read, a bad sector say: all that it says is in the segment.
      return messageOf(error);
    }
    const mismatch = indexMismatch(segment, head);
    if (mismatch !== undefined) return mismatch;
    if (fileBytes < head.segmentBytes) {
      throw damaged(segment.path, fileBytes, `the file is cut short; ${head.segmentBytes} bytes were sealed`);
    }
    if (fileBytes > head.segmentBytes) await this.#cutSealed(segment, head.segmentBytes);
    adoptFacts(segment, head);
    return undefined;
  }

  /** What stands behind a sealed segment is of no account; not to be able to cut it off does no harm. */
  async #cutSealed(segment: Segment, bytes: number): Promise<void> {
    try {
      await withFile(this.#disk, segment.path, 'update', (file) => cutDurably(file, bytes));
    } catch (error) {
      this.#notify('seal-failed', { file: segment.path, reason: messageOf(error) });
    }
  }

  async #recoverNewest(file: DiskFile, segment: Segment): Promise<void> {
    const scanned = await scan(this.#core, file, segment);
    const { end, live } = scanned;
    const tail = end.fault === undefined ? undefined : await this.#judgeTail(file, segment, end);
    adoptScan(segment, scanned);
    // The bytes came from the page cache. After a kill they may never have reached the disk, and after a
    // failed sync the cache may hold them as if they had: so what no record proves is written once more.
    const unproven = Math.max(end.durableVersion + 1, segment.firstVersion);
    const from = unproven <= segment.lastVersion ? live.findBlock(unproven).start : segment.bytes;
    await rewrite(file, from, segment.bytes);
    await cutDurably(file, segment.bytes);
    if (tail !== undefined) this.#notify('tail-cut', { file: segment.path, offset: end.offset, ...tail });
  }

  /** @throws LogError `damaged` unless all that stands behind the good records may be cut off. */
  async #judgeTail(file: DiskFile, segment: Segment, end: WalkEnd): Promise<CutTail> {
    const { offset, version, fileBytes, fault } = end;
    const what = fault?.what ?? '';
    if (fault?.breaksChain) throw damaged(segment.path, offset, what);
    const tail = await inspectTail(this.#core, file, end, fileBytes);
    if (tail.proof !== undefined) {
      const proof = `version ${tail.proof.version} at ${tail.proof.offset} proves that ${version} was synced`;
      throw damaged(segment.path, offset, `${what}; ${proof}`);
    }
    const bytes = (await endOfNonZeros(file, offset, fileBytes)) - offset;
    return { bytes, records: tail.records };
  }

  /** Not to be able to write an index, on a full disk say, is no reason not to serve what is there. */
  async #seal(segment: Segment): Promise<void> {
    try {
      await sealSegment(this.#disk, this.#core, segment);
    } catch (error) {
      this.#notify('seal-failed', { file: segment.path, reason: messageOf(error) });
    }
  }
}

async function scan(core: Core, file: DiskFile, segment: Segment): Promise<ScannedSegment> {
  const live = new LiveIndex(segment.firstVersion);
  const end = await walkRecords(core, file, firstRecord(segment.header), (records) => {
    live.addWalked(records);
  });
  return { end, live };
}

function adoptScan(segment: Segment, { end, live }: ScannedSegment): void {
  segment.bytes = end.offset;
  segment.lastVersion = end.version - 1;
  segment.lastTimestampMs = end.lastTimestampMs;
  segment.live = live;
}

/** Writes what stands there over itself, so that the next sync brings it to the disk whatever happened before. */
async function rewrite(file: DiskFile, from: number, end: number): Promise<void> {
  const buffer = new Uint8Array(Math.min(REWRITE_BYTES, end - from));
  for (let at = from; at < end; at += buffer.length) {
    const bytes = buffer.subarray(0, Math.min(buffer.length, end - at));
    await file.read(bytes, at);
    await file.write([bytes], at);
  }
}
