import { randomBytes } from 'node:crypto';
import type { Core } from '../../core/core.js';
import type { RecordBatch } from '../../core/record-batch.js';
import {
  type FoundRequest,
  type Log,
  LogError,
  type LogObserver,
  type RecordBlock,
  type RequestIdHashes,
  type SegmentSummary,
  type TermOptions,
  type TermStart,
} from '../log.js';
import { AppendLoop } from './append-loop.js';
import { type Disk, unlinkIfThere } from './disk.js';
import { asLogError, damaged } from './failures.js';
import { GuardedDisk } from './guarded-disk.js';
import type { AcquireLock, DirectoryLock } from './lock.js';
import type { Notify } from './notify.js';
import { recoverLog, scanWhole } from './recovery.js';
import { Sealer } from './sealer.js';
import type { Segment } from './segment.js';
import { HASH_KEY_BYTES, HEADER_BYTES, type SegmentHeader } from './segment-header.js';
import { segmentName } from './segment-name.js';
import { SegmentPreparer } from './segment-preparer.js';
import { SegmentReader } from './segment-reader.js';
import { SegmentWriter } from './segment-writer.js';

export interface FileLogOptions {
  /** Made when it is missing. */
  readonly directory: string;
  readonly disk: Disk;
  /** Length of a full segment in bytes, header included; at least 8192. */
  readonly segmentBytes?: number;
  /** Left out where nobody else can come near, in simulations. */
  readonly lock?: AcquireLock;
  readonly notify?: Notify;
  /** Files kept open between reads. */
  readonly openFilesMax?: number;
  /** Key of the request-ID hashes of a new directory, 16 bytes; random when absent. */
  readonly newHashKey?: Uint8Array;
}

export interface DiskUsage {
  readonly segments: number;
  /** Headers and records. */
  readonly bytes: number;
  /** Zeros written ahead of need, in the segment that is being written and the next one. */
  readonly preparedBytes: number;
}

const SEGMENT_BYTES = 64 * 1024 * 1024;
const SEGMENT_BYTES_MIN = 2 * HEADER_BYTES;
const OPEN_FILES_MAX = 64;

/** The log in segment files of a local directory. */
export class FileLog implements Log {
  /** Hashes request IDs with this directory's key, for those who make records for this log. */
  readonly core: Core;
  readonly hashKey: Uint8Array;
  readonly #options: FileLogOptions;
  readonly #segmentBytes: number;
  readonly #segments: Segment[];
  readonly #lock: DirectoryLock | undefined;
  readonly #notify: Notify;
  readonly #preparer: SegmentPreparer;
  readonly #sealer: Sealer;
  readonly #reader: SegmentReader;
  readonly #rebuilding = new Map<Segment, Promise<void>>();
  /** Paths of segments without records that must be gone before the next term starts. */
  readonly #strays = new Set<string>();
  /** Truncated away, oldest first, but maybe not removed from the disk yet. */
  readonly #condemned: Segment[] = [];
  #observer: LogObserver | undefined;
  #loop: AppendLoop | undefined;
  #truncatedThrough: number;
  #removing: Promise<unknown> = Promise.resolve();
  #starting: Promise<TermStart> | undefined;
  #closed = false;
  #closing: Promise<void> | undefined;

