// Writes docs/conformance.md anew: `npm run docs:conformance`.
import { writeFileSync } from 'node:fs';
import { TESTS } from '../tests/all.js';
import { renderCataloguePage } from './catalogue-page.js';

writeFileSync('docs/conformance.md', renderCataloguePage(TESTS));
