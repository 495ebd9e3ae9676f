import type { RunResult } from '../run/result.js';
import type { Finding } from './findings.js';
import { type Markup, markup } from './html-markup.js';
import { countTests } from './verdict.js';

/** Links to the parts of the page that have something to say. */
export function navigation(result: RunResult, findings: readonly Finding[]): Markup {
  const broken = findings.filter(({ failure }) => failure.level === 'MUST').length;
  const { skipped, incomplete } = countTests(result);
  const parts: readonly (readonly [string, string, number | undefined])[] = [
    ['failures', 'Failures', broken],
    ['warnings', 'Warnings', findings.length - broken],
    ['unexpected-passes', 'Known failures that passed', result.unexpectedPasses.length],
    ['incomplete', 'Without a verdict', incomplete],
    ['requirements', 'Requirements', result.requirements.length],
    ['known-failures', 'Known failures', result.knownFailures.length],
    ['skipped', 'Skipped', skipped],
    ['precision', 'Precision', undefined],
  ];
  const links = parts
    .filter(([, , amount]) => amount !== 0)
    .map(
      ([anchor, title, amount]) =>
        markup`<li><a href="#${anchor}">${title}</a> <span class="amount">${amount ?? ''}</span></li>`,
    );
  return markup`<nav aria-label="Parts of the report"><ul>${links}</ul></nav>`;
}
