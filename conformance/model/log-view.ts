import { Violation } from '../run/violation.js';
import { toJson } from '../wire/json.js';
import type { Ledger } from './ledger.js';
import { type Operation, readOperation } from './transaction.js';

/** A transaction as the stream shows it (section 6.1). */
export interface LogEvent {
  readonly requestId: string;
  readonly version: bigint;
  readonly prevVersion: bigint;
  readonly timestamp: string;
  readonly leaderId: string;
  readonly operations: readonly unknown[];
}

/** One transaction of the log, as all streams of this run together have shown it. */
export interface LogRecord extends Omit<LogEvent, 'operations'> {
  /** Every form in which its operations were shown, other than just as they were sent. */
  readonly otherForms: (readonly unknown[])[];
}

/** All durable transactions that any stream of this run has shown: one log, whoever reads it. */
export class LogView {
  readonly #ledger: Ledger;
  readonly #records = new Map<bigint, LogRecord>();
  readonly #versionOf = new Map<string, bigint>();
  /** The version at which the run began: every transaction above it is streamed to this run. */
  start = 0n;
  /** Whether one version was ever shown with two timestamps. */
  timestampsDiffer = false;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  has(version: bigint): boolean {
    return this.#records.has(version);
  }

  get(version: bigint): LogRecord | undefined {
    return this.#records.get(version);
  }

  versionOf(requestId: string): bigint | undefined {
    return this.#versionOf.get(requestId);
  }

  /** All records in version order. */
  inOrder(): LogRecord[] {
    return [...this.#records.values()].sort((a, b) => (a.version < b.version ? -1 : 1));
  }

  /** @throws Violation where another stream showed something else */
  add(event: LogEvent): void {
    let record = this.#records.get(event.version);
    if (record === undefined) {
      const other = this.#versionOf.get(event.requestId);
      if (other !== undefined)
        throw new Violation(
          this.#ledger.byRequestId(event.requestId).length > 1
            ? 'COMMIT-REQUEST-ID-REUSED'
            : 'LOG-ONE-VERSION-EACH',
          `the log has request_id ${event.requestId} at version ${other} and at version ${event.version}`,
        );
      const { operations, ...rest } = event;
      record = { ...rest, otherForms: [] };
      this.#records.set(event.version, record);
      this.#versionOf.set(event.requestId, event.version);
    }
    if (record.timestamp !== event.timestamp) this.timestampsDiffer = true;
    for (const [field, requirement] of DIFFERENCES) {
      if (record[field] !== event[field])
        throw new Violation(
          requirement,
          `version ${event.version} was streamed with ${field} ${record[field]}, and with ${event[field]}`,
        );
    }
    const attempts = this.#ledger.byRequestId(event.requestId);
    if (attempts.some(({ transaction }) => asSent(event.operations, transaction.operations))) return;
    const form = toJson(event.operations);
    if (record.otherForms.every((known) => toJson(known) !== form)) record.otherForms.push(event.operations);
  }
}

const DIFFERENCES = [
  ['requestId', 'STREAM-SAME-LOG'],
  ['prevVersion', 'EVENT-PREV-VERSION'],
  ['leaderId', 'EVENT-LEADER'],
] as const;

/** Whether the operations of an event are, one by one, those that were sent. */
export function asSent(shown: readonly unknown[], sent: readonly Operation[]): boolean {
  return shown.length === sent.length && shown.every((one, index) => same(readOperation(one), sent[index]!));
}

function same(shown: ReturnType<typeof readOperation>, sent: Operation): boolean {
  if (typeof shown === 'string' || shown.type !== sent.type) return false;
  if (shown.type === 'range_delete')
    return sent.type === 'range_delete' && shown.begin === sent.begin && shown.end === sent.end;
  if (sent.type === 'range_delete' || shown.key !== sent.key) return false;
  return shown.type !== 'write' || (sent.type === 'write' && shown.value === sent.value);
}
