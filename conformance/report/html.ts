import type { RunResult } from '../run/result.js';
import { bySection } from './by-section.js';
import { findingsOf } from './findings.js';
import { failureSections } from './html-failure.js';
import { header } from './html-header.js';
import { Markup, markup } from './html-markup.js';
import { matrix } from './html-matrix.js';
import { navigation } from './html-navigation.js';
import { notes, obstacles } from './html-notes.js';
import { requirementSections } from './html-requirements.js';
import { STYLE } from './html-style.js';

/** Should any text ever get through unescaped, the page still runs nothing and fetches nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

/** The result as one page that needs no network and no script. */
export function renderHtml(result: RunResult): string {
  const sections = bySection(result);
  const findings = findingsOf(result);
  const page = markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta http-equiv="Content-Security-Policy" content="${POLICY}" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<link rel="icon" href="data:," />
<title>${result.verdict}: conformance of ${result.url}</title>
<style>${new Markup(STYLE)}</style>
</head>
<body>
<main>
${header(result, findings)}
${navigation(result, findings)}
${matrix(sections)}
${failureSections(findings, result)}
${obstacles(result)}
${requirementSections(sections, findings, result)}
${notes(result)}
</main>
</body>
</html>
`;
  return page.source;
}
