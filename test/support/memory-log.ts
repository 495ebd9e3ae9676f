import { Core } from '../../src/core/core.js';
import { decodeRecord } from '../../src/core/decode.js';
import type { RecordBatch } from '../../src/core/record-batch.js';
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
} from '../../src/log/log.js';

interface Entry {
  readonly batch: RecordBatch;
  readonly leaderId: string;
}

/**
 * A log in memory whose durability the test decides: nothing is durable before `sync` is called. Every batch is a
 * segment and a block of its own.
 */
export class MemoryLog implements Log {
  truncatedThrough = 0;
  /** When set, `startTerm` fails with it. */
  startError: Error | undefined;
  /** Calls of `findRequest`, and a gate that holds them back while it is set. */
  readonly lookups: string[] = [];
  lookupGate: Promise<void> | undefined;
  readonly #core: Core;
  #observer: LogObserver | undefined;
  #durable: Entry[] = [];
  #queued: Entry[] = [];
  #leaderId = '';
  #ceiling = 0;
  #maxInFlight = 0;

  constructor(core: Core = Core.load()) {
    this.#core = core;
  }

  observe(observer: LogObserver): void {
    this.#observer = observer;
  }

  async startTerm({ leaderId, maxInFlight }: TermOptions): Promise<TermStart> {
    if (this.startError !== undefined) throw this.startError;
    this.#queued = [];
    const last = this.#durable.at(-1)?.batch;
    const lastVersion = last?.lastVersion ?? this.truncatedThrough;
    this.#ceiling = Math.max(this.#ceiling, lastVersion) + this.#maxInFlight;
    this.#maxInFlight = maxInFlight;
    this.#leaderId = leaderId;
    return { lastVersion, versionCeiling: this.#ceiling, lastTimestampMs: last?.lastTimestampMs ?? 0 };
  }

  append(batch: RecordBatch): void {
    this.#queued.push({ batch, leaderId: this.#leaderId });
  }

  /** Makes everything queued durable, or only the first `count` batches. */
  sync(count = this.#queued.length): void {
    const synced = this.#queued.splice(0, count);
    this.#durable.push(...synced);
    const last = synced.at(-1);
    if (last !== undefined) this.#observer?.durable(last.batch.lastVersion);
  }

  /** A write or sync failed: what is queued is lost. */
  fail(error = new Error('EIO: simulated')): void {
    this.#queued = [];
    this.#observer?.failed(error);
  }

  get queuedBatches(): number {
    return this.#queued.length;
  }

  async read(after: number): Promise<RecordBlock | undefined> {
    if (after < this.truncatedThrough) throw new LogError('truncated', 'truncated');
    const entry = this.#durable.find(({ batch }) => batch.lastVersion > after);
    if (entry === undefined) return undefined;
    const { bytes, offsets, firstVersion, lastVersion } = entry.batch;
    const skipped = Math.max(0, after - firstVersion + 1);
    return {
      leaderId: entry.leaderId,
      firstVersion: firstVersion + skipped,
      lastVersion,
      bytes: bytes.subarray(offsets[skipped]!),
    };
  }

  async findRequest(requestId: string, minVersion: number): Promise<FoundRequest | undefined> {
    this.lookups.push(requestId);
    await this.lookupGate;
    for (const { batch, leaderId } of this.#durable) {
      for (const offset of batch.offsets) {
        const record = decodeRecord(this.#core, batch.bytes, offset);
        if (record.requestId === requestId && record.version >= minVersion) {
          return { version: record.version, leaderId };
        }
      }
    }
    return undefined;
  }

  async *recentRequestIds(): AsyncIterable<RequestIdHashes> {
    let afterVersion = this.truncatedThrough;
    for (const { batch } of this.#durable) {
      yield { hashes: batch.requestIdHashes, afterVersion, lastVersion: batch.lastVersion };
      afterVersion = batch.lastVersion;
    }
  }

  segments(): readonly SegmentSummary[] {
    return this.#durable.map(({ batch }) => ({
      firstVersion: batch.firstVersion,
      lastVersion: batch.lastVersion,
      bytes: batch.bytes.length,
      lastTimestampMs: batch.lastTimestampMs,
      sealed: true,
    }));
  }

  async truncate(count: number): Promise<void> {
    const removed = this.#durable.splice(0, count);
    this.truncatedThrough = removed.at(-1)?.batch.lastVersion ?? this.truncatedThrough;
  }

  async close(): Promise<void> {
    this.#queued = [];
  }
}
