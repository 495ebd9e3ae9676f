import { compareSections } from '../catalogue/sections.js';
import type { Failure, RunResult, TestResult } from '../run/result.js';
import { groupBy } from './group-by.js';

/** A broken requirement, with what a reader has to know to understand the failure. */
export interface Finding {
  readonly failure: Failure;
  readonly test: TestResult;
  /** The section and the sentence of the requirement; empty where the catalogue does not know it. */
  readonly section: string;
  readonly text: string;
  /** The test is on the list of known failures. */
  readonly known: boolean;
}

const rank = ({ failure, known }: Finding): number => (failure.level === 'MUST' ? (known ? 1 : 0) : 2);

/** All failures of a run: broken MUSTs first, then known failures, then SHOULDs that did not hold. */
export function findingsOf(result: RunResult): readonly Finding[] {
  const requirements = new Map(result.requirements.map((requirement) => [requirement.id, requirement]));
  return result.tests
    .flatMap((test) =>
      test.failures.map((failure): Finding => {
        const requirement = requirements.get(failure.requirement);
        return {
          failure,
          test,
          section: requirement?.section ?? '',
          text: requirement?.text ?? '',
          known: isKnownFailure(result, test),
        };
      }),
    )
    .sort((a, b) => rank(a) - rank(b) || compareSections(a.section, b.section));
}

/** The test failed, and was expected to. */
export const isKnownFailure = (result: RunResult, test: TestResult): boolean =>
  test.outcome === 'failed' && result.knownFailures.includes(test.name);

export interface ReasonGroup {
  readonly reason: string;
  /** Each once, though a long run repeats tests. */
  readonly names: readonly string[];
}

/** The tests that were skipped, or that reached no verdict, under the reasons for it; the most common first. */
export function groupByReason(result: RunResult, outcome: 'skipped' | 'incomplete'): readonly ReasonGroup[] {
  const tests = result.tests.filter((test) => test.outcome === outcome);
  const groups = groupBy(tests, ({ reason }) => reason ?? 'no reason was given');
  return [...groups]
    .map(([reason, members]) => ({ reason, names: [...new Set(members.map(({ name }) => name))].sort() }))
    .sort((a, b) => b.names.length - a.names.length || (a.reason < b.reason ? -1 : 1));
}

export interface Seen {
  readonly requirement: string;
  readonly texts: readonly string[];
}

/** What was seen where the specification leaves a choice, by requirement, each text once. */
export const observationsByRequirement = (result: RunResult): readonly Seen[] =>
  [...groupBy(result.observations, ({ requirement }) => requirement)].map(([requirement, observations]) => ({
    requirement,
    texts: [...new Set(observations.map(({ text }) => text))],
  }));
