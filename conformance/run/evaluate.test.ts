import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CATALOGUE } from '../catalogue/catalogue.js';
import { judgeRequirements, judgeRun } from './evaluate.js';
import type { Observation, RequirementOutcome, TestOutcome, TestResult } from './result.js';
import type { Test } from './test.js';

const MUST = 'COMMIT-RANGE-READ';
const SHOULD = 'COMMIT-PRECOND-RANGE-END-EXCLUSIVE';
const OPEN = 'COMMIT-EMPTY';
const UNTESTABLE = 'LOG-SINGLE-LEADER';

const resultOf = (
  outcome: TestOutcome,
  requirements: readonly string[],
  broken: readonly string[] = [],
): TestResult => ({
  name: 'a/b',
  title: '',
  section: '2.2',
  requirements,
  outcome,
  durationMs: 1,
  failures: broken.map((requirement) => ({
    requirement,
    level: 'MUST',
    message: '',
    counterexample: undefined,
    timeline: [],
    exchanges: [],
  })),
  reason: undefined,
});

function outcomeOf(
  id: string,
  results: readonly TestResult[],
  observations: readonly Observation[] = [],
): RequirementOutcome {
  const judged = judgeRequirements([], results, observations).find((one) => one.id === id);
  assert.ok(judged);
  return judged.outcome;
}

const seen = [{ requirement: OPEN, test: 'a/b', text: 'x' }];

test('a MUST passes with any test that passed, fails with any failure of its own', () => {
  const passed = resultOf('passed', [MUST]);
  assert.equal(outcomeOf(MUST, [passed]), 'pass');
  assert.equal(outcomeOf(MUST, [passed, resultOf('failed', [MUST], [MUST])]), 'fail');
  assert.equal(outcomeOf(MUST, [passed, resultOf('failed', ['EVENT-FIELDS'], [MUST])]), 'fail');
  assert.equal(outcomeOf(MUST, [passed, resultOf('failed', [MUST], ['EVENT-FIELDS'])]), 'pass');
  assert.equal(outcomeOf(MUST, [passed, resultOf('skipped', [MUST])]), 'pass');
});

test('a MUST that no test could judge is skipped or untested', () => {
  assert.equal(outcomeOf(MUST, []), 'untested');
  assert.equal(outcomeOf(MUST, [resultOf('passed', ['EVENT-FIELDS'])]), 'untested');
  assert.equal(outcomeOf(MUST, [resultOf('skipped', [MUST])]), 'skip');
  assert.equal(outcomeOf(MUST, [resultOf('incomplete', [MUST])]), 'untested');
  assert.equal(outcomeOf(MUST, [resultOf('skipped', [MUST]), resultOf('incomplete', [MUST])]), 'untested');
  assert.equal(outcomeOf(MUST, [resultOf('failed', [MUST], ['EVENT-FIELDS'])]), 'untested');
});

test('a SHOULD that did not hold is a warning', () => {
  assert.equal(outcomeOf(SHOULD, [resultOf('passed', [SHOULD])]), 'pass');
  assert.equal(outcomeOf(SHOULD, [resultOf('passed', [SHOULD], [SHOULD])]), 'warn');
});

test('what is left open is open once it was seen or looked at', () => {
  assert.equal(outcomeOf(OPEN, []), 'untested');
  assert.equal(outcomeOf(OPEN, [], seen), 'open');
  assert.equal(outcomeOf(OPEN, [resultOf('passed', [OPEN])]), 'open');
  assert.equal(outcomeOf(OPEN, [resultOf('failed', [OPEN], [MUST])]), 'open');
  assert.equal(outcomeOf(OPEN, [resultOf('skipped', [OPEN])]), 'skip');
  assert.equal(outcomeOf(OPEN, [resultOf('passed', [OPEN], [OPEN])]), 'warn');
  assert.equal(outcomeOf(MUST, [], [{ ...seen[0]!, requirement: MUST }]), 'untested');
});

test('what cannot be tested stays untested, unless it was seen broken', () => {
  assert.equal(outcomeOf(UNTESTABLE, [resultOf('passed', [UNTESTABLE])]), 'untested');
  assert.equal(outcomeOf(UNTESTABLE, [resultOf('failed', [MUST], [UNTESTABLE])]), 'fail');
});

test('every requirement of the catalogue is judged, with the tests that cover it', () => {
  const covering = (name: string, ...requirements: [string, ...string[]]): Test => ({
    name,
    title: '',
    requirements,
    run: async () => undefined,
  });
  const judged = judgeRequirements([covering('a/b', MUST), covering('a/c', SHOULD, MUST)], [], []);
  assert.deepEqual(
    judged.map(({ id }) => id),
    CATALOGUE.map(({ id }) => id),
  );
  const must = judged.find(({ id }) => id === MUST);
  assert.deepEqual(must?.tests, ['a/b', 'a/c']);
  assert.equal(must?.section, '2.2');
  assert.equal(must?.level, 'MUST');
  assert.deepEqual(judged.find(({ id }) => id === OPEN)?.tests, []);
});

const never = (): boolean => false;
const [passed, failed, skipped, incomplete] = (['passed', 'failed', 'skipped', 'incomplete'] as const).map(
  (outcome) => resultOf(outcome, [MUST]),
) as [TestResult, TestResult, TestResult, TestResult];

test('a run passes when something passed and nothing is in the way', () => {
  assert.equal(judgeRun([passed], never, []), 'passed');
  assert.equal(judgeRun([passed, skipped], never, []), 'passed');
});

test('a run without any verdict has none', () => {
  assert.equal(judgeRun([], never, []), 'incomplete');
  assert.equal(judgeRun([skipped], never, []), 'incomplete');
  assert.equal(judgeRun([passed, incomplete], never, []), 'incomplete');
});

test('one failure fails a run, unless it is known', () => {
  assert.equal(judgeRun([passed, failed, incomplete], never, []), 'failed');
  assert.equal(
    judgeRun([passed, failed], (result) => result === failed, []),
    'passed',
  );
  const other = resultOf('failed', [MUST]);
  assert.equal(
    judgeRun([failed, other], (result) => result === failed, []),
    'failed',
  );
  assert.equal(
    judgeRun([failed], () => true, []),
    'passed',
    'it failed, as it is known to',
  );
});

test('a known failure that passed fails a run', () => {
  assert.equal(judgeRun([passed], never, ['a/b']), 'failed');
  assert.equal(judgeRun([incomplete], never, ['a/b']), 'failed');
});
