import type { RunResult, Verdict } from '../run/result.js';
import { bySection, countOutcomes, type OutcomeCounts, REQUIREMENT_OUTCOMES } from './by-section.js';
import { findingText } from './finding-text.js';
import { findingsOf, groupByReason, observationsByRequirement, type ReasonGroup } from './findings.js';
import { type Colour, OUTCOME_COLOUR, type Paint, paintFor } from './paint.js';
import { closingLine, precisionSentence, verdictSentence } from './verdict.js';
import { shortLine, visibleLine } from './visible.js';
import { count, duration, moment } from './words.js';

const OBSERVATION_LENGTH = 100;
const NAMES_SHOWN = 8;
const COLUMN = 9;
const VERDICT_COLOUR: Readonly<Record<Verdict, Colour>> = {
  passed: 'green',
  failed: 'red',
  incomplete: 'yellow',
};

/**
 * What a person reads after the run: the matrix of sections, what was seen, skipped and measured, each
 * failure with its evidence, the verdict, and the closing line that scripts read. Ends with a line break.
 */
export function renderSummary(result: RunResult, color: boolean): string {
  const paint = paintFor(color);
  const findings = findingsOf(result);
  const blocks = [
    headText(result, paint),
    matrixText(result, paint),
    seenText(result, paint),
    reasonsText('Skipped tests', groupByReason(result, 'skipped'), paint),
    reasonsText('Tests without a verdict', groupByReason(result, 'incomplete'), paint),
    `${paint('bold', 'Precision')}\n  ${precisionSentence(result.precision)}`,
    namesText('Known failures that failed, as expected', result.knownFailures, paint),
    namesText('Known failures that passed: take them off the list', result.unexpectedPasses, paint),
    // The last thing on a terminal is the first that is read.
    ...findings.toReversed().map((finding) => findingText(finding, result.seed, paint)),
    `${paint(VERDICT_COLOUR[result.verdict], result.verdict.toUpperCase())}: ${verdictSentence(result)}\n${closingLine(result)}`,
  ];
  return `\n${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

function headText(result: RunResult, paint: Paint): string {
  const options = result.options.length === 0 ? '' : `, options ${result.options.map(visibleLine).join(' ')}`;
  return [
    paint('bold', `Conformance of ${visibleLine(result.url)}`),
    `  ${moment(result.startedAt)}, took ${duration(result.durationMs)}, seed ${result.seed}${options}`,
  ].join('\n');
}

function matrixText(result: RunResult, paint: Paint): string {
  const rows = bySection(result).map(
    ({ section, title, counts }) => [`${section.padEnd(4)} ${title}`, counts] as const,
  );
  const width = Math.max(24, ...rows.map(([label]) => label.length));
  const cells = (label: string, counts: OutcomeCounts): string =>
    [
      `  ${label.padEnd(width)}`,
      ...REQUIREMENT_OUTCOMES.map((outcome) => {
        const text = String(counts[outcome] || '-').padStart(COLUMN);
        return paint(counts[outcome] > 0 ? OUTCOME_COLOUR[outcome] : 'dim', text);
      }),
    ].join('');
  return [
    `${paint('bold', `${'Requirements by section'.padEnd(width + 2)}`)}${REQUIREMENT_OUTCOMES.map((outcome) => outcome.padStart(COLUMN)).join('')}`,
    ...rows.map(([label, counts]) => cells(label, counts)),
    cells('total', countOutcomes(result.requirements)),
  ].join('\n');
}

function seenText(result: RunResult, paint: Paint): string {
  const seen = observationsByRequirement(result);
  if (seen.length === 0) return '';
  return [
    paint('bold', 'Seen where the specification leaves a choice'),
    ...seen.flatMap(({ requirement, texts }) => [
      `  ${paint('blue', visibleLine(requirement))}`,
      ...texts.map((text) => `    ${shortLine(text, OBSERVATION_LENGTH)}`),
    ]),
  ].join('\n');
}

function reasonsText(title: string, groups: readonly ReasonGroup[], paint: Paint): string {
  if (groups.length === 0) return '';
  const lines = groups.flatMap(({ reason, names }) => {
    const more = names.length > NAMES_SHOWN ? [`    and ${names.length - NAMES_SHOWN} more`] : [];
    return [
      `  ${visibleLine(reason)} (${count(names.length, 'test')})`,
      ...names.slice(0, NAMES_SHOWN).map((name) => `    ${paint('dim', visibleLine(name))}`),
      ...more,
    ];
  });
  return [paint('bold', title), ...lines].join('\n');
}

const namesText = (title: string, names: readonly string[], paint: Paint): string =>
  names.length === 0
    ? ''
    : [paint('bold', title), ...names.map((name) => `  ${visibleLine(name)}`)].join('\n');
