import exec from 'k6/execution';
import { keyOf, randomIndex, randomValue } from './bytes.ts';
import { commitAndRecord } from './commit.ts';
import { otherMs, requestErrors } from './metrics.ts';
import type { Run } from './run.ts';
import { getStatus, getVersion, retention, type Timed } from './service.ts';
import { readModifyWrite } from './transaction.ts';

const KEYS = 100_000;

/** Of 100 requests. */
const LOOKUPS = 5;
const VERSIONS = 10;
const RETENTIONS = 5;

export const OTHER_REQUESTS = ['version', 'status', 'retention'] as const;

const value = randomValue(100);

/** The commit that this virtual user was last told of. */
let lastCommit: { requestId: string; version: number; readVersion: number } | undefined;

/** One request of those that a service in use gets: mostly commits, some questions, a few changes of policies. */
export function mixedRequest(run: Run, phase: string): void {
  const draw = randomIndex(100);
  if (draw < LOOKUPS) lookUp();
  else if (draw < LOOKUPS + VERSIONS) askVersion();
  else if (draw < LOOKUPS + VERSIONS + RETENTIONS) movePolicy(run);
  else commit(run, phase);
}

function commit(run: Run, phase: string): void {
  const transaction = readModifyWrite([keyOf(randomIndex(KEYS))], value);
  const { answer, requestId, readVersion } = commitAndRecord(run, transaction, { phase, isTimed: true });
  if (answer.kind === 'committed') lastCommit = { requestId, version: answer.version, readVersion };
}

/** The answer has to be at least as new as what we were told before we asked. */
function askVersion(): void {
  const known = lastCommit?.version ?? 0;
  record(
    'version',
    () => getVersion(),
    ({ version }) => version >= known,
  );
}

function lookUp(): void {
  if (lastCommit === undefined) return;
  const { requestId, version, readVersion } = lastCommit;
  record(
    'status',
    () => getStatus(requestId, readVersion),
    (answer) => answer.status === 'committed' && answer.version === version,
  );
}

/** A reader that keeps the log from being truncated behind it, moves on, and is listed; at times it leaves. */
function movePolicy(run: Run): void {
  const policy = `load-${run.id}-${exec.vu.idInTest}`;
  const version = lastCommit?.version ?? run.version;
  record(
    'retention',
    () => retention('PUT', policy, version),
    (status) => status === 200 || status === 201,
  );
  record(
    'retention',
    () => retention('GET', policy),
    (status) => status === 200,
  );
  if (randomIndex(4) === 0)
    record(
      'retention',
      () => retention('DELETE', policy),
      (status) => status === 204,
    );
}

function record<T>(
  name: (typeof OTHER_REQUESTS)[number],
  send: () => Timed<T>,
  isRight: (answer: T) => boolean,
): void {
  try {
    const { answer, ms } = send();
    otherMs.add(ms, { request: name });
    requestErrors.add(!isRight(answer));
    if (!isRight(answer)) console.error(`${name}: wrong answer ${JSON.stringify(answer)}`);
  } catch (error) {
    requestErrors.add(true);
    console.error(String(error));
  }
}

/** Has k6 keep the figures of each kind of request apart. */
export const otherThresholds = Object.fromEntries(
  OTHER_REQUESTS.map((name) => [`other_ms{request:${name}}`, ['max>=0']]),
);
