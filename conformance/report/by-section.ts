import { compareSections, SECTIONS } from '../catalogue/sections.js';
import type { RequirementOutcome, RequirementResult, RunResult, TestResult } from '../run/result.js';
import { groupBy } from './group-by.js';

/** In the order of the columns of a matrix. */
export const REQUIREMENT_OUTCOMES: readonly RequirementOutcome[] = [
  'pass',
  'fail',
  'warn',
  'skip',
  'open',
  'untested',
];

export type OutcomeCounts = Readonly<Record<RequirementOutcome, number>>;

/** What a run says of one section of the specification. */
export interface SectionReport {
  /** Such as `4.3`. */
  readonly section: string;
  readonly title: string;
  readonly requirements: readonly RequirementResult[];
  readonly counts: OutcomeCounts;
  /** By name: the order in which tests end differs from run to run. */
  readonly tests: readonly TestResult[];
}

/** How many requirements ended in which way. */
export function countOutcomes(requirements: readonly RequirementResult[]): OutcomeCounts {
  const counts: Record<RequirementOutcome, number> = {
    pass: 0,
    fail: 0,
    warn: 0,
    skip: 0,
    open: 0,
    untested: 0,
  };
  for (const { outcome } of requirements) counts[outcome] += 1;
  return counts;
}

const compareNames = (a: TestResult, b: TestResult): number =>
  a.name < b.name ? -1 : a.name > b.name ? 1 : 0;

/** Every section that has a requirement or a test, in the order of the specification. */
export function bySection(result: RunResult): readonly SectionReport[] {
  const requirements = groupBy(result.requirements, ({ section }) => section);
  const tests = groupBy(result.tests, ({ section }) => section);
  return [...new Set([...requirements.keys(), ...tests.keys()])].sort(compareSections).map((section) => {
    const ofSection = requirements.get(section) ?? [];
    return {
      section,
      title: SECTIONS[section] ?? '',
      requirements: ofSection,
      counts: countOutcomes(ofSection),
      tests: (tests.get(section) ?? []).sort(compareNames),
    };
  });
}
