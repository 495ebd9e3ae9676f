import type { Precision, RunResult, TestOutcome } from '../run/result.js';
import { countOutcomes } from './by-section.js';
import { count } from './words.js';

export type TestCounts = Readonly<Record<TestOutcome, number>>;

/** How many tests ended in which way. */
export function countTests(result: RunResult): TestCounts {
  const counts: Record<TestOutcome, number> = { passed: 0, failed: 0, skipped: 0, incomplete: 0 };
  for (const { outcome } of result.tests) counts[outcome] += 1;
  return counts;
}

/** The last line of every run: scripts read it. */
export function closingLine(result: RunResult): string {
  const { passed, failed, skipped, incomplete } = countTests(result);
  return `conformance: ${passed} passed, ${failed} failed, ${skipped} skipped, ${incomplete} incomplete`;
}

/** What stands behind the verdict, in one sentence. */
export function verdictSentence(result: RunResult): string {
  const { pass, fail, warn, skip, untested } = countOutcomes(result.requirements);
  const { incomplete } = countTests(result);
  const remarks: readonly (readonly [number, string])[] = [
    [fail, `${fail} broken`],
    [warn, `${count(warn, 'recommendation')} not held`],
    [skip, `${skip} skipped`],
    [untested, `${untested} untested`],
    [incomplete, `${count(incomplete, 'test')} without a verdict`],
    [result.knownFailures.length, `${count(result.knownFailures.length, 'known failure')}, as expected`],
    [result.unexpectedPasses.length, `${count(result.unexpectedPasses.length, 'known failure')} that passed`],
  ];
  const said = remarks.filter(([amount]) => amount > 0).map(([, remark]) => remark);
  return [`${count(pass, 'requirement')} held`, ...said].join(', ');
}

/** How often a commit was rejected although every precondition held. */
export function precisionSentence({ committed, rejected, rejectedWithoutNeed }: Precision): string {
  const beside = `beside ${count(committed, 'commit')} with preconditions`;
  if (rejected === 0) return `No rejection could be judged, ${beside}.`;
  const share = ((100 * rejectedWithoutNeed) / rejected).toFixed(1);
  return `${share} % of the rejections were not needed: ${rejectedWithoutNeed} of ${rejected}, ${beside}.`;
}
