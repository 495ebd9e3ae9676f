import { posix } from 'node:path';
import type { Core } from '../../core/core.js';
import type { RecordBatch } from '../../core/record-batch.js';
import { cutDurably, type Disk, type DiskFile } from './disk.js';
import { Segment } from './segment.js';
import { encodeSegmentHeader, headerChecksum, type SegmentHeader } from './segment-header.js';
import { LiveIndex } from './segment-index.js';
import { firstRecord, walkRecords } from './segment-walk.js';

/** A file full of zeros that becomes a segment. */
export interface PreparedFile {
  readonly path: string;
  readonly file: DiskFile;
}

/** Writes one segment, batch after batch. After a failure only `cut` and `close` may be called. */
export class SegmentWriter {
  readonly segment: Segment;
  readonly #core: Core;
  readonly #file: DiskFile;
  readonly #capacity: number;
  #index: LiveIndex;

  private constructor(core: Core, segment: Segment, file: DiskFile, capacity: number) {
    this.#core = core;
    this.segment = segment;
    this.#file = file;
    this.#capacity = capacity;
    this.#index = new LiveIndex(segment.firstVersion);
    segment.live = this.#index;
  }

  /**
   * Makes a prepared file a segment: header, then name. Durable when it resolves. The file is closed in any
   * case; when it rejects, an empty segment may or may not have its name.
   */
  static async create(
    disk: Disk,
    core: Core,
    prepared: PreparedFile,
    header: SegmentHeader,
    capacity: number,
  ): Promise<SegmentWriter> {
    const directory = posix.dirname(prepared.path);
    try {
      const bytes = encodeSegmentHeader(core, header);
      const segment = new Segment(directory, header, headerChecksum(bytes));
      await prepared.file.write([bytes], 0);
      await prepared.file.fdatasync();
      await disk.rename(prepared.path, segment.path);
      await disk.syncDirectory(directory);
      return new SegmentWriter(core, segment, await disk.open(segment.path, 'synced'), capacity);
    } finally {
      await prepared.file.close();
    }
  }

  /** Whether a batch goes into the prepared space behind `pendingBytes`. The first one always goes. */
  fits(batch: RecordBatch, pendingBytes: number): boolean {
    const { bytes, recordCount } = this.segment;
    if (recordCount === 0 && pendingBytes === 0) return true;
    return bytes + pendingBytes + batch.bytes.length <= this.#capacity;
  }

  get isHalfFull(): boolean {
    return this.segment.bytes * 2 > this.#capacity;
  }

  /** Prepared space that holds no records yet. */
  get freeBytes(): number {
    return Math.max(0, this.#capacity - this.segment.bytes);
  }

  /** Writes batches and waits until they are on stable storage. */
  async write(batches: readonly RecordBatch[]): Promise<void> {
    const { segment } = this;
    const written = this.#file.write(
      batches.map((batch) => batch.bytes),
      segment.bytes,
    );
    let end = segment.bytes;
    try {
      // While the disk works. Readers of the index do not look behind `segment.bytes`.
      for (const batch of batches) {
        const base = end;
        end += batch.bytes.length;
        this.#index.add(batch.firstVersion, base, batch.offsets, end, batch.requestIdHashes);
      }
    } finally {
      // In any case: bytes that land after the next term has cut the file would stand behind its end.
      await written;
    }
    const last = batches.at(-1)!;
    segment.bytes = end;
    segment.lastVersion = last.lastVersion;
    segment.lastTimestampMs = last.lastTimestampMs;
  }

  /** Removes what a failed write may have left behind the durable records, durably. May be called again. */
  async cut(): Promise<void> {
    const { segment } = this;
    await cutDurably(this.#file, segment.bytes);
    // The index knows records that are gone.
    const index = new LiveIndex(segment.firstVersion);
    const end = await walkRecords(this.#core, this.#file, firstRecord(segment.header), (records) => {
      index.addWalked(records);
    });
    if (end.offset !== segment.bytes) throw new Error(`${segment.path}: what was synced is not there`);
    this.#index = index;
    segment.live = index;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}
