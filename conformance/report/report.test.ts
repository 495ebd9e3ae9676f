import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import type { Exchange, RequirementOutcome, RunResult } from '../run/result.js';
import { bySection, REQUIREMENT_OUTCOMES } from './by-section.js';
import { renderHtml } from './html.js';
import { renderJson } from './json.js';
import { renderJunit } from './junit.js';
import { renderSummary, TerminalProgress } from './terminal.js';
import { FIXTURE, GOOD, HOSTILE, HOSTILE_FAILURE, hostile, RANGE_FAILURE } from './testing/fixture.js';
import { elementsOf, type Node, readMarkup, textOf } from './testing/markup-reader.js';
import { visible } from './visible.js';

const CLOSING = 'conformance: 5 passed, 3 failed, 3 skipped, 1 incomplete';
const ESCAPE_CHARACTER = String.fromCharCode(0x1b);

/** A copy without the fields that are undefined: JSON has none. */
const withoutUndefined = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const defined = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(defined.map(([key, field]) => [key, withoutUndefined(field)]));
};

/** The same with the fields of every object the other way round. */
const turnedAround = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(turnedAround);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, turnedAround(field)]),
  );
};

const expectedCount = (section: string | undefined, outcome: RequirementOutcome): number =>
  FIXTURE.requirements.filter(
    (requirement) =>
      requirement.outcome === outcome && (section === undefined || requirement.section === section),
  ).length;

const isUnsafe = (text: string): boolean => /[^\P{C}\n\t\p{Co}\p{Cn}\u200d]/u.test(text);

class Page {
  readonly root: Node;
  readonly text: string;

  constructor(result: RunResult) {
    const source = renderHtml(result);
    const doctype = '<!doctype html>\n';
    assert.ok(source.startsWith(doctype));
    this.root = readMarkup(source.slice(doctype.length));
    this.text = textOf(this.root);
  }

  all(name: string, className?: string): readonly Node[] {
    const has = (node: Node): boolean =>
      className === undefined || (node.attributes.get('class') ?? '').split(' ').includes(className);
    return elementsOf(this.root, name).filter(has);
  }
}

test('sections are in the order of the specification, and hold every requirement and test once', () => {
  const sections = bySection(FIXTURE);
  const numbers = sections.map(({ section }) => section);
  assert.deepEqual(numbers.slice(0, 5), ['1', '2.1', '2.2', '2.3', '2.4']);
  assert.ok(numbers.indexOf('3') > numbers.indexOf('2.5') && numbers.indexOf('3') < numbers.indexOf('4.1'));
  assert.equal(numbers.at(-1), '12.10');
  const ids = sections.flatMap(({ requirements }) => requirements.map(({ id }) => id));
  assert.deepEqual(ids.sort(), FIXTURE.requirements.map(({ id }) => id).sort());
  const names = sections.flatMap(({ tests }) => tests.map(({ name }) => name));
  assert.deepEqual(names.sort(), FIXTURE.tests.map(({ name }) => name).sort());
});

test('JSON parses back to the same result', () => {
  const { format, ...parsed } = JSON.parse(renderJson(FIXTURE)) as { format: number };
  assert.equal(format, 1);
  assert.deepEqual(parsed, withoutUndefined(FIXTURE));
});

