import type { Core } from '../../core/core.js';
import { type DecodedRecord, decodeRecord } from '../../core/decode.js';
import { RECORD } from '../../core/record-layout.js';
import { scanRecords } from '../../core/scan.js';
import { LogError, type RecordBlock } from '../log.js';
import { type Disk, type DiskFile, isNotFound, isReadFailure } from './disk.js';
import { asLogError, damaged } from './failures.js';
import { ResourceCache } from './resource-cache.js';
import type { Segment } from './segment.js';
import type { SegmentIndex } from './segment-index.js';
import { IndexDamage, StoredIndex } from './stored-index.js';

/** Enough for most records at once; a longer one is read a second time, whole. */
const RECORD_GUESS_BYTES = 4096;

/** Reads durable records of segments, also of the one that is being written. */
export class SegmentReader {
  readonly #core: Core;
  readonly #files: ResourceCache<Segment, DiskFile>;
  readonly #indexes: ResourceCache<Segment, StoredIndex>;
  readonly #rebuild: (segment: Segment, reason: string) => Promise<void>;

  /**
   * @param openFilesMax files kept open between reads.
   * @param rebuild called when the index file of a segment is not sound; gives it an index in memory.
   */
  constructor(
    disk: Disk,
    core: Core,
    openFilesMax: number,
    rebuild: (segment: Segment, reason: string) => Promise<void>,
  ) {
    const each = Math.max(1, Math.floor(openFilesMax / 2));
    this.#core = core;
    this.#files = new ResourceCache(each, (segment) => disk.open(segment.path, 'read'));
    this.#indexes = new ResourceCache(each, (segment) => StoredIndex.open(disk, core, segment.indexPath));
    this.#rebuild = rebuild;
  }

  /**
   * The rest of the block with the record of `version`, from that record on.
   * @throws LogError `damaged`, `truncated` (the segment is gone) or `storage`.
   */
  async readBlock(segment: Segment, version: number): Promise<RecordBlock> {
    // What is durable now; the segment may grow while this waits.
    const { bytes: durableEnd, lastVersion: durableVersion } = segment;
    return await this.#guard(segment, async () => {
      const block = await this.#withIndex(segment, async (index) => index.findBlock(version));
      const end = Math.min(block.end ?? durableEnd, durableEnd);
      const bytes = await this.#readExactly(segment, block.start, end - block.start);
      const scan = scanRecords(this.#core, bytes, { recordBytesMax: bytes.length });
      if (scan.stop !== 'exhausted') {
        throw damaged(segment.path, block.start + scan.stopOffset, 'there is no sound record');
      }
      const skipped = version - block.firstVersion;
      const lastVersion = scan.versions[scan.count - 1];
      const contiguous = lastVersion === block.firstVersion + scan.count - 1 && lastVersion <= durableVersion;
      if (!contiguous || scan.versions[skipped] !== version) {
        throw damaged(segment.path, block.start, `the block does not hold what the index says`);
      }
      return {
        leaderId: segment.header.leaderId,
        firstVersion: version,
        lastVersion,
        bytes: bytes.subarray(scan.offsets[skipped]),
      };
    });
  }

  /** The version of a durable record with this request ID, at or above `minVersion`. Throws as `readBlock`. */
  async findRequest(segment: Segment, requestId: string, minVersion: number): Promise<number | undefined> {
    const { low, high } = this.#core.hashRequestId(requestId);
    return await this.#guard(segment, async () => {
      for (const offset of await this.#withIndex(segment, (index) => index.findOffsets(low, high))) {
        // The index of the segment that is being written runs ahead of what is durable.
        if (offset >= segment.bytes) continue;
        const record = await this.#readRecord(segment, offset);
        if (record.requestId === requestId && record.version >= minVersion) return record.version;
      }
      return undefined;
    });
  }

  /** The hashes of the request IDs of all its records, two lanes each. Throws as `readBlock`. */
  async hashes(segment: Segment): Promise<Uint32Array> {
    return await this.#guard(segment, () =>
      this.#withIndex(segment, async (index) => {
        const pieces: Uint32Array[] = [];
        for await (const piece of index.hashes()) pieces.push(piece);
        const all = new Uint32Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
        let at = 0;
        for (const piece of pieces) {
          all.set(piece, at);
          at += piece.length;
        }
        return all;
      }),
    );
  }

  /** Forgets the files of a segment that was truncated away; reads under way may still end well. */
  drop(segment: Segment): void {
    this.#files.drop(segment);
    this.#indexes.drop(segment);
  }

  async close(): Promise<void> {
    await this.#files.close();
    await this.#indexes.close();
  }

  async #withIndex<T>(segment: Segment, action: (index: SegmentIndex) => Promise<T>): Promise<T> {
    if (segment.live !== undefined) return await action(segment.live);
    try {
      return await this.#indexes.use(segment, action);
    } catch (error) {
      const reason = whyRebuild(segment, error);
      if (reason === undefined) throw error;
      // Unless another reader, who came upon it at the same time, is done with that.
      if (segment.live === undefined) {
        this.#indexes.drop(segment);
        await this.#rebuild(segment, reason);
      }
      return await this.#withIndex(segment, action);
    }
  }

  async #readRecord(segment: Segment, offset: number): Promise<DecodedRecord> {
    const guess = Math.min(RECORD_GUESS_BYTES, segment.bytes - offset);
    let bytes = await this.#readExactly(segment, offset, guess);
    const length = new DataView(bytes.buffer).getUint32(RECORD.lengthAt, true);
    if (length > guess && length <= segment.bytes - offset) {
      bytes = await this.#readExactly(segment, offset, length);
    }
    try {
      return decodeRecord(this.#core, bytes, 0);
    } catch (error) {
      throw damaged(segment.path, offset, `there is no sound record (${String(error)})`);
    }
  }

  async #readExactly(segment: Segment, offset: number, length: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(length);
    const count = await this.#files.use(segment, (file) => file.read(bytes, offset));
    if (count < length) throw damaged(segment.path, offset + count, 'the file is cut short');
    return bytes;
  }

  /** Says of whatever goes wrong with a segment that was truncated meanwhile that it was truncated. */
  async #guard<T>(segment: Segment, action: () => Promise<T>): Promise<T> {
    try {
      if (segment.removed) throw new Error('its files may be gone');
      return await action();
    } catch (error) {
      if (segment.removed) throw new LogError('truncated', `${segment.path} was truncated`, { cause: error });
      throw asLogError(segment.path, error);
    } finally {
      // It may have been opened again behind the truncation: that would keep its room on the disk.
      if (segment.removed) this.drop(segment);
    }
  }
}

/** What is wrong with the index file, if that is what the error tells. */
function whyRebuild(segment: Segment, error: unknown): string | undefined {
  if (error instanceof IndexDamage || isReadFailure(error)) return error.message;
  return isNotFound(error) && !segment.removed ? 'missing' : undefined;
}
