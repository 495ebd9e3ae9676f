import { CATALOGUE } from '../catalogue/catalogue.js';
import { SECTIONS } from '../catalogue/sections.js';
import type { Test } from '../run/test.js';
import { groupBy } from './group-by.js';

/** The catalogue for a terminal: each requirement with its level, and the tests that cover it. */
export function renderCatalogue(tests: readonly Test[]): string {
  const lines: string[] = [];
  for (const [section, requirements] of groupBy(CATALOGUE, ({ section: number }) => number)) {
    lines.push(`${section} ${SECTIONS[section] ?? ''}`, '');
    for (const { id, level, text, untestable } of requirements) {
      lines.push(`  ${id}  [${level}]`, `    ${text}`);
      if (untestable !== undefined) lines.push(`    Not testable from outside: ${untestable}`);
      for (const test of tests.filter((one) => one.requirements.includes(id)))
        lines.push(`    - ${test.name}`);
      lines.push('');
    }
  }
  return `${lines.join('\n')}\n`;
}
