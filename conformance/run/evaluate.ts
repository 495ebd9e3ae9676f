import { CATALOGUE, type requirement } from '../catalogue/catalogue.js';
import type { Observation, RequirementOutcome, RequirementResult, TestResult, Verdict } from './result.js';
import type { Test } from './test.js';

function outcomeOf(
  requirementEntry: ReturnType<typeof requirement>,
  results: readonly TestResult[],
  observations: readonly Observation[],
): RequirementOutcome {
  const { id, level, untestable } = requirementEntry;
  if (results.some(({ failures }) => failures.some((failure) => failure.requirement === id)))
    return level === 'MUST' ? 'fail' : 'warn';
  if (untestable !== undefined) return 'untested';
  const covering = results.filter(({ requirements }) => requirements.includes(id));
  if (level === 'OPEN' && (observations.some(({ requirement: seen }) => seen === id) || covering.length > 0))
    return covering.length > 0 && covering.every(({ outcome }) => outcome === 'skipped') ? 'skip' : 'open';
  if (covering.some(({ outcome }) => outcome === 'passed')) return 'pass';
  return covering.length > 0 && covering.every(({ outcome }) => outcome === 'skipped') ? 'skip' : 'untested';
}

/** What the results of the tests say of each requirement of the catalogue. */
export function judgeRequirements(
  tests: readonly Test[],
  results: readonly TestResult[],
  observations: readonly Observation[],
): RequirementResult[] {
  return CATALOGUE.map((entry) => ({
    id: entry.id,
    section: entry.section,
    level: entry.level,
    text: entry.text,
    outcome: outcomeOf(entry, results, observations),
    tests: tests.filter(({ requirements }) => requirements.includes(entry.id)).map(({ name }) => name),
    untestable: entry.untestable,
  }));
}

/** Known failures do not count against the server; a known failure that passed does. */
export function judgeRun(
  results: readonly TestResult[],
  isKnownFailure: (result: TestResult) => boolean,
  unexpectedPasses: readonly string[],
): Verdict {
  const failed = results.some((result) => result.outcome === 'failed' && !isKnownFailure(result));
  if (failed || unexpectedPasses.length > 0) return 'failed';
  const noVerdict =
    results.every(({ outcome }) => outcome === 'skipped') ||
    results.some(({ outcome }) => outcome === 'incomplete');
  return noVerdict ? 'incomplete' : 'passed';
}
