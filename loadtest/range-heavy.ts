// Transactions whose reads are ranges, each over many keys, with range deletes among the operations.
//   k6 run -e URL=http://127.0.0.1:8080 [-e QUICK=1] [-e VUS=16] [-e RANGES=20] [-e DURATION=60] loadtest/range-heavy.ts
import { keyOf, randomIndex, randomValue } from './lib/bytes.ts';
import { commitAndRecord } from './lib/commit.ts';
import { type LoadPlan, optionsOf } from './lib/options.ts';
import type { Run } from './lib/run.ts';
import { numberSetting, phaseSeconds } from './lib/settings.ts';
import { summaryOf } from './lib/summary.ts';
import type { Operation, Precondition } from './lib/transaction.ts';

export { lookUpSample } from './lib/acknowledged.ts';
export { setUp as setup } from './lib/run.ts';

const SECONDS = phaseSeconds(8, 60);
const VUS = numberSetting('VUS', 16);
const RANGES = numberSetting('RANGES', 20);
const KEYS = 10_000_000;
const KEYS_OF_A_RANGE = 1_000;
const WRITES = 10;
/** One transaction in so many removes a range. */
const DELETES_EVERY = 10;

const plan: LoadPlan = {
  scenario: { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s` },
  seconds: SECONDS,
  vus: VUS,
  phases: { ranges: SECONDS },
};
export const options = optionsOf(plan);
export const handleSummary = summaryOf('range-heavy', plan);

const value = randomValue(100);

export default function readRanges(run: Run): void {
  const preconditions: Precondition[] = Array.from({ length: RANGES }, () => ({
    type: 'range_read',
    ...range(),
  }));
  const operations: Operation[] = Array.from({ length: WRITES }, () => ({
    type: 'write',
    key: keyOf(randomIndex(KEYS)),
    value,
  }));
  if (randomIndex(DELETES_EVERY) === 0) operations.push({ type: 'range_delete', ...range() });
  commitAndRecord(run, { preconditions, operations }, { phase: 'ranges', isTimed: true });
}

function range(): { begin: string; end: string } {
  const first = randomIndex(KEYS - KEYS_OF_A_RANGE);
  return { begin: keyOf(first), end: keyOf(first + KEYS_OF_A_RANGE) };
}
