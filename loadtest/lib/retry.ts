import { sleep } from 'k6';
import { Counter, Rate, Trend } from 'k6/metrics';
import { acknowledge } from './acknowledged.ts';
import { type CommitOptions, commitAndRecord } from './commit.ts';
import { acknowledgedCommits } from './metrics.ts';
import type { Run } from './run.ts';
import { getStatus } from './service.ts';
import type { Transaction } from './transaction.ts';

const ATTEMPTS_MAX = 50;
const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 200;

/** Of transactions that were retried until they were committed or given up. */
export const transactionMs = new Trend('transaction_ms', true);
export const transactionAttempts = new Trend('transaction_attempts');
export const transactionsDone = new Rate('transactions_done');
export const conflicts = new Counter('conflicts');

/**
 * What a client should do: after a conflict read again and send a new request, at the version of the answer, after a
 * random and growing wait; after a lost reply ask for the outcome before anything else.
 * @param build reads what it needs and gives the transaction; called for each attempt
 */
export function commitWithRetries(run: Run, build: () => Transaction, options: CommitOptions): void {
  const startedMs = Date.now();
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const { answer, requestId, readVersion } = commitAndRecord(run, build(), options);
    let isDone = answer.kind === 'committed';
    if (answer.kind === 'not_committed') conflicts.add(1);
    if (answer.kind === 'unknown') isDone = wasCommitted(requestId, readVersion);
    if (isDone) {
      transactionMs.add(Date.now() - startedMs);
      transactionAttempts.add(attempt);
      transactionsDone.add(true);
      return;
    }
    // Evenly from zero to a bound that doubles: clients that met once shall not meet again.
    sleep((Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)) / 1000);
  }
  transactionsDone.add(false);
}

/** What became of a commit without a reply. @throws when that cannot be known: it must not be sent again. */
function wasCommitted(requestId: string, minVersion: number): boolean {
  const { answer } = getStatus(requestId, minVersion);
  if (answer.status === 'log_truncated') throw new Error(`${requestId}: the outcome cannot be known`);
  if (answer.status !== 'committed') return false;
  acknowledge({ requestId, version: answer.version, readVersion: minVersion });
  acknowledgedCommits.add(1);
  return true;
}
