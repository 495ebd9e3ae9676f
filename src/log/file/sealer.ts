import type { Core } from '../../core/core.js';
import { cutDurably, type Disk } from './disk.js';
import { damaged, messageOf } from './failures.js';
import type { Notify } from './notify.js';
import type { Segment } from './segment.js';
import { writeIndex } from './stored-index.js';

/**
 * Closes a segment for good: cuts off the zeros behind its records and writes its index file, from the index in
 * memory, which is dropped then.
 */
export async function sealSegment(disk: Disk, core: Core, segment: Segment): Promise<void> {
  const { live } = segment;
  if (live === undefined) return;
  const file = await disk.open(segment.path, 'update');
  try {
    const fileBytes = await file.size();
    if (fileBytes < segment.bytes) throw damaged(segment.path, fileBytes, 'the file is cut short');
    await cutDurably(file, segment.bytes);
  } finally {
    await file.close();
  }
  const {
    headerChecksum: segmentChecksum,
    recordCount,
    firstVersion,
    lastVersion,
    lastTimestampMs,
  } = segment;
  const facts = { segmentChecksum, recordCount, firstVersion, lastVersion, lastTimestampMs };
  await writeIndex(disk, core, segment.indexPath, { ...facts, segmentBytes: segment.bytes }, live);
  segment.live = undefined;
}

/** Seals segments in the background, one after the other. One that fails waits for the next round. */
export class Sealer {
  readonly #disk: Disk;
  readonly #core: Core;
  readonly #notify: Notify;
  readonly #waiting = new Set<Segment>();
  #running: Promise<void> = Promise.resolve();
  #active = false;
  #closed = false;

  constructor(disk: Disk, core: Core, notify: Notify) {
    this.#disk = disk;
    this.#core = core;
    this.#notify = notify;
  }

  /** Takes a segment in which nothing more will be written, and which holds a record. After `close` it does not. */
  add(segment: Segment): void {
    if (this.#closed) return;
    this.#waiting.add(segment);
    this.retry();
  }

  /** Goes through those that failed once more. */
  retry(): void {
    if (this.#active) return;
    this.#active = true;
    this.#running = this.#run();
  }

  /** Resolves when nothing is being sealed. Never rejects. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Goes through those that failed once more, and resolves when nothing is being sealed any more. */
  async close(): Promise<void> {
    this.retry();
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (const segment of this.#waiting) {
      try {
        if (!segment.removed) await this.#seal(segment);
        this.#waiting.delete(segment);
      } catch (error) {
        this.#notify('seal-failed', { file: segment.path, reason: messageOf(error) });
      }
    }
    this.#active = false;
  }

  async #seal(segment: Segment): Promise<void> {
    await sealSegment(this.#disk, this.#core, segment);
    const { path: file, bytes, recordCount: records } = segment;
    this.#notify('segment-sealed', { file, bytes, records });
  }
}