  private constructor(
    options: FileLogOptions,
    recovered: { readonly core: Core; readonly hashKey: Uint8Array; readonly segments: Segment[] },
    lock: DirectoryLock | undefined,
  ) {
    const { directory, disk } = options;
    this.#options = options;
    this.#segmentBytes = options.segmentBytes ?? SEGMENT_BYTES;
    this.#notify = options.notify ?? (() => undefined);
    this.#lock = lock;
    this.core = recovered.core;
    this.hashKey = recovered.hashKey;
    this.#segments = recovered.segments;
    this.#truncatedThrough = recovered.segments[0]?.header.prevVersion ?? 0;
    this.#preparer = new SegmentPreparer(disk, directory, this.#segmentBytes, this.#notify);
    this.#sealer = new Sealer(disk, this.core, this.#notify);
    this.#reader = new SegmentReader(
      disk,
      this.core,
      options.openFilesMax ?? OPEN_FILES_MAX,
      (segment, reason) => this.#rebuildIndex(segment, reason),
    );
    for (const segment of this.#segments) {
      if (segment.live !== undefined && segment.recordCount > 0) this.#sealer.add(segment);
    }
  }

  /**
   * Locks a directory, makes its log whole after whatever ended the process before, and opens it for reading.
   * `startTerm` opens it for writing.
   * @throws LogError `locked`, `damaged` (naming file and offset) or `storage`.
   * @throws RangeError when an option is out of its range.
   */
  static async open(options: FileLogOptions): Promise<FileLog> {
    const { directory, disk, segmentBytes = SEGMENT_BYTES } = options;
    if (!Number.isSafeInteger(segmentBytes) || segmentBytes < SEGMENT_BYTES_MIN) {
      throw new RangeError(`a segment has at least ${SEGMENT_BYTES_MIN} bytes`);
    }
    let lock: DirectoryLock | undefined;
    try {
      await disk.makeDirectory(directory);
      lock = await options.lock?.(directory);
      // Somebody may put another directory in the place of this one, a backup say: it is not ours to change.
      const guarded = lock === undefined ? disk : new GuardedDisk(disk, lock.confirm);
      const newHashKey = options.newHashKey ?? randomBytes(HASH_KEY_BYTES);
      const recovered = await recoverLog(guarded, directory, newHashKey, options.notify ?? (() => undefined));
      return new FileLog({ ...options, disk: guarded }, recovered, lock);
    } catch (error) {
      await lock?.release();
      throw asLogError(`opening ${directory}`, error);
    }
  }

  observe(observer: LogObserver): void {
    if (this.#observer !== undefined) throw new Error('the log has an observer');
    this.#observer = observer;
  }

  get truncatedThrough(): number {
    return this.#truncatedThrough;
  }

  async startTerm(options: TermOptions): Promise<TermStart> {
    if (this.#closed) throw new LogError('closed', 'the log is closed');
    if (this.#starting !== undefined) throw new Error('a term is being started');
    if (this.#observer === undefined) throw new Error('the log has no observer');
    this.#starting = this.#startTerm(options, this.#observer);
    try {
      return await this.#starting;
    } catch (error) {
      throw asLogError('starting a term', error);
    } finally {
      this.#starting = undefined;
    }
  }

  append(batch: RecordBatch): void {
    if (this.#loop === undefined || this.#closed) throw new LogError('closed', 'no term is open');
    this.#loop.append(batch);
  }

  async read(after: number): Promise<RecordBlock | undefined> {
    this.#checkOpen();
    if (after < this.#truncatedThrough) {
      throw new LogError('truncated', `the log holds nothing up to ${this.#truncatedThrough}`);
    }
    const segment = this.#segmentAbove(after);
    if (segment === undefined) return undefined;
    return await this.#reader.readBlock(segment, Math.max(after + 1, segment.firstVersion));
  }

  async findRequest(requestId: string, minVersion: number): Promise<FoundRequest | undefined> {
    this.#checkOpen();
    // Segments come and go while this waits.
    for (
      let segment = this.#segments.at(-1);
      segment !== undefined && segment.lastVersion >= minVersion;
      segment = this.#segmentBefore(segment)
    ) {
      const version = await unlessTruncated(this.#reader.findRequest(segment, requestId, minVersion));
      if (version !== undefined) return { version, leaderId: segment.header.leaderId };
    }
    return undefined;
  }

  async *recentRequestIds(count: number): AsyncIterable<RequestIdHashes> {
    this.#checkOpen();
    const chosen: { readonly segment: Segment; readonly lastVersion: number }[] = [];
    let missing = count;
    for (let at = this.#segments.length - 1; at >= 0 && missing > 0; at -= 1) {
      const segment = this.#segments[at]!;
      chosen.push({ segment, lastVersion: segment.lastVersion });
      missing -= segment.recordCount;
    }
    for (const { segment, lastVersion } of chosen.reverse()) {
      const hashes = await unlessTruncated(this.#reader.hashes(segment));
      if (hashes === undefined || hashes.length === 0) continue;
      yield { hashes, afterVersion: segment.header.prevVersion, lastVersion };
    }
  }

  segments(): readonly SegmentSummary[] {
    return this.#segments.map((segment) => segment.summary());
  }

  /** What the log takes on disk, but for its indexes (of which 24 to 48 bytes a record are the most). */
  usage(): DiskUsage {
    const free = this.#loop?.writer.freeBytes ?? 0;
    return {
      segments: this.#segments.length,
      bytes: this.#segments.reduce((sum, segment) => sum + segment.bytes, 0),
      preparedBytes: free + this.#preparer.preparedBytes,
    };
  }

  async truncate(count: number): Promise<void> {
    this.#checkOpen();
    for (const segment of this.#segments.splice(0, Math.min(count, this.#segments.length - 1))) {
      segment.removed = true;
      this.#truncatedThrough = segment.chainVersion;
      this.#reader.drop(segment);
      this.#condemned.push(segment);
    }
    const removing = this.#removing.then(() => this.#removeCondemned());
    this.#removing = Promise.allSettled([removing]);
    try {
      await removing;
    } catch (error) {
      throw asLogError('truncating the log', error);
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#closed = true;
    try {
      await this.#shutDown();
    } finally {
      await this.#lock?.release();
    }
  }

  async #shutDown(): Promise<void> {
    await Promise.allSettled([this.#starting]);
    const loop = this.#loop;
    await loop?.drain();
    await loop?.end();
    if (loop !== undefined) await this.#retire(loop.writer, loop.failed);
    // Readers who came upon a bad index before: what they make of it is sealed, too.
    await Promise.allSettled(this.#rebuilding.values());
    await this.#sealer.close();
    await this.#removing;
    await Promise.allSettled([this.#preparer.discard()]);
    await this.#reader.close();
  }

  async #startTerm(options: TermOptions, observer: LogObserver): Promise<TermStart> {
    const ended = this.#loop;
    await ended?.end();
    if (ended?.failed) await ended.writer.cut();
    const newest = this.#segments.at(-1);
    const start = {
      lastVersion: newest?.chainVersion ?? 0,
      versionCeiling: newest?.versionCeiling ?? 0,
      lastTimestampMs: newest?.chainTimestampMs ?? 0,
    };
    await this.#removeStrays();
    // The floor of one without records kept versions from being issued twice; from here on the new one's does.
    const replaced = newest?.recordCount === 0 ? newest : undefined;
    const header = {
      leaderId: options.leaderId,
      versionFloor: start.versionCeiling,
      prevVersion: start.lastVersion,
      prevTimestampMs: start.lastTimestampMs,
      termStartedMs: options.nowMs,
      maxInFlight: options.maxInFlight,
      hashKey: this.hashKey,
    };
    const writer = await this.#createSegment(header, replaced);
    this.#loop = new AppendLoop(writer, {
      lastVersion: start.versionCeiling,
      maxInFlight: options.maxInFlight,
      rotate: (full) => this.#rotate(full),
      written: ({ isHalfFull }) => {
        if (isHalfFull) this.#preparer.begin();
      },
      observer,
    });
    if (ended !== undefined) await this.#retire(ended.writer, false);
    this.#sealer.retry();
    if (replaced !== undefined) {
      await this.#removeStrays();
      await this.#options.disk.syncDirectory(this.#options.directory);
    }
    return start;
  }

  /** Continues the term in a new segment. Everything in the full one is durable. */
  async #rotate(full: SegmentWriter): Promise<SegmentWriter> {
    const { header, lastVersion, lastTimestampMs } = full.segment;
    const writer = await this.#createSegment({
      ...header,
      versionFloor: lastVersion,
      prevVersion: lastVersion,
      prevTimestampMs: lastTimestampMs,
    });
    await this.#retire(full, false);
    return writer;
  }

  /** Makes a segment, durably, and counts it among the log's, in place of a newest one without records. */
  async #createSegment(header: SegmentHeader, replaced?: Segment): Promise<SegmentWriter> {
    const { disk, directory } = this.#options;
    const file = await this.#preparer.take();
    const path = `${directory}/${segmentName(header.versionFloor + 1)}`;
    // Whether it has its name after a failure, nobody knows; it has no records in any case.
    this.#strays.add(path);
    const prepared = { path: this.#preparer.path, file };
    const writer = await SegmentWriter.create(disk, this.core, prepared, header, this.#segmentBytes);
    this.#strays.delete(path);
    if (replaced !== undefined) {
      // In the same turn: nobody finds both, and a truncation does not take this one for older than the newest.
      this.#segments.pop();
      this.#strays.add(replaced.path);
      this.#reader.drop(replaced);
    }
    this.#segments.push(writer.segment);
    return writer;
  }

  /** Nothing more is written to a segment; unless it may have an unsynced tail, it can be sealed. */
  async #retire(writer: SegmentWriter, hasTail: boolean): Promise<void> {
    // All that counts was synced: an error on closing loses nothing.
    await Promise.allSettled([writer.close()]);
    if (!hasTail && writer.segment.recordCount > 0) this.#sealer.add(writer.segment);
  }

  /** Durable with the next sync of the directory. */
  async #removeStrays(): Promise<void> {
    for (const path of this.#strays) {
      await unlinkIfThere(this.#options.disk, path);
      this.#strays.delete(path);
    }
  }

  /** Oldest first, and each durably before the next: a log has no holes, whatever survives a power cut. */
  async #removeCondemned(): Promise<void> {
    const { disk, directory } = this.#options;
    for (let segment = this.#condemned[0]; segment !== undefined; segment = this.#condemned[0]) {
      // Otherwise its index could be written behind its removal.
      await this.#sealer.idle();
      await unlinkIfThere(disk, segment.path);
      await unlinkIfThere(disk, segment.indexPath);
      await disk.syncDirectory(directory);
      this.#condemned.shift();
      this.#notify('segment-removed', { file: segment.path });
    }
  }

  /** The oldest segment with a durable record above a version. */
  #segmentAbove(version: number): Segment | undefined {
    let low = 0;
    let high = this.#segments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#segments[middle]!.lastVersion > version) high = middle;
      else low = middle + 1;
    }
    const segment = this.#segments[low];
    return segment !== undefined && segment.recordCount > 0 ? segment : undefined;
  }

  /** The newest of those that are older than this one, which may be gone. */
  #segmentBefore({ firstVersion }: Segment): Segment | undefined {
    let low = 0;
    let high = this.#segments.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#segments[middle]!.firstVersion < firstVersion) low = middle + 1;
      else high = middle;
    }
    return this.#segments[low - 1];
  }

  async #rebuildIndex(segment: Segment, reason: string): Promise<void> {
    this.#checkOpen();
    const running = this.#rebuilding.get(segment) ?? this.#scanAgain(segment, reason);
    this.#rebuilding.set(segment, running);
    try {
      await running;
    } finally {
      this.#rebuilding.delete(segment);
    }
  }

  async #scanAgain(segment: Segment, reason: string): Promise<void> {
    this.#notify('index-rebuilt', { file: segment.indexPath, reason });
    const { end, live } = await scanWhole(this.#options.disk, this.core, segment);
    if (end.offset !== segment.bytes || end.version !== segment.lastVersion + 1) {
      throw damaged(segment.path, end.offset, `the records end before version ${segment.lastVersion}`);
    }
    segment.live = live;
    this.#sealer.add(segment);
  }

  #checkOpen(): void {
    if (this.#closed) throw new LogError('closed', 'the log is closed');
  }
}

/** `undefined` when what was asked for was truncated away meanwhile. */
async function unlessTruncated<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof LogError && error.kind === 'truncated') return undefined;
    throw error;
  }
}
