import type { RunResult } from '../run/result.js';
import { groupByReason, type ReasonGroup } from './findings.js';
import { type Markup, markup, NOTHING } from './html-markup.js';
import { precisionSentence } from './verdict.js';
import { count } from './words.js';

const nameList = (names: readonly string[]): Markup =>
  markup`<ul class="names">${names.map((name) => markup`<li><code>${name}</code></li>`)}</ul>`;

const reasonItem = ({ reason, names }: ReasonGroup): Markup => markup`<details class="reason">
<summary><span>${reason}</span> <span class="amount">${count(names.length, 'test')}</span></summary>
${nameList(names)}
</details>
`;

const section = (id: string, title: string, amount: number, content: Markup): Markup =>
  amount === 0
    ? NOTHING
    : markup`<section id="${id}">
<h2>${title} <span class="amount">${amount}</span></h2>
${content}
</section>`;

const reasonSection = (id: string, title: string, groups: readonly ReasonGroup[]): Markup =>
  section(
    id,
    title,
    groups.reduce((sum, { names }) => sum + names.length, 0),
    markup`${groups.map(reasonItem)}`,
  );

/** What stands in the way of a good verdict, apart from failures. */
export const obstacles = (result: RunResult): readonly Markup[] => [
  section(
    'unexpected-passes',
    'Known failures that passed',
    result.unexpectedPasses.length,
    markup`<p class="lead">Take them off the list.</p>${nameList(result.unexpectedPasses)}`,
  ),
  reasonSection('incomplete', 'Tests without a verdict', groupByReason(result, 'incomplete')),
];

/** What else there is to know. */
export const notes = (result: RunResult): readonly Markup[] => [
  section(
    'known-failures',
    'Known failures, as expected',
    result.knownFailures.length,
    nameList(result.knownFailures),
  ),
  reasonSection('skipped', 'Skipped tests', groupByReason(result, 'skipped')),
  markup`<section id="precision">
<h2>Precision</h2>
<p>${precisionSentence(result.precision)}</p>
<p class="lead">The specification allows a rejection although every precondition held. The fewer of them, the less often clients have to try again.</p>
</section>`,
];
