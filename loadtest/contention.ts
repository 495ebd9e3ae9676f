// Many clients, few keys: each transaction reads and writes some hot keys, and is retried until it is committed.
//   k6 run -e URL=http://127.0.0.1:8080 [-e QUICK=1] [-e VUS=32] [-e HOT_KEYS=16] [-e DURATION=60] loadtest/contention.ts
import { keyOf, randomIndexes, randomValue } from './lib/bytes.ts';
import { type LoadPlan, optionsOf } from './lib/options.ts';
import { commitWithRetries } from './lib/retry.ts';
import type { Run } from './lib/run.ts';
import { IS_QUICK, numberSetting, phaseSeconds } from './lib/settings.ts';
import { summaryOf } from './lib/summary.ts';
import { readModifyWrite } from './lib/transaction.ts';

export { lookUpSample } from './lib/acknowledged.ts';
export { setUp as setup } from './lib/run.ts';

const SECONDS = phaseSeconds(8, 60);
const VUS = numberSetting('VUS', IS_QUICK ? 16 : 32);
const HOT_KEYS = numberSetting('HOT_KEYS', 16);
const KEYS_OF_A_TRANSACTION = 2;

const plan: LoadPlan = {
  scenario: { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s` },
  seconds: SECONDS,
  vus: VUS,
  phases: { contention: SECONDS },
  thresholds: {
    transactions_done: ['rate>0.999'],
    // Without conflicts this was no contention.
    conflicts: ['count>0'],
  },
};
export const options = optionsOf(plan);
export const handleSummary = summaryOf('contention', plan);

const value = randomValue(100);

export default function contend(run: Run): void {
  const keys = randomIndexes(KEYS_OF_A_TRANSACTION, HOT_KEYS).map(keyOf);
  commitWithRetries(run, () => readModifyWrite(keys, value), { phase: 'contention', isTimed: true });
}
