import type { RequirementResult, RunResult, TestResult } from '../run/result.js';
import type { SectionReport } from './by-section.js';
import { type Finding, observationsByRequirement } from './findings.js';
import { groupBy } from './group-by.js';
import { findingAnchor, requirementAnchor, sectionAnchor } from './html-anchors.js';
import { outcomeBadge, testBadge } from './html-badge.js';
import { type Markup, markup, NOTHING } from './html-markup.js';
import { count, duration } from './words.js';

/** What is looked up for each requirement. */
interface Lookup {
  readonly findings: readonly Finding[];
  readonly findingsOf: ReadonlyMap<string, readonly Finding[]>;
  /** A long run repeats its tests: one name can have several results. */
  readonly testsOf: ReadonlyMap<string, readonly TestResult[]>;
  readonly seenOf: ReadonlyMap<string, readonly string[]>;
}

function testItem(name: string, results: readonly TestResult[]): Markup {
  const [first] = results;
  if (first === undefined)
    return markup`<li><span class="badge untested">not run</span> <code class="quiet">${name}</code></li>`;
  const outcomes = [...new Set(results.map(({ outcome }) => outcome))];
  const took = duration(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const reasons = [...new Set(results.flatMap(({ reason }) => reason ?? []))];
  const runs = results.length > 1 ? `${results.length} runs, ${took}` : took;
  return markup`<li>${outcomes.map(testBadge)} ${first.title} <span class="took">${runs}</span><br /><code class="quiet">${name}</code>${reasons.map((reason) => markup`<p class="why">${reason}</p>`)}</li>
`;
}

function links(id: string, { findings, findingsOf }: Lookup): Markup {
  const own = findingsOf.get(id) ?? [];
  const list = own.map(
    (finding) => markup` <a href="#${findingAnchor(findings, finding)}">see ${finding.test.name}</a>`,
  );
  return own.length === 0 ? NOTHING : markup`<p class="links">${list}</p>`;
}

function requirementItem(requirement: RequirementResult, lookup: Lookup): Markup {
  const { id, level, outcome, text, tests, untestable } = requirement;
  const seen = lookup.seenOf.get(id) ?? [];
  return markup`<li class="requirement" id="${requirementAnchor(id)}">
<div class="outcome">${outcomeBadge(outcome)}</div>
<div>
<p class="text">${text}</p>
<p class="labels"><span class="id">${id}</span> <span class="level">${level}</span></p>
${links(id, lookup)}
${untestable === undefined ? NOTHING : markup`<p class="why">Cannot be tested from outside: ${untestable}</p>`}
${seen.length === 0 ? NOTHING : markup`<div class="seen"><p>Seen</p><ul>${seen.map((line) => markup`<li>${line}</li>`)}</ul></div>`}
${
  tests.length === 0
    ? NOTHING
    : markup`<details><summary>${count(tests.length, 'test')}</summary><ul class="tests">${tests.map((name) => testItem(name, lookup.testsOf.get(name) ?? []))}</ul></details>`
}
</div>
</li>
`;
}

/** Every requirement, by section, with what stands behind its outcome. */
export function requirementSections(
  sections: readonly SectionReport[],
  findings: readonly Finding[],
  result: RunResult,
): Markup {
  const lookup: Lookup = {
    findings,
    findingsOf: groupBy(findings, ({ failure }) => failure.requirement),
    testsOf: groupBy(result.tests, ({ name }) => name),
    seenOf: new Map(observationsByRequirement(result).map(({ requirement, texts }) => [requirement, texts])),
  };
  const blocks = sections.map(
    ({ section, title, requirements }) => markup`<section class="part" id="${sectionAnchor(section)}">
<h3><span class="number">${section}</span> ${title}</h3>
<ul class="requirements">
${requirements.map((requirement) => requirementItem(requirement, lookup))}</ul>
</section>
`,
  );
  return markup`<section id="requirements">
<h2>Requirements <span class="amount">${result.requirements.length}</span></h2>
${blocks}</section>`;
}
