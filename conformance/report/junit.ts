import type { RunResult, TestResult } from '../run/result.js';
import { bySection, type SectionReport } from './by-section.js';
import { exchangeText, findingText } from './finding-text.js';
import { type Finding, findingsOf, isKnownFailure } from './findings.js';
import { plain } from './paint.js';
import { element, xmlText } from './xml.js';

type Counted = 'failure' | 'error' | 'skipped' | 'passed';

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

/** JUnit knows no known failures: they are skipped tests with an explanation, and their evidence is kept. */
function kindOf(test: TestResult, result: RunResult): Counted {
  if (test.outcome === 'failed') return isKnownFailure(result, test) ? 'skipped' : 'failure';
  if (test.outcome === 'incomplete') return 'error';
  return test.outcome;
}

interface Totals {
  readonly tests: number;
  readonly failures: number;
  readonly errors: number;
  readonly skipped: number;
}

function totals(tests: readonly TestResult[], result: RunResult): Totals {
  const kinds = tests.map((test) => kindOf(test, result));
  const amount = (kind: Counted): number => kinds.filter((one) => one === kind).length;
  return {
    tests: tests.length,
    failures: amount('failure'),
    errors: amount('error'),
    skipped: amount('skipped'),
  };
}

const evidence = (finding: Finding, seed: number): string =>
  [findingText(finding, seed, plain), ...finding.failure.exchanges.map(exchangeText)].join('\n\n');

function failureElement(broken: readonly Finding[], seed: number): string {
  const [first] = broken.map(({ failure }) => failure);
  const more = broken.length > 1 ? ` (and ${broken.length - 1} more)` : '';
  return element(
    'failure',
    {
      message: first === undefined ? 'failed' : `${first.requirement}: ${first.message}${more}`,
      type: first?.requirement ?? 'failed',
    },
    xmlText(broken.map((finding) => evidence(finding, seed)).join('\n\n')),
  );
}

function testElement(
  test: TestResult,
  section: string,
  findings: readonly Finding[],
  result: RunResult,
): string {
  const own = findings.filter((finding) => finding.test === test);
  const kind = kindOf(test, result);
  const broken = kind === 'failure' ? own.filter(({ failure }) => failure.level === 'MUST') : [];
  const other = own.filter((finding) => !broken.includes(finding));
  const children: string[] = [];
  if (kind === 'failure') children.push(failureElement(broken, result.seed));
  if (kind === 'error') children.push(element('error', { message: test.reason ?? '', type: 'incomplete' }));
  if (kind === 'skipped')
    children.push(
      element('skipped', { message: test.reason ?? 'a known failure, which failed as expected' }),
    );
  if (other.length > 0) {
    const text = other.map((finding) => evidence(finding, result.seed)).join('\n\n');
    children.push(element('system-out', {}, xmlText(text)));
  }
  return element(
    'testcase',
    { classname: `section-${section.replaceAll('.', '-')}`, name: test.name, time: seconds(test.durationMs) },
    ...children,
  );
}

function suiteElement(
  { section, title, tests }: SectionReport,
  findings: readonly Finding[],
  result: RunResult,
): string {
  const properties = [
    ['url', result.url],
    ['seed', result.seed],
    ['options', result.options.join(' ')],
    ['verdict', result.verdict],
  ] as const;
  return element(
    'testsuite',
    {
      name: `${section} ${title}`.trim(),
      ...totals(tests, result),
      time: seconds(tests.reduce((sum, { durationMs }) => sum + durationMs, 0)),
      timestamp: result.startedAt,
    },
    '\n',
    element('properties', {}, ...properties.map(([name, value]) => element('property', { name, value }))),
    '\n',
    ...tests.map((test) => `${testElement(test, section, findings, result)}\n`),
  );
}

/** A known failure that passed fails the run, though no test failed: it gets a test case of its own. */
function unexpectedPassesElement(names: readonly string[]): string {
  const message = 'a known failure passed: take it off the list';
  const cases = names.map((name) =>
    element(
      'testcase',
      { classname: 'known-failures', name, time: seconds(0) },
      element('failure', { message, type: 'unexpected-pass' }),
    ),
  );
  const total = names.length;
  return element(
    'testsuite',
    { name: 'Known failures', tests: total, failures: total, errors: 0, skipped: 0, time: seconds(0) },
    ...cases,
  );
}

/**
 * The result as JUnit XML: a suite for each section, a test case for each test. A broken MUST is a failure
 * with its evidence, a test without a verdict an error; what else was found goes to `system-out`.
 */
export function renderJunit(result: RunResult): string {
  const findings = findingsOf(result);
  const suites = bySection(result).filter(({ tests }) => tests.length > 0);
  const passes = result.unexpectedPasses;
  const sums = totals(result.tests, result);
  const root = element(
    'testsuites',
    {
      name: 'conformance',
      ...sums,
      tests: sums.tests + passes.length,
      failures: sums.failures + passes.length,
      time: seconds(result.durationMs),
    },
    '\n',
    ...suites.map((suite) => `${suiteElement(suite, findings, result)}\n`),
    passes.length > 0 ? `${unexpectedPassesElement(passes)}\n` : '',
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`;
}
