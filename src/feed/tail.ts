import type { Core } from '../core/core.js';
import type { RecordBatch } from '../core/record-batch.js';
import { type EncodedEvents, encodeTransactions } from './event-codec.js';

interface TailBatch {
  readonly records: RecordBatch;
  readonly leaderId: string;
  events: EncodedEvents | undefined;
}

/**
 * The newest batches in memory: everything that is not durable yet, and before that as much as fits. Their
 * events are encoded when the first subscriber needs them, once for all.
 */
export class Tail {
  readonly #core: Core;
  readonly #bytesMax: number;
  #batches: TailBatch[] = [];
  #head = 0;
  #bytes = 0;
  /** Everything above this version, up to the last accepted one, is here. */
  #heldFrom = 0;
  /** What may be forgotten: everything up to this version can be read from the log. */
  #durableVersion = 0;

  /** @param bytesMax bound on the bytes of durable batches, records and encoded events together. */
  constructor(core: Core, bytesMax: number) {
    this.#core = core;
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** A term starts: whatever is above `durableVersion` never became durable and is forgotten. */
  restart(durableVersion: number): void {
    this.#batches = [];
    this.#head = 0;
    this.#bytes = 0;
    this.#heldFrom = durableVersion;
    this.#durableVersion = durableVersion;
  }

  append(records: RecordBatch, leaderId: string): void {
    this.#batches.push({ records, leaderId, events: undefined });
    this.#bytes += records.bytes.length;
  }

  /** Called when live subscribers have been sent everything up to `version`: from now on it may be forgotten. */
  durable(version: number): void {
    this.#durableVersion = version;
    this.#trim();
  }

  /** Forgets the oldest durable batches beyond the bound. */
  #trim(): void {
    for (;;) {
      const oldest = this.#batches[this.#head];
      if (oldest === undefined || this.#bytes <= this.#bytesMax) break;
      if (oldest.records.lastVersion > this.#durableVersion) break;
      this.#bytes -= oldest.records.bytes.length + (oldest.events?.text.length ?? 0);
      this.#heldFrom = oldest.records.lastVersion;
      this.#head += 1;
    }
    if (this.#head * 2 > this.#batches.length) {
      this.#batches = this.#batches.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Whether everything above `after` is in memory. */
  holdsAllAbove(after: number): boolean {
    return after >= this.#heldFrom;
  }

  /** The encoded batch that holds the first transaction above `after`, if there is one. */
  eventsAfter(after: number): EncodedEvents | undefined {
    const batch = this.#batches[this.#indexAfter(after)];
    return batch && this.#encoded(batch);
  }

  /** Bytes of the records above `after`, up to and including `through`, which must end batches and be held. */
  recordBytes(after: number, through: number): number {
    let bytes = 0;
    for (let index = this.#indexAfter(after); index < this.#batches.length; index += 1) {
      const { records } = this.#batches[index]!;
      if (records.lastVersion > through) break;
      bytes += records.bytes.length;
    }
    return bytes;
  }

  /** The place of the first batch that reaches beyond `after`. */
  #indexAfter(after: number): number {
    let low = this.#head;
    let high = this.#batches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#batches[middle]!.records.lastVersion <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #encoded(batch: TailBatch): EncodedEvents {
    if (batch.events !== undefined) return batch.events;
    const { bytes, firstVersion, lastVersion } = batch.records;
    const { leaderId } = batch;
    const events = encodeTransactions(this.#core, { bytes, firstVersion, lastVersion, leaderId });
    batch.events = events;
    this.#bytes += events.text.length;
    this.#trim();
    return events;
  }
}
