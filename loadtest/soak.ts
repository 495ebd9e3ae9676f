// The mixture at a steady, moderate rate for a long time; each tenth of it has a row in the summary, so that a server
// that grows slower is seen.
//   k6 run -e URL=http://127.0.0.1:8080 [-e QUICK=1] [-e RATE=500] [-e DURATION=3600] loadtest/soak.ts
import exec from 'k6/execution';
import { mixedRequest, otherThresholds } from './lib/mixture.ts';
import { type LoadPlan, optionsOf } from './lib/options.ts';
import type { Run } from './lib/run.ts';
import { numberSetting, phaseSeconds } from './lib/settings.ts';
import { summaryOf } from './lib/summary.ts';

export { lookUpSample } from './lib/acknowledged.ts';
export { setUp as setup } from './lib/run.ts';

const SECONDS = phaseSeconds(10, 3_600);
const RATE = numberSetting('RATE', 500);
const VUS = numberSetting('VUS', 64);
const PARTS = 10;

const plan: LoadPlan = {
  scenario: {
    executor: 'constant-arrival-rate',
    rate: RATE,
    duration: `${SECONDS}s`,
    preAllocatedVUs: VUS,
    maxVUs: VUS,
  },
  seconds: SECONDS,
  vus: VUS,
  phases: Object.fromEntries(Array.from({ length: PARTS }, (_, part) => [phaseOf(part), SECONDS / PARTS])),
  // What k6 could not send because all its clients were waiting.
  thresholds: { ...otherThresholds, dropped_iterations: [`count<${(SECONDS * RATE) / 1000}`] },
};
export const options = optionsOf(plan);
export const handleSummary = summaryOf('soak', plan);

export default function soak(run: Run): void {
  const seconds = (Date.now() - exec.scenario.startTime) / 1000;
  mixedRequest(run, phaseOf(Math.min(PARTS - 1, Math.floor((seconds / SECONDS) * PARTS))));
}

function phaseOf(part: number): string {
  return `part ${String(part + 1).padStart(2, '0')} of ${PARTS}`;
}
