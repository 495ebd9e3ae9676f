import type { RunResult, Verdict } from '../run/result.js';
import { countOutcomes, REQUIREMENT_OUTCOMES } from './by-section.js';
import type { Finding } from './findings.js';
import { findingAnchor } from './html-anchors.js';
import { type Markup, markup, NOTHING } from './html-markup.js';
import { countTests } from './verdict.js';
import { count, duration, moment } from './words.js';

const BROKEN_SHOWN = 8;
const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  incomplete: 'Incomplete',
};

const fact = (name: string, value: Markup): Markup => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`;

/** One finding for each requirement that was broken against expectation. */
const brokenOf = (findings: readonly Finding[]): readonly Finding[] => {
  const unexpected = findings.filter(({ failure, known }) => failure.level === 'MUST' && !known);
  return unexpected.filter(
    ({ failure }, index) =>
      unexpected.findIndex((other) => other.failure.requirement === failure.requirement) === index,
  );
};

function leadSentence(result: RunResult, broken: number): string {
  const { verdict, tests, unexpectedPasses, knownFailures, requirements } = result;
  const besides = knownFailures.length > 0 ? ', besides known failures' : '';
  if (broken > 0) return `${count(broken, 'requirement')} of the specification did not hold${besides}.`;
  if (unexpectedPasses.length > 0) return `${count(unexpectedPasses.length, 'known failure')} passed.`;
  if (tests.length === 0) return 'No test ran.';
  if (verdict === 'incomplete') return 'Not every test reached a verdict.';
  if (knownFailures.length > 0) return 'Nothing failed that was not known to fail.';
  return `${count(countOutcomes(requirements).pass, 'requirement')} held, and none was seen broken.`;
}

function brokenList(broken: readonly Finding[], findings: readonly Finding[]): Markup {
  if (broken.length === 0) return NOTHING;
  const items = broken
    .slice(0, BROKEN_SHOWN)
    .map(
      (finding) =>
        markup`<li><a href="#${findingAnchor(findings, finding)}">${finding.text || finding.failure.requirement}</a></li>`,
    );
  const left = broken.length - items.length;
  return markup`<ul class="broken">${items}${left > 0 ? markup`<li class="quiet">and ${left} more</li>` : NOTHING}</ul>`;
}

/** The share of each outcome, as one bar; the words below it are its legend. */
function bar(result: RunResult): Markup {
  const counts = countOutcomes(result.requirements);
  const present = REQUIREMENT_OUTCOMES.filter((outcome) => counts[outcome] > 0);
  const parts = present.map(
    (outcome) => markup`<span class="${outcome}" style="flex-grow:${counts[outcome]}"></span>`,
  );
  const legend = present.map(
    (outcome) => markup`<li><span class="dot ${outcome}"></span><b>${counts[outcome]}</b> ${outcome}</li>`,
  );
  return markup`<div class="bar" aria-hidden="true">${parts}</div>
<ul class="legend" aria-label="Outcomes of requirements">${legend}</ul>`;
}

/** The verdict and the facts of the run. */
export function header(result: RunResult, findings: readonly Finding[]): Markup {
  const broken = brokenOf(findings);
  const { passed, failed, skipped, incomplete } = countTests(result);
  const options = result.options.map((option) => markup`<code>${option}</code> `);
  return markup`<header class="${result.verdict}">
<p class="kind">Conformance report</p>
<h1><span class="verdict">${VERDICT_WORDS[result.verdict]}</span> <span class="url">${result.url}</span></h1>
<p class="lead">${leadSentence(result, broken.length)}</p>
${brokenList(broken, findings)}
${bar(result)}
<dl class="facts">
${fact('Date', markup`<time datetime="${result.startedAt}">${moment(result.startedAt)}</time>`)}
${fact('Duration', markup`${duration(result.durationMs)}`)}
${fact('Seed', markup`<code>${result.seed}</code>`)}
${fact('Tests', markup`${count(result.tests.length, 'test')}: ${passed} passed, ${failed} failed, ${skipped} skipped, ${incomplete} incomplete`)}
${options.length > 0 ? fact('Options', markup`${options}`) : NOTHING}
</dl>
</header>`;
}