test('JSON does not depend on how the result was put together, and is indented', () => {
  const text = renderJson(FIXTURE);
  assert.equal(renderJson(turnedAround(FIXTURE) as RunResult), text);
  assert.match(text, /^\{\n {2}"format": 1,\n {2}"verdict": "failed",\n/);
  assert.ok(text.endsWith('\n}\n'));
});

test('the summary ends with the verdict and the closing line', () => {
  for (const color of [false, true]) {
    const lines = renderSummary(FIXTURE, color).split('\n');
    assert.equal(lines.at(-1), '');
    assert.equal(lines.at(-2), CLOSING);
    assert.match(lines.at(-3) ?? '', color ? /FAILED.*3 broken/ : /^FAILED: .*3 broken/);
  }
  assert.ok(
    renderSummary(GOOD, false).endsWith(
      `\nPASSED: ${GOOD.requirements.length} requirements held\nconformance: 1 passed, 0 failed, 0 skipped, 0 incomplete\n`,
    ),
  );
});

test('the matrix of the summary counts right', () => {
  const text = renderSummary(FIXTURE, false);
  const rowOf = (label: string): readonly number[] => {
    const row = text.split('\n').find((line) => line.startsWith(`  ${label} `));
    assert.ok(row !== undefined, label);
    return row
      .trim()
      .split(/\s+/)
      .slice(-REQUIREMENT_OUTCOMES.length)
      .map((cell) => (cell === '-' ? 0 : Number(cell)));
  };
  for (const { section } of bySection(FIXTURE))
    assert.deepEqual(
      rowOf(section),
      REQUIREMENT_OUTCOMES.map((outcome) => expectedCount(section, outcome)),
    );
  const total = rowOf('total');
  assert.deepEqual(
    total,
    REQUIREMENT_OUTCOMES.map((outcome) => expectedCount(undefined, outcome)),
  );
  assert.ok(
    total.every((amount) => amount > 0),
    'the fixture has every outcome',
  );
});

test('the summary tells what was seen, skipped and measured, each thing once', () => {
  const text = renderSummary(FIXTURE, false);
  assert.match(
    text,
    /\n {2}COMMIT-EMPTY\n {4}empty operations: 400\n {4}an empty key: committed\n {2}ERROR-BODY\n/,
  );
  assert.match(text, /the server \(2 tests\)\n {4}log\/durable\n {4}status\/durable\n/);
  assert.match(text, /\n {2}7\.5 % of the rejections were not needed: 12 of 160,/);
  assert.match(renderSummary(GOOD, false), /\n {2}No rejection could be judged,/);
});

test('the summary gives the evidence of each failure, cut to what is needed', () => {
  const text = renderSummary(FIXTURE, false);
  const start = text.indexOf('FAIL COMMIT-RANGE-READ (MUST, section 2.2)');
  assert.ok(start > 0);
  const block = text.slice(start, text.indexOf('\nFAILED:'));
  const sentence = FIXTURE.requirements.find(({ id }) => id === 'COMMIT-RANGE-READ')?.text ?? '';
  assert.ok(block.includes(sentence));
  for (const line of [
    ...RANGE_FAILURE.message.split('\n'),
    ...(RANGE_FAILURE.counterexample ?? '').split('\n'),
  ])
    assert.ok(block.includes(line), line);
  const curls = RANGE_FAILURE.exchanges.map(({ curl }) => curl);
  assert.deepEqual(
    curls.map((curl) => block.includes(curl)),
    [...Array(3).fill(false), ...Array(6).fill(true)],
  );
  for (const { what } of RANGE_FAILURE.timeline) assert.ok(block.includes(what), what);
  assert.ok(block.includes('--seed 20261121 --only commit/range-read/overlap\n'));

  assert.ok(text.includes('event number 299.') && text.includes('event number 0.'));
  assert.ok(!text.includes('event number 150.'));
  assert.match(text, /273 left out/);
});

test('a command too long to read is not printed', () => {
  const long: Exchange = { ...RANGE_FAILURE.exchanges[0]!, curl: `curl ${'x'.repeat(5000)}` };
  const tests = FIXTURE.tests.map((one) =>
    one.name === 'commit/range-read/overlap'
      ? { ...one, failures: [{ ...RANGE_FAILURE, exchanges: [long] }] }
      : one,
  );
  const text = renderSummary({ ...FIXTURE, tests }, false);
  assert.ok(!text.includes('xxxxx'));
  assert.match(text, /5005 characters, see the JSON report/);
});

test('the most important failure stands last in the summary, and known ones are marked', () => {
  const text = renderSummary(FIXTURE, false);
  const order = [
    '\nWARN COMMIT-PRECOND',
    '\nKNOWN FAILURE STATUS-LATE',
    '\nFAIL STREAM-COMPLETE',
    '\nFAIL COMMIT-RANGE',
  ];
  const positions = order.map((mark) => text.indexOf(mark));
  assert.ok(positions.every((position) => position > 0));
  assert.deepEqual(
    positions.toSorted((a, b) => a - b),
    positions,
  );
});

test('nothing steers the terminal, and colour comes only when told so', () => {
  const text = renderSummary(FIXTURE, false);
  assert.ok(!isUnsafe(text));
  assert.ok(text.includes(visible(hostile('exchange curl')).split('\n')[0]!));
  const coloured = renderSummary(FIXTURE, true);
  assert.ok(coloured.includes(ESCAPE_CHARACTER));
  const codes = new RegExp(`${ESCAPE_CHARACTER}\\[\\d+m`, 'g');
  assert.equal(coloured.replace(codes, ''), text);
});

class Output extends Writable {
  text = '';
  readonly isTTY: boolean;
  readonly columns = 60;

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }

  /** What is on the screen once every erased line is gone. */
  get screen(): string {
    return this.text
      .split('\n')
      .map((line) => line.slice(line.lastIndexOf(`${ESCAPE_CHARACTER}[2K`) + 1).replace(/^\[2K/, ''))
      .join('\n');
  }
}

function progressOn(isTTY: boolean, color: boolean): Output {
  const output = new Output(isTTY);
  const progress = new TerminalProgress(output, color);
  progress.planned(FIXTURE.tests.length);
  for (const result of FIXTURE.tests) progress.finished(result);
  progress.note(hostile('note'));
  progress.end();
  return output;
}

test('without a terminal, progress is one line for each test', () => {
  const { text } = progressOn(false, false);
  assert.ok(!isUnsafe(text));
  const noteLines = visible(hostile('note')).split('\n').length;
  const lines = text.split('\n').slice(1, -1 - noteLines);
  assert.equal(lines.length, FIXTURE.tests.length);
  assert.ok(
    lines[0]?.startsWith('FAIL commit/range-read/overlap (1.8 s): COMMIT-RANGE-READ (MUST) A commit was'),
  );
  assert.match(lines[1] ?? '', /^pass .*COMMIT-PRECOND-RANGE-END-EXCLUSIVE \(SHOULD\)/);
  assert.equal(lines[7], 'skip log/durable (12 ms): needs a command that kills and restarts the server');
});

test('on a terminal, one line changes, and failures stay', () => {
  const { text, screen } = progressOn(true, false);
  assert.ok(text.includes('12/12  5 passed  3 failed  3 skipped  1 incomplete'));
  assert.ok(!screen.includes('12/12'), 'the status line is taken away in the end');
  assert.match(screen, /^FAIL commit\/range-read\/overlap \(1\.8 s\)\n {2}COMMIT-RANGE-READ \(MUST\)\n/);
  assert.equal(screen.match(/^FAIL /gm)?.length, 3);
  assert.match(screen, /^incomplete stream\/slow-reader/m);
  assert.ok(!screen.includes('commit/point-read'), 'a test that passed leaves nothing');
  const widest = text
    .split(/\n|\r/)
    .map((line) => line.slice(line.indexOf('[2K') + 3))
    .filter((line) => line.startsWith('1/') || line.startsWith('12/'));
  assert.ok(widest.length > 0 && widest.every((line) => line.length < 60));
});

test('JUnit is well-formed and counts right', () => {
  const text = renderJunit(FIXTURE);
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
  assert.ok(text.startsWith(declaration));
  const root = readMarkup(text.slice(declaration.length));
  assert.equal(root.name, 'testsuites');
  const numbers = (node: Node): readonly number[] =>
    ['tests', 'failures', 'errors', 'skipped'].map((name) => Number(node.attributes.get(name)));
  // The known failure counts as skipped, the known failure that passed as a failure of its own.
  assert.deepEqual(numbers(root), [13, 3, 1, 4]);
  for (const suite of elementsOf(root, 'testsuite')) {
    const found = ['testcase', 'failure', 'error', 'skipped'].map((name) => elementsOf(suite, name).length);
    assert.deepEqual(numbers(suite), found, suite.attributes.get('name') ?? '');
  }
  assert.equal(elementsOf(root, 'testcase').length, 13);
  const seeds = elementsOf(root, 'property').filter((node) => node.attributes.get('name') === 'seed');
  assert.ok(seeds.length > 0 && seeds.every((node) => node.attributes.get('value') === '20261121'));
  const urls = elementsOf(root, 'property').filter((node) => node.attributes.get('name') === 'url');
  assert.ok(
    urls.length > 0 && urls.every((node) => node.attributes.get('value')?.startsWith('url </script><b>')),
  );
});

test('JUnit keeps the evidence, and warnings fail nobody', () => {
  const root = readMarkup(renderJunit(FIXTURE).replace(/^<\?.*\?>\n/, ''));
  const caseOf = (name: string): Node => {
    const found = elementsOf(root, 'testcase').find((node) => node.attributes.get('name') === name);
    assert.ok(found !== undefined, name);
    return found;
  };
  const [failure] = elementsOf(caseOf('stream/complete'), 'failure');
  assert.ok(failure !== undefined);
  assert.equal(failure.attributes.get('type'), 'STREAM-COMPLETE');
  // In an attribute, line breaks survive only when they are escaped.
  assert.ok(failure.attributes.get('message')?.includes('\r\n\ttab'));
  for (const place of [
    'message',
    'counterexample',
    'timeline what',
    'request body',
    'response body',
    'exchange error',
  ])
    assert.ok(textOf(failure).includes(`${place} </script><b>&amp;"'`), place);
  const [skipped] = elementsOf(caseOf('log/durable'), 'skipped');
  assert.equal(skipped?.attributes.get('message'), 'needs a command that kills and restarts the server');
  assert.match(
    elementsOf(caseOf('stream/slow-reader'), 'error')[0]?.attributes.get('message') ?? '',
    /^incomplete reason/,
  );
  const warned = caseOf('commit/range-read/end-is-exclusive');
  assert.equal(elementsOf(warned, 'failure').length, 0);
  assert.match(textOf(warned), /WARN COMMIT-PRECOND-RANGE-END-EXCLUSIVE/);
});

test('HTML is well-formed, and no text becomes markup', () => {
  const page = new Page(FIXTURE);
  for (const name of ['script', 'b', 'iframe', 'img', 'object', 'form', 'base']) {
    const own = page.all(name).filter((node) => name !== 'b' || !/^(GET|POST|\d+)$/.test(textOf(node)));
    assert.equal(own.length, 0, name);
  }
  assert.ok(!isUnsafe(page.text));
  const shown = visible(HOSTILE);
  for (const place of PLACES_IN_HTML) assert.ok(page.text.includes(`${place} ${shown}`), place);
});

const PLACES_IN_HTML = [
  ...[
    'url',
    'option',
    'message',
    'counterexample',
    'timeline who',
    'timeline what',
    'test title',
    'skip reason',
  ],
  ...['incomplete reason', 'observation', 'unexpected pass', 'requirement text', 'untestable', 'test name'],
  ...[
    'exchange url',
    'request head',
    'request body',
    'response head',
    'response body',
    'exchange error',
    'exchange curl',
  ],
];

test('HTML needs no network: no address is fetched, and every link leads into the page', () => {
  const page = new Page(FIXTURE);
  const style = textOf(page.all('style')[0]!);
  assert.ok(!/url\(|@import/.test(style));
  const visit = (node: Node): readonly Node[] =>
    node.children.flatMap((child) => (typeof child === 'string' ? [] : [child, ...visit(child)]));
  const nodes = visit(page.root);
  for (const { name, attributes } of nodes) {
    for (const key of attributes.keys())
      assert.ok(!/^on/.test(key) && !['src', 'srcset', 'action'].includes(key), key);
    if (attributes.has('href'))
      assert.match(attributes.get('href') ?? '', name === 'link' ? /^data:,$/ : /^#/);
  }
  const ids = nodes.flatMap(({ attributes }) => attributes.get('id') ?? []);
  assert.equal(new Set(ids).size, ids.length, 'an id names one element');
  const targets = page.all('a').map((node) => node.attributes.get('href')?.slice(1) ?? '');
  assert.ok(targets.length > 30);
  for (const target of targets) assert.ok(ids.includes(target), target);
});

test('HTML shows each requirement with its outcome, and the matrix counts right', () => {
  const page = new Page(FIXTURE);
  const items = page.all('li', 'requirement');
  assert.deepEqual(
    items.map((item) => [item.attributes.get('id'), textOf(elementsOf(item, 'span')[0]!)]).sort(),
    FIXTURE.requirements.map(({ id, outcome }) => [`requirement-${id}`, outcome]).sort(),
  );
  const rows = elementsOf(page.all('table', 'matrix')[0]!, 'tr').slice(1);
  const sections = [...bySection(FIXTURE).map(({ section }): string | undefined => section), undefined];
  assert.equal(rows.length, sections.length);
  for (const [index, row] of rows.entries()) {
    const numbers = elementsOf(row, 'td').map((cell) => Number(textOf(cell).replace('·', '0')));
    assert.deepEqual(
      numbers,
      REQUIREMENT_OUTCOMES.map((outcome) => expectedCount(sections[index], outcome)),
    );
  }
});

test('HTML shows each failure once, broken requirements first, with all requests', () => {
  const page = new Page(FIXTURE);
  const cards = page.all('article');
  assert.equal(cards.length, 4);
  assert.deepEqual(
    cards.map((card) => textOf(elementsOf(card, 'a')[0]!)),
    ['COMMIT-RANGE-READ', 'STREAM-COMPLETE', 'STATUS-LATE-ARRIVAL', 'COMMIT-PRECOND-RANGE-END-EXCLUSIVE'],
  );
  const [card] = cards;
  assert.ok(card !== undefined);
  const commands = elementsOf(card, 'pre').filter((node) => node.attributes.get('class') === 'command');
  assert.deepEqual(
    commands.map(textOf),
    RANGE_FAILURE.exchanges.map(({ curl }) => curl),
  );
  assert.ok(textOf(card).includes('--seed 20261121 --only commit/range-read/overlap'));
  assert.ok(textOf(cards[1]!).includes(`${HOSTILE_FAILURE.timeline.length - 200} left out`));
});

test('HTML names the server and the reasons where one looks for them', () => {
  const page = new Page(FIXTURE);
  assert.ok(textOf(page.all('h1')[0]!).includes(visible(FIXTURE.url)));
  const reasonsIn = (id: string): readonly string[] => {
    const section = page.all('section').find((node) => node.attributes.get('id') === id);
    assert.ok(section !== undefined, id);
    return elementsOf(section, 'summary').map(textOf);
  };
  assert.deepEqual(reasonsIn('incomplete'), [`${visible(hostile('incomplete reason'))} 1 test`]);
  assert.deepEqual(reasonsIn('skipped'), [
    'needs a command that kills and restarts the server 2 tests',
    `${visible(hostile('skip reason'))} 1 test`,
  ]);
});

test('a good run has nothing but its requirements to show', () => {
  const page = new Page(GOOD);
  assert.match(textOf(page.all('h1')[0]!), /^Passed /);
  assert.equal(page.all('article').length, 0);
  assert.deepEqual(
    page.all('h2').map((node) => textOf(node).trim().split(' ')[0]),
    ['Sections', 'Requirements', 'Precision'],
  );
});
