import { type Disk, type DiskFile, unlinkIfThere } from './disk.js';
import { messageOf } from './failures.js';
import type { Notify } from './notify.js';
import { PREPARED_NAME } from './segment-name.js';

/**
 * What is written and synced at once. In the background little, so that the syncs of the log never wait behind
 * much of it; when the log itself waits for the segment, more.
 */
const BACKGROUND_PIECE_BYTES = 1 << 18;
const URGENT_PIECE_BYTES = 1 << 23;

/**
 * Makes the file of the next segment ahead of need, filled with zeros: a sync after a write into a file that
 * already has its length and its blocks does not have to wait for the file system's own journal.
 */
export class SegmentPreparer {
  readonly path: string;
  readonly #disk: Disk;
  readonly #segmentBytes: number;
  readonly #notify: Notify;
  #preparing: Promise<DiskFile | Error> | undefined;
  #preparedBytes = 0;

  constructor(disk: Disk, directory: string, segmentBytes: number, notify: Notify) {
    this.#disk = disk;
    this.path = `${directory}/${PREPARED_NAME}`;
    this.#segmentBytes = segmentBytes;
    this.#notify = notify;
  }

  /** Zeros on disk that no segment has taken yet. */
  get preparedBytes(): number {
    return this.#preparedBytes;
  }

  /** Begins in the background, unless that has been done. Never rejects: a failure shows in `take`. */
  begin(): void {
    this.#preparing ??= this.#prepare(BACKGROUND_PIECE_BYTES).catch((error: unknown) => {
      this.#notify('preparation-failed', { reason: messageOf(error) });
      return error instanceof Error ? error : new Error(String(error));
    });
  }

  /**
   * The prepared file, at `path`; it is the caller's from now on. Waits for it if need be, and tries again if
   * the attempt in the background failed.
   */
  async take(): Promise<DiskFile> {
    const early = await this.#preparing;
    this.#preparing = undefined;
    const file =
      early === undefined || early instanceof Error ? await this.#prepare(URGENT_PIECE_BYTES) : early;
    this.#preparedBytes = 0;
    return file;
  }

  /** Closes and removes what was prepared. */
  async discard(): Promise<void> {
    const early = await this.#preparing;
    this.#preparing = undefined;
    this.#preparedBytes = 0;
    if (early !== undefined && !(early instanceof Error)) await early.close();
    await unlinkIfThere(this.#disk, this.path);
  }

  async #prepare(pieceBytes: number): Promise<DiskFile> {
    const file = await this.#disk.open(this.path, 'create');
    try {
      const zeros = new Uint8Array(Math.min(pieceBytes, this.#segmentBytes));
      for (let at = 0; at < this.#segmentBytes; at += zeros.length) {
        await file.write([zeros.subarray(0, Math.min(zeros.length, this.#segmentBytes - at))], at);
        await file.fdatasync();
        this.#preparedBytes = Math.min(at + zeros.length, this.#segmentBytes);
      }
      return file;
    } catch (error) {
      this.#preparedBytes = 0;
      // What ended it may be a full disk, of which it holds the last room now.
      await Promise.allSettled([file.close(), this.#disk.unlink(this.path)]);
      throw error;
    }
  }
}
