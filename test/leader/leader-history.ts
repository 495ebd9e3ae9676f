import type { Core } from '../../src/core/core.js';
import { decodeRecord } from '../../src/core/decode.js';
import type { RecordBatch } from '../../src/core/record-batch.js';
import type { CommitOutcome, RequestStatus } from '../../src/leader/commit.js';
import type { LeaderObserver } from '../../src/leader/leader.js';
import type { Settings } from './leader-commands.js';

export interface ResolvedRead {
  readonly begin: string;
  /** Absent in a point read. */
  readonly end: string | undefined;
  readonly version: number;
}

/** What stood at one moment, as seen from outside the leader. */
export interface Moment {
  /** How many terms had started. */
  readonly terms: number;
  readonly termOpen: boolean;
  readonly available: boolean;
  readonly durableVersion: number;
  readonly acceptedVersion: number;
  readonly truncatedThrough: number;
  /** How often the log had failed, as a whole or in one call. */
  readonly failures: number;
}

export interface Transaction {
  readonly requestId: string;
  readonly leaderId: string;
  readonly readVersion: number;
  readonly reads: readonly ResolvedRead[];
  readonly writes: readonly string[];
}

export interface SentCommit extends Transaction {
  /** Its place among all that were sent. */
  readonly tag: number;
  readonly sentAt: Moment;
  /** Commits without an answer that were sent before it, at most. */
  readonly ahead: number;
  /** Whether its ID was in flight, asked for, or declared not found in this term. */
  readonly idMayBeTaken: boolean;
  answer: { readonly outcome: CommitOutcome; readonly at: Moment } | undefined;
}

export interface AskedStatus {
  readonly requestId: string;
  readonly minVersion: number;
  readonly askedAt: Moment;
  answer: { readonly status: StatusAnswer; readonly at: Moment } | undefined;
}

/** `failed` when the log could not be searched. */
export type StatusAnswer = RequestStatus | { readonly status: 'failed' };

/** Whether the answer promises that no commit with the ID succeeds any more. */
export const isNotFound = ({ status }: StatusAnswer): boolean =>
  status === 'id_not_found' || status === 'log_truncated';

export interface HistoricRecord {
  readonly version: number;
  readonly prevVersion: number;
  readonly requestId: string;
  readonly leaderId: string;
  /** Of the commit that it came from. */
  readonly tag: number;
  readonly keys: readonly string[];
}

export interface TermHistory {
  readonly leaderId: string;
  /** The version that was durable when it began. */
  readonly startVersion: number;
  readonly accepted: HistoricRecord[];
}

/** All that a run of a leader has shown. */
export interface History {
  readonly settings: Settings;
  readonly sent: readonly SentCommit[];
  readonly asked: readonly AskedStatus[];
  readonly terms: readonly TermHistory[];
  /** Everything that was ever durable, also what was truncated later. */
  readonly log: readonly HistoricRecord[];
}

type TermObserver = Pick<LeaderObserver, 'termStarted' | 'accepted' | 'durable' | 'termEnded'>;

/** A key that every transaction writes and none reads; it names the commit in the log. */
export const tagKey = (tag: number): string => `#${tag}`;

/** Takes records that stand one after the other apart. */
export function recordsOf(core: Core, bytes: Uint8Array, leaderId: string): HistoricRecord[] {
  const records: HistoricRecord[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const { version, prevVersion, requestId, operations, length } = decodeRecord(core, bytes, offset);
    const keys = operations.map((operation) =>
      operation.type === 'range_delete' ? '' : Buffer.from(operation.key).toString(),
    );
    const tag = Number(keys.pop()?.slice(1));
    records.push({ version, prevVersion, requestId, leaderId, tag, keys });
    offset += length;
  }
  return records;
}

/** Notes the terms of a leader and what each accepted, then tells the next observer. */
export class TermRecorder implements TermObserver {
  readonly terms: TermHistory[] = [];
  readonly #core: Core;
  readonly #next: TermObserver;

  constructor(core: Core, next: TermObserver) {
    this.#core = core;
    this.#next = next;
  }

  get acceptedVersion(): number {
    const term = this.terms.at(-1);
    return term?.accepted.at(-1)?.version ?? term?.startVersion ?? 0;
  }

  /** The newest version so many transactions and starts of terms ago; -1 lies ahead of the log. */
  versionAtAge(age: number): number {
    if (age < 0) return this.acceptedVersion - age;
    const versions = this.terms.flatMap(({ startVersion, accepted }) => {
      return [startVersion, ...accepted.map(({ version }) => version)];
    });
    return versions.at(-1 - age) ?? 0;
  }

  termStarted(leaderId: string, durableVersion: number): void {
    this.terms.push({ leaderId, startVersion: durableVersion, accepted: [] });
    this.#next.termStarted(leaderId, durableVersion);
  }

  accepted(batch: RecordBatch, leaderId: string): void {
    this.terms.at(-1)!.accepted.push(...recordsOf(this.#core, batch.bytes, leaderId));
    this.#next.accepted(batch, leaderId);
  }

  durable(version: number, leaderId: string): void {
    this.#next.durable(version, leaderId);
  }

  termEnded(leaderId: string): void {
    this.#next.termEnded(leaderId);
  }
}
