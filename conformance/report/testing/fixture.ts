import { CATALOGUE } from '../../catalogue/catalogue.js';
import type {
  Exchange,
  Failure,
  RequirementOutcome,
  RequirementResult,
  RunResult,
  TestResult,
} from '../../run/result.js';

/** Text that breaks out of HTML, XML, attributes and terminals wherever it is let through. */
export const HOSTILE = `</script><b>&amp;"'\`\${x}]]>-->\u0000\u0007\u001b[31m\r\n\ttab \u{1f409} \ud800 \udfff \u202e\uffff\ufffe end`;

export const hostile = (place: string): string => `${place} ${HOSTILE}`;

function exchange(number: number): Exchange {
  const body = JSON.stringify({
    request_id: `7f1d0c9e-3b52-4b0a-9f3e-${String(number).padStart(12, '0')}`,
    leader_id: 'leader-3f9a1c',
    read_version: 1180 + number,
    preconditions: [{ type: 'range_read', begin: 'Yy9hcHBsZQ==', end: 'Yy9iYW5hbmE=' }],
    operations: [{ type: 'write', key: 'Yy9hcHBsZQ==', value: 'Zml2ZQ==' }],
  });
  const answer = `{"request_id":"7f1d0c9e-3b52-4b0a-9f3e-${String(number).padStart(12, '0')}","status":"committed","version":${1181 + number},"leader_id":"leader-3f9a1c"}`;
  return {
    startedMs: 12.5 * number,
    endedMs: 12.5 * number + 3.4,
    method: 'POST',
    url: 'http://127.0.0.1:4100/v1/commit',
    requestHead: `POST /v1/commit HTTP/1.1\nhost: 127.0.0.1:4100\ncontent-type: application/json\ncontent-length: ${body.length}`,
    requestBody: body,
    requestBytes: body.length,
    responseHead:
      'HTTP/1.1 200 OK\ncontent-type: application/json; charset=utf-8\ndate: Sat, 21 Nov 2026 03:14:07 GMT',
    responseBody: answer,
    responseBytes: answer.length,
    error: undefined,
    curl: `curl -sN -X POST 'http://127.0.0.1:4100/v1/commit' -H 'content-type: application/json' --data-binary '${body}'`,
  };
}

const HOSTILE_EXCHANGE: Exchange = {
  startedMs: 131.2,
  endedMs: undefined,
  method: 'GET',
  url: hostile('exchange url'),
  requestHead: hostile('request head'),
  requestBody: hostile('request body'),
  requestBytes: 100_000,
  responseHead: `HTTP/1.1 200 ${hostile('response head')}`,
  responseBody: hostile('response body'),
  responseBytes: 5000,
  error: hostile('exchange error'),
  curl: hostile('exchange curl'),
};

export const RANGE_FAILURE: Failure = {
  requirement: 'COMMIT-RANGE-READ',
  level: 'MUST',
  message:
    'A commit was answered as committed although its range_read did not hold.\nexpected: not_committed\n     got: committed at version 1189',
  counterexample:
    'a: write "c/b" = "1"                       committed at 1187\nb: range_read ["c/a", "c/c") at 1186, write "c/z"  committed at 1189',
  timeline: [
    { atMs: 0, who: 'a', what: 'GET /v1/version: 1186, leader-3f9a1c' },
    { atMs: 4.2, who: 'a', what: 'commits write "c/b" = "1" at read_version 1186' },
    { atMs: 9.8, who: 'a', what: 'committed at 1187' },
    { atMs: 10.1, who: 'b', what: 'commits range_read ["c/a", "c/c") at 1186, write "c/z" = "2"' },
    { atMs: 15.9, who: 'stream 1', what: 'transaction 1187 after 1186, write "c/b" = "1"' },
    { atMs: 16.4, who: 'b', what: 'committed at 1189' },
  ],
  exchanges: Array.from({ length: 9 }, (_, index) => exchange(index)),
};

export const HOSTILE_FAILURE: Failure = {
  requirement: 'STREAM-COMPLETE',
  level: 'MUST',
  message: hostile('message'),
  counterexample: hostile('counterexample'),
  timeline: [
    { atMs: 0.04, who: hostile('timeline who'), what: hostile('timeline what') },
    ...Array.from({ length: 300 }, (_, index) => ({
      atMs: index + 1,
      who: 'reader',
      what: `event number ${index}.`,
    })),
  ],
  exchanges: [exchange(10), HOSTILE_EXCHANGE],
};

const SHOULD_FAILURE: Failure = {
  requirement: 'COMMIT-PRECOND-RANGE-END-EXCLUSIVE',
  level: 'SHOULD',
  message: 'A change at the end of a range_read caused a rejection.',
  counterexample: undefined,
  timeline: [],
  exchanges: [],
};

const testResult = (name: string, section: string, given: Partial<TestResult> = {}): TestResult => ({
  name,
  title: `What ${name} is about.`,
  section,
  requirements: [],
  outcome: 'passed',
  durationMs: 12.4,
  failures: [],
  reason: undefined,
  ...given,
});

