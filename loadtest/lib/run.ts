import { keyOf, randomIndex, randomValue } from './bytes.ts';
import { commitAndRecord } from './commit.ts';
import { lookups } from './metrics.ts';
import { getVersion } from './service.ts';
import { IS_QUICK } from './settings.ts';
import { readModifyWrite } from './transaction.ts';

/** Until the server has compiled its code and k6 has connected. */
const WARMUP_COMMITS = IS_QUICK ? 300 : 2_000;
const BASELINE_COMMITS = IS_QUICK ? 300 : 2_000;
const KEYS = 1_000_000;

/** Percentiles of the time that a commit takes, milliseconds. */
export interface Percentiles {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** What every virtual user is told. */
export interface Run {
  /** Part of each request ID; no two runs share it. */
  readonly id: string;
  /** When the run began. */
  readonly version: number;
  readonly leaderId: string;
  /** One client, one commit at a time. */
  readonly baseline: Percentiles;
}

/**
 * The first phase of each script, at the lowest load: measures the baseline that the thresholds of latency are
 * relative to.
 */
export function setUp(): Run {
  // k6 judges no metric that has no sample.
  lookups.add(0);
  const { version, leader_id: leaderId } = getVersion().answer;
  const id = `${Date.now().toString(36)}${randomIndex(36 ** 4).toString(36)}`;
  const unmeasured = { p50Ms: 0, p95Ms: 0, p99Ms: 0 };
  const run: Run = { id, version, leaderId, baseline: unmeasured };
  const value = randomValue(100);
  const times: number[] = [];
  for (let index = 0; index < WARMUP_COMMITS + BASELINE_COMMITS; index += 1) {
    const phase = index < WARMUP_COMMITS ? 'warm-up' : 'baseline';
    const { ms } = commitAndRecord(run, readModifyWrite([keyOf(randomIndex(KEYS))], value), { phase });
    if (phase === 'baseline') times.push(ms);
  }
  times.sort((a, b) => a - b);
  const percentile = (share: number): number => times[Math.ceil(times.length * share) - 1] ?? 0;
  return { ...run, baseline: { p50Ms: percentile(0.5), p95Ms: percentile(0.95), p99Ms: percentile(0.99) } };
}
