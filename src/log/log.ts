import type { RecordBatch } from '../core/record-batch.js';

/** One contiguous run of whole records of one term, as they stand in the log. */
export interface RecordBlock {
  readonly leaderId: string;
  /** Versions inside a block are contiguous: `lastVersion - firstVersion + 1` records. */
  readonly firstVersion: number;
  readonly lastVersion: number;
  /** The encoded records, one after the other, nothing before, between or behind them. */
  readonly bytes: Uint8Array;
}

/** What a new term starts from. Both numbers are durable facts when `startTerm` resolves. */
export interface TermStart {
  /** The last transaction that survives from earlier terms; 0 in an empty log. */
  readonly lastVersion: number;
  /** No earlier term can have issued a version above this one: the new term's first is the next one. */
  readonly versionCeiling: number;
  /** Time of acceptance of the last surviving transaction, milliseconds since 1970; 0 in an empty log. */
  readonly lastTimestampMs: number;
}

export interface TermOptions {
  readonly leaderId: string;
  /** At most this many versions are accepted and not yet durable at any time in this term. */
  readonly maxInFlight: number;
  readonly nowMs: number;
}

export interface FoundRequest {
  readonly version: number;
  readonly leaderId: string;
}

/** The request-ID hashes of one segment, in no particular order. */
export interface RequestIdHashes {
  /** Two lanes a hash, low then high. */
  readonly hashes: Uint32Array;
  /** All transactions above this version, up to `lastVersion`, are among them. */
  readonly afterVersion: number;
  readonly lastVersion: number;
}

/** What truncation needs to know of one segment. */
export interface SegmentSummary {
  readonly firstVersion: number;
  /** `firstVersion - 1` while the segment holds no record. */
  readonly lastVersion: number;
  /** Bytes of header and records; not the zeros prepared behind them. */
  readonly bytes: number;
  /** Time of acceptance of the newest record, milliseconds since 1970; 0 while there is none. */
  readonly lastTimestampMs: number;
  readonly sealed: boolean;
}

/** Told of what happens to appended batches. Set once, before the first term starts. */
export interface LogObserver {
  /** Every record up to and including `version` is on stable storage. */
  durable(version: number): void;
  /**
   * The current term can append no more: a write or sync failed. Nothing that was not reported
   * durable will be; it is cut off before the next `startTerm` resolves.
   */
  failed(error: Error): void;
  /** One write and sync of `bytes` bytes in `records` records took this long. */
  synced(records: number, bytes: number, seconds: number): void;
}

export type LogErrorKind =
  /** The log holds bytes that it should not: file and offset are in the message. */
  | 'damaged'
  /** Another process holds the directory. */
  | 'locked'
  /** The versions asked for are no longer held. */
  | 'truncated'
  /** The engine is closed, or no term is open. */
  | 'closed'
  /** The storage answered with an error. */
  | 'storage';

export class LogError extends Error {
  override readonly name = 'LogError';
  constructor(
    readonly kind: LogErrorKind,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The ordered, durable log. One term at a time appends; anybody reads what is durable.
 *
 * Records reach the log encoded, in version order, and are stored, served and checked as those
 * same bytes. Every method that reads answers durable records only.
 */
export interface Log {
  observe(observer: LogObserver): void;

  /**
   * Ends the term before (what it left unsynced is cut off) and opens a new one, durably. May be
   * called again after a failure until it succeeds.
   * @throws LogError `storage` when the log does not take writes.
   */
  startTerm(options: TermOptions): Promise<TermStart>;

  /**
   * Queues records behind everything appended before; `observer.durable` tells when they are safe. After
   * `observer.failed` it does nothing, up to the next term.
   * @throws LogError `closed` when there is no term.
   * @throws RangeError when the batch does not continue the term's versions, which start with
   *   `versionCeiling + 1`, or leaves more than `maxInFlight` of them not durable.
   */
  append(batch: RecordBatch): void;

  /**
   * The block that holds the first durable record above `after`, cut so that it starts with that
   * record; `undefined` when there is none. Blocks end at fixed places, so readers that start at different
   * versions soon ask for the same blocks.
   * @throws LogError `truncated` when `after` lies below `truncatedThrough`, `damaged` for bad bytes.
   */
  read(after: number): Promise<RecordBlock | undefined>;

  /**
   * The durable transaction with this ID at or above `minVersion`, if it is held. Compares whole IDs. What is
   * truncated meanwhile is not held: `truncatedThrough`, asked for afterwards, tells whether that matters.
   * @throws LogError `damaged` for bad bytes.
   */
  findRequest(requestId: string, minVersion: number): Promise<FoundRequest | undefined>;

  /**
   * Hashes of the request IDs of at least the newest `count` durable transactions, or of all if there are
   * fewer: whole segments, oldest first.
   */
  recentRequestIds(count: number): AsyncIterable<RequestIdHashes>;

  /** The highest version that has been truncated away; 0 when none was. */
  readonly truncatedThrough: number;

  /** Oldest first; the last one is being written. */
  segments(): readonly SegmentSummary[];

  /**
   * Removes the `count` oldest segments, oldest first; never the one being written. Durable when it
   * resolves. `truncatedThrough` moves at once, in the same turn of the event loop as the call.
   * @throws LogError `storage`: they are not served any more, and the next call removes them from the disk.
   */
  truncate(count: number): Promise<void>;

  /** Syncs and seals what is open, releases the directory. */
  close(): Promise<void>;
}
