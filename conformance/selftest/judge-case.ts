import type { Case, CaseOptions } from './case.js';
import { runIsolated } from './isolated-case.js';
import { type Judgement, judge } from './judge.js';

interface Attempt extends Omit<CaseOptions, 'seed'> {
  readonly note: string;
}

/** What is tried in turn until a fault is found. */
const ATTEMPTS: readonly Attempt[] = [
  { depth: 'quick', allTests: false, note: '' },
  { depth: 'default', allTests: false, note: ' (not in a quick run)' },
  { depth: 'quick', allTests: true, note: ' (only in a run of all tests)' },
];

const FULL_ATTEMPT: Attempt = { depth: 'default', allTests: true, note: '' };

/** Runs the suite on the server of `one` until it is right about it, or has had its chances. */
export async function judgeCase(one: Case, full: boolean, seed: number): Promise<Judgement> {
  if (one.kind === 'variant')
    return judge(one, await runIsolated(one, { depth: full ? 'default' : 'quick', allTests: true, seed }));
  let last: Judgement | undefined;
  for (const { note, ...attempt } of full ? [FULL_ATTEMPT] : ATTEMPTS) {
    last = judge(one, await runIsolated(one, { ...attempt, seed }));
    if (last.passed) return { ...last, text: last.text + note };
  }
  return last!;
}
