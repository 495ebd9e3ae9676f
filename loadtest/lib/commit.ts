import exec from 'k6/execution';
import { acknowledge } from './acknowledged.ts';
import {
  acknowledgedCommits,
  commitAnswers,
  commitMs,
  requestErrors,
  withinP95Limit,
  withinP99Limit,
} from './metrics.ts';
import type { Run } from './run.ts';
import { type CommitOutcome, postCommit, type Timed } from './service.ts';
import { IS_QUICK, numberSetting } from './settings.ts';
import type { Transaction } from './transaction.ts';

/** How much slower than the same percentile of the baseline commits may be; a quick run has few of them. */
const LATENCY_FACTOR = numberSetting('LATENCY_FACTOR', IS_QUICK ? 50 : 20);
/** Never too slow: a pause of the machine would make it so. */
const ALLOWANCE_MS = 10;

export interface CommitOptions {
  readonly phase: string;
  /** True where the thresholds of latency hold. */
  readonly isTimed?: boolean;
}

/** The latest leader and version that this virtual user has seen. */
let latest: { leaderId: string; version: number } | undefined;
let requests = 0;

/** Sends one transaction, read at the latest version seen, and records what comes of it. */
export function commitAndRecord(
  run: Run,
  transaction: Transaction,
  { phase, isTimed = false }: CommitOptions,
): Timed<CommitOutcome> & { readonly requestId: string; readonly readVersion: number } {
  latest ??= { leaderId: run.leaderId, version: run.version };
  requests += 1;
  const requestId = `load-${run.id}-${exec.vu.idInTest}-${String(requests).padStart(8, '0')}`;
  const readVersion = latest.version;
  const { answer, ms } = postCommit({
    request_id: requestId,
    leader_id: latest.leaderId,
    read_version: readVersion,
    ...transaction,
  });
  commitAnswers.add(1, { phase, outcome: answer.kind });
  if (answer.kind === 'refused' || answer.kind === 'unknown') {
    requestErrors.add(true);
    console.error(`${requestId}: ${answer.kind}: ${answer.detail}`);
    return { answer, ms, requestId, readVersion };
  }
  requestErrors.add(false);
  commitMs.add(ms, { phase });
  if (isTimed) recordLimits(run, ms);
  latest = { leaderId: answer.leaderId, version: Math.max(answer.version, latest.version) };
  if (answer.kind === 'committed') {
    acknowledge({ requestId, version: answer.version, readVersion });
    acknowledgedCommits.add(1);
  }
  return { answer, ms, requestId, readVersion };
}

/** k6 compares with constants only; so each commit says whether it kept the limit, and the share of those is judged. */
function recordLimits({ baseline }: Run, ms: number): void {
  withinP95Limit.add(ms <= Math.max(ALLOWANCE_MS, LATENCY_FACTOR * baseline.p95Ms));
  withinP99Limit.add(ms <= Math.max(ALLOWANCE_MS, LATENCY_FACTOR * baseline.p99Ms));
}
