// Transactions that almost reach the size limit, in many small operations or few big ones; and some that exceed it,
// which have to be refused with 413.
//   k6 run -e URL=... [-e QUICK=1] [-e MAX_COMMIT_BYTES=1048576] [-e VUS=4] [-e DURATION=60] loadtest/large.ts
import exec from 'k6/execution';
import http from 'k6/http';
import { Rate } from 'k6/metrics';
import { keyOf, randomIndex, randomValue } from './lib/bytes.ts';
import { commitAndRecord } from './lib/commit.ts';
import { type LoadPlan, optionsOf } from './lib/options.ts';
import type { Run } from './lib/run.ts';
import { numberSetting, phaseSeconds, SERVICE_URL } from './lib/settings.ts';
import { summaryOf } from './lib/summary.ts';
import type { Operation, Transaction } from './lib/transaction.ts';

export { lookUpSample } from './lib/acknowledged.ts';
export { setUp as setup } from './lib/run.ts';

const SECONDS = phaseSeconds(8, 60);
const VUS = numberSetting('VUS', 4);
const MAX_COMMIT_BYTES = numberSetting('MAX_COMMIT_BYTES', 1_048_576);
/** What a request holds besides its operations, generously. */
const FRAME_BYTES = 1_000;
const KEYS = 1_000_000;
/** One request in so many is too large. */
const TOO_LARGE_EVERY = 20;

const refusedTooLarge = new Rate('too_large_refused');

const plan: LoadPlan = {
  scenario: { executor: 'constant-vus', vus: VUS, duration: `${SECONDS}s` },
  seconds: SECONDS,
  vus: VUS,
  phases: { 'few big values': SECONDS, 'many small values': SECONDS },
  thresholds: {
    too_large_refused: ['rate==1'],
    // A thousand times the bytes of the baseline's commits: only that they keep coming is asked for.
    commits_within_p95_limit: ['rate>=0'],
    commits_within_p99_limit: ['rate>=0'],
  },
};
export const options = optionsOf(plan);
export const handleSummary = summaryOf('large', plan);

const bigValue = randomValue(100_000);
const smallValue = randomValue(100);

export default function commitLarge(run: Run): void {
  if (exec.vu.iterationInScenario % TOO_LARGE_EVERY === 0) sendTooLarge();
  else if (randomIndex(2) === 0) {
    commitAndRecord(run, filled(bigValue), { phase: 'few big values', isTimed: true });
  } else commitAndRecord(run, filled(smallValue), { phase: 'many small values', isTimed: true });
}

/** As many writes of the value as the limit allows. */
function filled(value: string): Transaction {
  const operations: Operation[] = [];
  const write = (): Operation => ({ type: 'write', key: keyOf(randomIndex(KEYS)), value });
  const count = Math.floor((MAX_COMMIT_BYTES - FRAME_BYTES) / (JSON.stringify(write()).length + 1));
  for (let index = 0; index < count; index += 1) operations.push(write());
  return { preconditions: [{ type: 'point_read', key: keyOf(KEYS) }], operations };
}

function sendTooLarge(): void {
  const response = http.post(`${SERVICE_URL}/v1/commit`, ' '.repeat(MAX_COMMIT_BYTES + 1), {
    headers: { 'Content-Type': 'application/json' },
    responseCallback: http.expectedStatuses(413),
    tags: { name: 'POST /v1/commit, too large' },
  });
  refusedTooLarge.add(response.status === 413);
}
