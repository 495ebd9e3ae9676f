import type { HistoricRecord, ResolvedRead, TermHistory } from './leader-history.js';

export interface Violations {
  /** Positions of all that is violated, ascending. */
  readonly preconditions: readonly number[];
  /** The newest version that is to blame. */
  readonly settledAt: number;
}

/**
 * What a transaction violates that is decided when `through` is the newest version accepted in its term. A term
 * remembers the newest `windowVersions` versions, and none from before it; what is older counts as changed.
 */
export function violationsOf(
  reads: readonly ResolvedRead[],
  { startVersion, accepted }: TermHistory,
  through: number,
  windowVersions: number,
): Violations {
  const before = accepted.filter(({ version }) => version <= through);
  const floor = Math.max(startVersion, (before.at(-1)?.version ?? 0) - windowVersions);
  const preconditions: number[] = [];
  let settledAt = 0;
  for (const [index, read] of reads.entries()) {
    const change = before.findLast((record) => record.version > floor && changes(record, read));
    const last = change?.version ?? floor;
    if (last <= read.version) continue;
    preconditions.push(index);
    settledAt = Math.max(settledAt, last);
  }
  return { preconditions, settledAt };
}

/** Whether the record changed what was read. */
export function changes({ keys }: HistoricRecord, { begin, end }: ResolvedRead): boolean {
  return keys.some((key) => (end === undefined ? key === begin : key >= begin && key < end));
}
