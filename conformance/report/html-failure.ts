import type { RunResult, TimelineEntry } from '../run/result.js';
import type { Finding } from './findings.js';
import { findingAnchor, requirementAnchor, sectionAnchor } from './html-anchors.js';
import { exchangeBlock } from './html-exchange.js';
import { type Markup, markup, NOTHING } from './html-markup.js';
import { cutMiddle, repeatOptions } from './words.js';

const TIMELINE_FIRST = 20;
const TIMELINE_LAST = 180;
const TIMELINE_UNFOLDED = 16;
const EXCHANGES_SHOWN = 40;

const entryRow = ({ atMs, who, what }: TimelineEntry): Markup =>
  markup`<tr><td class="at">${atMs.toFixed(1)}</td><td class="who">${who}</td><td class="what">${what}</td></tr>
`;

function timelineBlock(timeline: readonly TimelineEntry[]): Markup {
  if (timeline.length === 0) return NOTHING;
  const { first, leftOut, last } = cutMiddle(timeline, TIMELINE_FIRST, TIMELINE_LAST);
  const gap = leftOut > 0 ? markup`<tr><td class="gap" colspan="3">${leftOut} left out</td></tr>` : NOTHING;
  const open = timeline.length <= TIMELINE_UNFOLDED ? markup` open=""` : NOTHING;
  return markup`<details class="timeline"${open}>
<summary>Timeline <span class="amount">${timeline.length}</span></summary>
<div class="scroll"><table>
<thead><tr><th scope="col" class="at">ms</th><th scope="col">Who</th><th scope="col">What</th></tr></thead>
<tbody>
${first.map(entryRow)}${gap}${last.map(entryRow)}</tbody>
</table></div>
</details>`;
}

function exchangesBlock({ failure }: Finding, base: string): Markup {
  const { exchanges } = failure;
  if (exchanges.length === 0) return NOTHING;
  const { last, first } = cutMiddle(exchanges, 0, EXCHANGES_SHOWN);
  const shown = exchanges.length > EXCHANGES_SHOWN ? last : first;
  const left = exchanges.length - shown.length;
  return markup`<div class="exchanges">
<h4>Requests <span class="amount">${exchanges.length}</span></h4>
${left > 0 ? markup`<p class="size">The first ${left} are only in the JSON report.</p>` : NOTHING}
<div class="exchange-list">
${shown.map((exchange, index) => exchangeBlock(exchange, base, index === shown.length - 1))}</div>
</div>`;
}

/** A finding with all its evidence. */
function findingCard(finding: Finding, findings: readonly Finding[], result: RunResult): Markup {
  const { failure, test, section, text, known } = finding;
  const isBroken = failure.level === 'MUST';
  const word = isBroken ? (known ? 'known failure' : 'fail') : 'warn';
  return markup`<article class="finding ${isBroken ? 'fail' : 'warn'}" id="${findingAnchor(findings, finding)}">
<p class="labels"><span class="badge ${isBroken ? 'fail' : 'warn'}">${word}</span> <span class="level">${failure.level}</span> <a class="id" href="#${requirementAnchor(failure.requirement)}">${failure.requirement}</a>${
    section === ''
      ? NOTHING
      : markup` <a class="where" href="#${sectionAnchor(section)}">section ${section}</a>`
  }</p>
<h3>${text === '' ? failure.requirement : text}</h3>
<pre class="said">${failure.message}</pre>
${
  failure.counterexample === undefined
    ? NOTHING
    : markup`<h4>Smallest counterexample</h4>
<pre>${failure.counterexample}</pre>`
}
<dl class="test"><div><dt>Test</dt><dd>${test.title}<br /><code class="quiet">${test.name}</code></dd></div><div><dt>Repeat with</dt><dd><code class="command">${repeatOptions(result.seed, test.name)}</code></dd></div></dl>
${timelineBlock(failure.timeline)}
${exchangesBlock(finding, result.url)}
</article>
`;
}

/** All failures and warnings, with their evidence; nothing where there are none. */
export function failureSections(findings: readonly Finding[], result: RunResult): readonly Markup[] {
  const broken = findings.filter(({ failure }) => failure.level === 'MUST');
  const warned = findings.filter(({ failure }) => failure.level !== 'MUST');
  const section = (id: string, title: string, lead: string, some: readonly Finding[]): Markup =>
    some.length === 0
      ? NOTHING
      : markup`<section id="${id}">
<h2>${title} <span class="amount">${some.length}</span></h2>
<p class="lead">${lead}</p>
${some.map((finding) => findingCard(finding, findings, result))}</section>`;
  return [
    section('failures', 'Failures', 'The specification demands this, and it did not hold.', broken),
    section('warnings', 'Warnings', 'This is recommended and did not hold. It fails nobody.', warned),
  ];
}
