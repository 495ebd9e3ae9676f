import type { KeySpace } from './key-space.js';
import type { LogRecord } from './record.js';

/** What survives when the server is killed. */
export class Disk {
  /** The version of an empty log. */
  readonly emptyVersion: bigint;
  /** The log, oldest transaction first. */
  records: LogRecord[] = [];
  /** The version of the last transaction that is no longer held; undefined while all are. */
  truncatedThrough: bigint | undefined;
  /** The keys as they were before the oldest record. */
  readonly base: KeySpace;
  /** No version above this one was ever issued. */
  reservedThrough: bigint;
  readonly policies = new Map<string, bigint>();
  /** Policies as they were when they were created, and those that were deleted. */
  readonly policiesAsCreated = new Map<string, bigint>();
  readonly policiesDeleted = new Map<string, bigint>();
  /** Written up to here and safe; what is above may be lost where writes are synced now and then. */
  syncedThrough: bigint;
  /** Every leader there was, the last one last. */
  readonly leaders: string[] = [];

  constructor(emptyVersion: bigint, base: KeySpace) {
    this.emptyVersion = emptyVersion;
    this.reservedThrough = emptyVersion;
    this.syncedThrough = emptyVersion;
    this.base = base;
  }

  /** The latest durable version. */
  get durable(): bigint {
    return this.records.at(-1)?.version ?? this.truncatedThrough ?? this.emptyVersion;
  }

  /** Removes the oldest `count` transactions. */
  truncate(count: number): readonly LogRecord[] {
    const gone = this.records.splice(0, count);
    for (const { operations } of gone) for (const operation of operations) this.base.apply(operation);
    this.truncatedThrough = gone.at(-1)?.version ?? this.truncatedThrough;
    return gone;
  }
}
