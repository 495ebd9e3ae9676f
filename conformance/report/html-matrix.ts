import type { RequirementOutcome } from '../run/result.js';
import { countOutcomes, type OutcomeCounts, REQUIREMENT_OUTCOMES, type SectionReport } from './by-section.js';
import { sectionAnchor } from './html-anchors.js';
import { type Markup, markup } from './html-markup.js';

const cell = (outcome: RequirementOutcome, amount: number): Markup =>
  amount > 0 ? markup`<td class="${outcome}">${amount}</td>` : markup`<td class="none">·</td>`;

const cells = (counts: OutcomeCounts): readonly Markup[] =>
  REQUIREMENT_OUTCOMES.map((outcome) => cell(outcome, counts[outcome]));

/** How many requirements of each section ended in which way. */
export function matrix(sections: readonly SectionReport[]): Markup {
  const heads = REQUIREMENT_OUTCOMES.map((outcome) => markup`<th scope="col">${outcome}</th>`);
  const rows = sections.map(
    ({ section, title, counts }) =>
      markup`<tr><th scope="row"><a href="#${sectionAnchor(section)}"><span class="number">${section}</span><span>${title}</span></a></th>${cells(counts)}</tr>
`,
  );
  const total = countOutcomes(sections.flatMap(({ requirements }) => requirements));
  return markup`<section id="sections">
<h2>Sections</h2>
<div class="scroll"><table class="matrix">
<thead><tr><th scope="col">Section</th>${heads}</tr></thead>
<tbody>
${rows}</tbody>
<tfoot><tr><th scope="row">Total</th>${cells(total)}</tr></tfoot>
</table></div>
</section>`;
}
