import type { RequirementOutcome, TestOutcome } from '../run/result.js';
import { type Markup, markup } from './html-markup.js';

/** The colours of outcomes are those of requirements; tests borrow them. */
const TEST_COLOURS: Readonly<Record<TestOutcome, RequirementOutcome>> = {
  passed: 'pass',
  failed: 'fail',
  skipped: 'skip',
  incomplete: 'warn',
};

/** An outcome as a word on its colour: the word alone says it too. */
export const outcomeBadge = (outcome: RequirementOutcome): Markup =>
  markup`<span class="badge ${outcome}">${outcome}</span>`;

export const testBadge = (outcome: TestOutcome): Markup =>
  markup`<span class="badge ${TEST_COLOURS[outcome]}">${outcome}</span>`;
