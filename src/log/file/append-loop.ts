import type { RecordBatch } from '../../core/record-batch.js';
import type { LogObserver } from '../log.js';
import type { SegmentWriter } from './segment-writer.js';

export interface AppendLoopOptions {
  /** The version before the first one that is appended. */
  readonly lastVersion: number;
  readonly maxInFlight: number;
  /** Opens the next segment when a batch does not fit into this one any more. */
  readonly rotate: (full: SegmentWriter) => Promise<SegmentWriter>;
  /** Called after each sync, with the segment that it went to. */
  readonly written: (writer: SegmentWriter) => void;
  readonly observer: LogObserver;
}

/**
 * Appends the batches of one term: writes all that is queued at once and syncs once, while the next ones queue
 * up. After a failure nothing more is written, and nothing more is reported durable.
 */
export class AppendLoop {
  readonly #options: AppendLoopOptions;
  #writer: SegmentWriter;
  #queue: RecordBatch[] = [];
  #appended: number;
  #durable: number;
  #running: Promise<void> | undefined;
  #ended = false;
  #failed = false;

  constructor(writer: SegmentWriter, options: AppendLoopOptions) {
    this.#writer = writer;
    this.#options = options;
    this.#appended = options.lastVersion;
    this.#durable = options.lastVersion;
  }

  /** A write or sync has failed, or the segment could not be changed. */
  get failed(): boolean {
    return this.#failed;
  }

  /** The segment that is being written. */
  get writer(): SegmentWriter {
    return this.#writer;
  }

  /**
   * Queues a batch; ignores it when the term has failed or ended.
   * @throws RangeError when it does not continue what was appended, or leaves too much in flight: a version
   *   that this let through could be issued a second time after a crash.
   */
  append(batch: RecordBatch): void {
    if (this.#failed || this.#ended) return;
    const { firstVersion, lastVersion, offsets, bytes } = batch;
    if (firstVersion !== this.#appended + 1 || offsets.length !== lastVersion - firstVersion + 1) {
      throw new RangeError(`versions ${firstVersion} to ${lastVersion} do not follow ${this.#appended}`);
    }
    if (lastVersion - this.#durable > this.#options.maxInFlight) {
      throw new RangeError(
        `version ${lastVersion} is more than ${this.#options.maxInFlight} above what is durable`,
      );
    }
    if (bytes.length % 8 !== 0) throw new RangeError('records are padded to multiples of 8 bytes');
    this.#appended = lastVersion;
    this.#queue.push(batch);
    this.#running ??= this.#run();
  }

  /** Resolves when all that was appended is durable, or the term has failed. */
  async drain(): Promise<void> {
    await this.#running;
  }

  /** Forgets what is queued and resolves when nothing is being written any more. */
  async end(): Promise<void> {
    this.#ended = true;
    this.#queue = [];
    await this.#running;
  }

  async #run(): Promise<void> {
    // All that is appended in the same turn goes into the first write.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const startedMs = performance.now();
      let batches: readonly RecordBatch[];
      try {
        if (!this.#writer.fits(this.#queue[0]!, 0)) this.#writer = await this.#options.rotate(this.#writer);
        batches = this.#takeFitting();
        if (batches.length > 0) await this.#writer.write(batches);
      } catch (error) {
        this.#fail(error instanceof Error ? error : new Error(String(error)));
        break;
      }
      if (batches.length > 0) this.#report(batches, (performance.now() - startedMs) / 1000);
    }
    this.#running = undefined;
  }

  #takeFitting(): readonly RecordBatch[] {
    let bytes = 0;
    let count = 0;
    for (const batch of this.#queue) {
      if (!this.#writer.fits(batch, bytes)) break;
      bytes += batch.bytes.length;
      count += 1;
    }
    return this.#queue.splice(0, count);
  }

  #report(batches: readonly RecordBatch[], seconds: number): void {
    const { observer, written } = this.#options;
    const { lastVersion } = batches.at(-1)!;
    const bytes = batches.reduce((sum, batch) => sum + batch.bytes.length, 0);
    this.#durable = lastVersion;
    written(this.#writer);
    observer.synced(lastVersion - batches[0]!.firstVersion + 1, bytes, seconds);
    observer.durable(lastVersion);
  }

  #fail(error: Error): void {
    this.#failed = true;
    this.#queue = [];
    this.#options.observer.failed(error);
  }
}
