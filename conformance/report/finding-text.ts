import type { Exchange, TimelineEntry } from '../run/result.js';
import type { Finding } from './findings.js';
import type { Paint } from './paint.js';
import { visible, visibleLine } from './visible.js';
import { bodySize, cutMiddle, repeatOptions, statusOf } from './words.js';

const CURLS_SHOWN = 6;
const LONGEST_CURL = 2000;
const TIMELINE_FIRST = 4;
const TIMELINE_LAST = 24;
const LONGEST_WHO = 20;

const indent = (text: string, by: string): string => visible(text).replace(/^/gm, by);

function curlText(exchanges: readonly Exchange[]): readonly string[] {
  return exchanges
    .slice(-CURLS_SHOWN)
    .map(({ curl, method, url }) =>
      curl.length > LONGEST_CURL
        ? indent(`# ${method} ${url}: ${curl.length} characters, see the JSON report`, '    ')
        : indent(curl, '    '),
    );
}

function timelineText(timeline: readonly TimelineEntry[]): readonly string[] {
  const { first, leftOut, last } = cutMiddle(timeline, TIMELINE_FIRST, TIMELINE_LAST);
  const longest = Math.max(0, ...[...first, ...last].map(({ who }) => visibleLine(who).length));
  const width = Math.min(longest, LONGEST_WHO);
  const line = ({ atMs, who, what }: TimelineEntry): string =>
    `    ${atMs.toFixed(1).padStart(9)} ms  ${visibleLine(who).padEnd(width)}  ${visibleLine(what)}`;
  const gap = leftOut > 0 ? [`    ${' '.repeat(12)}  ... ${leftOut} left out ...`] : [];
  return [...first.map(line), ...gap, ...last.map(line)];
}

/** One request and its answer, as lines. */
export function exchangeText(exchange: Exchange): string {
  const { method, url, requestHead, requestBody, requestBytes, responseHead, responseBody, responseBytes } =
    exchange;
  const lines = [
    `${method} ${visibleLine(url)} at ${exchange.startedMs.toFixed(1)} ms: ${visibleLine(statusOf(exchange))}`,
  ];
  lines.push(indent(requestHead, '  > '));
  if (requestBytes > 0)
    lines.push(`  > (${bodySize(requestBody, requestBytes)})`, indent(requestBody, '  > '));
  if (responseHead !== '') lines.push(indent(responseHead, '  < '));
  if (responseBytes > 0)
    lines.push(`  < (${bodySize(responseBody, responseBytes)})`, indent(responseBody, '  < '));
  if (exchange.error !== undefined) lines.push(indent(exchange.error, '  ! '));
  return lines.join('\n');
}

/** A finding with its evidence, as lines without one at the end. */
export function findingText(finding: Finding, seed: number, paint: Paint): string {
  const { failure, test, section, text, known } = finding;
  const isBroken = failure.level === 'MUST';
  const mark = isBroken ? paint('red', known ? 'KNOWN FAILURE' : 'FAIL') : paint('yellow', 'WARN');
  const place = section === '' ? '' : `, section ${section}`;
  const lines = [
    `${mark} ${paint('bold', visibleLine(failure.requirement))} (${failure.level}${place})`,
    ...(text === '' ? [] : [indent(text, '  ')]),
    `  ${paint('dim', 'test')} ${visibleLine(test.name)}`,
    '',
    indent(failure.message, '  '),
  ];
  const part = (title: string, body: readonly string[]): void => {
    if (body.length > 0) lines.push('', `  ${paint('dim', title)}`, ...body);
  };
  const { counterexample, exchanges, timeline } = failure;
  part('counterexample', counterexample === undefined ? [] : [indent(counterexample, '    ')]);
  const earlier = exchanges.length - CURLS_SHOWN;
  part(
    earlier > 0 ? `requests (the last ${CURLS_SHOWN} of ${exchanges.length})` : 'requests',
    curlText(exchanges),
  );
  part('timeline', timelineText(timeline));
  lines.push('', `  ${paint('dim', 'repeat with')} ${repeatOptions(seed, visibleLine(test.name))}`);
  return lines.join('\n');
}
