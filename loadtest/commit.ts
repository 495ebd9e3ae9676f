// Commits at a rate that rises until the server, or k6, can take no more.
//   k6 run -e URL=http://127.0.0.1:8080 [-e QUICK=1] [-e RATES=250,500,1000] [-e DURATION=5] loadtest/commit.ts
import exec from 'k6/execution';
import { keyOf, randomIndex, randomValue } from './lib/bytes.ts';
import { commitAndRecord } from './lib/commit.ts';
import { type LoadPlan, optionsOf } from './lib/options.ts';
import type { Run } from './lib/run.ts';
import { IS_QUICK, numberSetting, phaseSeconds } from './lib/settings.ts';
import { summaryOf } from './lib/summary.ts';
import { readModifyWrite } from './lib/transaction.ts';

export { lookUpSample } from './lib/acknowledged.ts';
export { setUp as setup } from './lib/run.ts';

/** Commits per second of each step; the last ones are meant to be too many. */
const RATES = (__ENV['RATES'] ?? (IS_QUICK ? '50,1000,4000' : '100,500,1000,2000,4000,8000,16000'))
  .split(',')
  .map(Number);
const STEP_SECONDS = phaseSeconds(2, 10);
const RISE_SECONDS = 1;
const VUS = numberSetting('VUS', 128);
const KEYS = 100_000;

const plan: LoadPlan = {
  scenario: {
    executor: 'ramping-arrival-rate',
    startRate: RATES[0]!,
    preAllocatedVUs: VUS,
    maxVUs: VUS,
    stages: RATES.flatMap((target) => [
      { target, duration: `${RISE_SECONDS}s` },
      { target, duration: `${STEP_SECONDS}s` },
    ]),
  },
  seconds: RATES.length * (RISE_SECONDS + STEP_SECONDS),
  vus: VUS,
  phases: Object.fromEntries(RATES.map((rate) => [phaseOf(rate), STEP_SECONDS])),
};
export const options = optionsOf(plan);
export const handleSummary = summaryOf('commit', plan);

const value = randomValue(100);

export default function commit(run: Run): void {
  const rate = currentRate();
  commitAndRecord(run, readModifyWrite([keyOf(randomIndex(KEYS))], value), {
    phase: rate === undefined ? 'rising' : phaseOf(rate),
    // The thresholds of latency hold for the lowest rate, and up to half of what a single client reached alone.
    isTimed: rate !== undefined && (rate === RATES[0] || rate <= 500 / run.baseline.p50Ms),
  });
}

function phaseOf(rate: number): string {
  return `${rate}/s`;
}

/** The rate of the step that we are in; undefined while it rises. */
function currentRate(): number | undefined {
  const seconds = (Date.now() - exec.scenario.startTime) / 1000;
  const step = Math.floor(seconds / (RISE_SECONDS + STEP_SECONDS));
  const isRising = seconds - step * (RISE_SECONDS + STEP_SECONDS) < RISE_SECONDS;
  return isRising ? undefined : RATES[step];
}
