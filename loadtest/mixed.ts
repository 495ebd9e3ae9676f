// What a service in use gets: 80 % commits, then questions for the version and for outcomes, and retention policies.
//   k6 run -e URL=http://127.0.0.1:8080 [-e QUICK=1] [-e VUS=32] [-e DURATION=60] loadtest/mixed.ts
import { mixedRequest, otherThresholds } from './lib/mixture.ts';
import { type LoadPlan, optionsOf } from './lib/options.ts';
import type { Run } from './lib/run.ts';
import { numberSetting, phaseSeconds } from './lib/settings.ts';
import { summaryOf } from './lib/summary.ts';

export { lookUpSample } from './lib/acknowledged.ts';
export { setUp as setup } from './lib/run.ts';

const SECONDS = phaseSeconds(8, 60);
const VUS = numberSetting('VUS', 32);

const plan: LoadPlan = {
  scenario: { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s` },
  seconds: SECONDS,
  vus: VUS,
  phases: { mixed: SECONDS },
  thresholds: otherThresholds,
};
export const options = optionsOf(plan);
export const handleSummary = summaryOf('mixed', plan);

export default function mixed(run: Run): void {
  mixedRequest(run, 'mixed');
}