const TESTS: readonly TestResult[] = [
  testResult('commit/range-read/overlap', '2.2', {
    requirements: ['COMMIT-RANGE-READ', 'COMMIT-PRECOND-RANGE-BEGIN-INCLUSIVE'],
    outcome: 'failed',
    durationMs: 1834.2,
    failures: [RANGE_FAILURE],
  }),
  testResult('commit/range-read/end-is-exclusive', '2.2', {
    requirements: ['COMMIT-PRECOND-RANGE-END-EXCLUSIVE'],
    failures: [SHOULD_FAILURE],
  }),
  testResult('commit/point-read', '2.2', { requirements: ['COMMIT-POINT-READ'] }),
  testResult('commit/malformed', '7', { requirements: ['COMMIT-MALFORMED-JSON'] }),
  testResult('stream/complete', '6.4', {
    title: hostile('test title'),
    requirements: ['STREAM-COMPLETE'],
    outcome: 'failed',
    failures: [HOSTILE_FAILURE],
  }),
  testResult(hostile('test name'), '6.4', { requirements: ['STREAM-SAME-LOG'] }),
  testResult('stream/slow-reader', '6.4', {
    requirements: ['STREAM-SLOW-READER'],
    outcome: 'incomplete',
    reason: hostile('incomplete reason'),
  }),
  testResult('log/durable', '1', {
    requirements: ['LOG-DURABLE'],
    outcome: 'skipped',
    reason: 'needs a command that kills and restarts the server',
  }),
  testResult('status/durable', '8', {
    requirements: ['STATUS-DURABLE'],
    outcome: 'skipped',
    reason: 'needs a command that kills and restarts the server',
  }),
  testResult('stream/truncated', '4.4', {
    requirements: ['STREAM-AFTER-TRUNCATED'],
    outcome: 'skipped',
    reason: hostile('skip reason'),
  }),
  testResult('commit/empty', '2.2', { requirements: ['COMMIT-EMPTY'] }),
  testResult('status/late-arrival', '3', {
    requirements: ['STATUS-LATE-ARRIVAL'],
    outcome: 'failed',
    failures: [
      { ...SHOULD_FAILURE, requirement: 'STATUS-LATE-ARRIVAL', level: 'MUST', message: 'It committed.' },
    ],
  }),
];

const OUTCOMES: Readonly<Record<string, RequirementOutcome>> = {
  'COMMIT-RANGE-READ': 'fail',
  'STREAM-COMPLETE': 'fail',
  'STATUS-LATE-ARRIVAL': 'fail',
  'COMMIT-PRECOND-RANGE-END-EXCLUSIVE': 'warn',
  'LOG-DURABLE': 'skip',
  'STATUS-DURABLE': 'skip',
  'STREAM-AFTER-TRUNCATED': 'skip',
  'STREAM-SLOW-READER': 'untested',
  'COMMIT-EMPTY': 'open',
};

const REQUIREMENTS: readonly RequirementResult[] = [
  ...CATALOGUE.map(
    ({ id, section, level, text, untestable }): RequirementResult => ({
      id,
      section,
      level,
      text,
      outcome: OUTCOMES[id] ?? (untestable !== undefined ? 'untested' : level === 'OPEN' ? 'open' : 'pass'),
      tests: TESTS.filter(({ requirements }) => requirements.includes(id)).map(({ name }) => name),
      untestable,
    }),
  ),
  {
    id: 'HOSTILE"><b>',
    section: '12.10',
    level: 'MUST',
    text: hostile('requirement text'),
    outcome: 'untested',
    tests: ['never/run'],
    untestable: hostile('untestable'),
  },
];

/** A run with every outcome there is, and hostile text wherever text can be. */
export const FIXTURE: RunResult = {
  url: hostile('url'),
  seed: 20_261_121,
  startedAt: '2026-11-21T03:14:07.123Z',
  durationMs: 83_400,
  options: ['--section 2.2,6.4', hostile('option')],
  verdict: 'failed',
  tests: TESTS,
  requirements: REQUIREMENTS,
  observations: [
    { requirement: 'COMMIT-EMPTY', test: 'commit/empty', text: 'empty operations: 400' },
    { requirement: 'COMMIT-EMPTY', test: 'commit/empty', text: 'an empty key: committed' },
    { requirement: 'COMMIT-EMPTY', test: 'commit/empty-again', text: 'an empty key: committed' },
    { requirement: 'ERROR-BODY', test: 'all', text: hostile('observation') },
  ],
  precision: { committed: 1204, rejected: 160, rejectedWithoutNeed: 12 },
  unexpectedPasses: [hostile('unexpected pass')],
  knownFailures: ['status/late-arrival'],
};

/** A run in which all is well. */
export const GOOD: RunResult = {
  ...FIXTURE,
  url: 'http://127.0.0.1:4100',
  options: [],
  verdict: 'passed',
  tests: [testResult('commit/point-read', '2.2', { requirements: ['COMMIT-POINT-READ'] })],
  requirements: REQUIREMENTS.filter(({ outcome }) => outcome === 'pass'),
  observations: [],
  precision: { committed: 3, rejected: 0, rejectedWithoutNeed: 0 },
  unexpectedPasses: [],
  knownFailures: [],
};
