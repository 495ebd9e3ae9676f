import type { Case, CaseResult, Finding } from './case.js';

/** What one run of the suite says of the suite. */
export interface Judgement {
  readonly passed: boolean;
  /** In one line: what caught the fault, or what is wrong. */
  readonly text: string;
  /** The requirements that were rightly found broken. */
  readonly found: readonly string[];
}

const shown = ({ requirement, test, message }: Finding): string =>
  `${requirement} (${test}): ${message.slice(0, 300)}`;

const ids = (findings: readonly Finding[]): string =>
  [...new Set(findings.map(({ requirement, test }) => `${requirement} by ${test}`))].join(', ');

const without = (incomplete: readonly string[]): string =>
  incomplete.length > 0 ? `; without verdict: ${incomplete.join('; ')}` : '';

/** A fault has to be found; nothing may be found on a server that conforms. */
export function judge({ kind }: Case, { caught, other, incomplete, passedTests }: CaseResult): Judgement {
  const found = caught.map(({ requirement }) => requirement);
  const first = caught[0];
  if (kind === 'fault') {
    if (first !== undefined) return { passed: true, text: `${first.requirement} by ${first.test}`, found };
    const instead = other.length > 0 ? `, but ${ids(other)}` : '';
    return { passed: false, text: `NOT CAUGHT${instead}${without(incomplete)}`, found };
  }
  if (other.length > 0)
    return { passed: false, text: `FAILED WRONGLY: ${other.map(shown).join(' | ')}`, found };
  if (passedTests === 0) return { passed: false, text: `NO TEST PASSED${without(incomplete)}`, found };
  // A run without a verdict tells an implementer nothing: that is a failure too.
  const passed = incomplete.length === 0;
  return { passed, text: `${passedTests} tests passed${without(incomplete)}`, found };
}
