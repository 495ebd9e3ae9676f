import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FLAGS, helpText, parseCommandLine, readKnownFailing, UsageError } from './command-line.js';

const URL_FLAG = ['--url', 'http://127.0.0.1:8080'];
const parse = (...args: readonly string[]) => parseCommandLine([...URL_FLAG, ...args]);
const fails = (message: RegExp, ...args: readonly string[]): void =>
  assert.throws(
    () => parse(...args),
    (error) => error instanceof UsageError && message.test(error.message),
    args.join(' '),
  );

test('only the URL is needed', () => {
  const { options, ...rest } = parse();
  assert.deepEqual(rest, { action: 'run', reports: [], watch: false, color: undefined });
  const { seed, ...others } = options;
  assert.ok(Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31);
  assert.deepEqual(others, {
    typed: [],
    url: 'http://127.0.0.1:8080',
    hooks: {},
    only: [],
    skip: [],
    sections: [],
    levels: [],
    runs: undefined,
    depth: 'default',
    soakMinutes: 0,
    patienceMs: 15_000,
    concurrency: 6,
    knownFailing: [],
  });
});

test('a URL loses its slash at the end, and what is no part of an address', () => {
  for (const [typed, url] of [
    ['http://host', 'http://host'],
    ['http://host/', 'http://host'],
    ['https://host:444/base//', 'https://host:444/base'],
    ['http://[::1]:80/base?query#part', 'http://[::1]/base'],
  ] as const)
    assert.equal(parseCommandLine(['--url', typed]).options.url, url);
});

test('a URL that is none is told', () => {
  for (const [message, ...args] of [
    [/--url is needed/],
    [/is not a URL/, '--url', '127.0.0.1'],
    [/is not a URL/, '--url', ''],
    [/must begin with http/, '--url', 'ftp://host'],
    [/must begin with http/, '--url', 'localhost:8080'],
  ] as const)
    assert.throws(
      () => parseCommandLine(args),
      (error) => error instanceof UsageError && message.test(error.message),
      args.join(' '),
    );
});

test('help and list need no URL', () => {
  assert.equal(parseCommandLine(['--help']).action, 'help');
  assert.equal(parseCommandLine(['--list']).action, 'list');
  assert.equal(parseCommandLine(['--list', '--help']).action, 'help');
});

test('numbers are read, each with its least value', () => {
  const { options } = parse(
    ...['--seed', '0', '--runs', '1', '--patience', '100', '--concurrency', '1'],
    ...['--truncation-keeps', '0', '--max-commit-bytes', '1', '--min-request-id-length', '0'],
    ...['--keepalive-timeout', '1', '--subscriber-buffer-bytes', '1'],
  );
  const { seed, runs, patienceMs, concurrency, hooks } = options;
  assert.deepEqual(
    { seed, runs, patienceMs, concurrency },
    { seed: 0, runs: 1, patienceMs: 100, concurrency: 1 },
  );
  assert.deepEqual(hooks, {
    truncationKeeps: 0,
    maxCommitBytes: 1,
    minRequestIdLength: 0,
    keepaliveTimeoutMs: 1,
    subscriberBufferBytes: 1,
  });
  assert.equal(parse('--seed', '1234567890').options.seed, 1_234_567_890);
});

test('a number that is none, or too small, is told', () => {
  for (const [flag, tooSmall] of [
    ['soak', '0'],
    ['runs', '0'],
    ['patience', '99'],
    ['concurrency', '0'],
    ['max-commit-bytes', '0'],
    ['keepalive-timeout', '0'],
    ['subscriber-buffer-bytes', '0'],
  ] as const)
    fails(new RegExp(`--${flag} must be an integer of at least`), `--${flag}`, tooSmall);
  for (const flag of ['seed', 'truncation-keeps', 'min-request-id-length'])
    for (const text of ['', ' 1', '1.5', '1e3', '0x10', 'x', '9007199254740993'])
      fails(new RegExp(`--${flag} must be an integer of at least 0`), `--${flag}`, text);
  fails(/--seed must be an integer/, '--seed=-1');
});

test('quick, default and soak runs', () => {
  assert.equal(parse('--quick').options.depth, 'quick');
  const { depth, soakMinutes } = parse('--soak', '10').options;
  assert.deepEqual({ depth, soakMinutes }, { depth: 'soak', soakMinutes: 10 });
});

test('lists may be typed with commas, or several times', () => {
  const { options, reports } = parse(
    ...['--only', 'a,b', '--only', 'c', '--skip', 'd,', '--section', '2.2,4', '--section', '6.4'],
    ...['--level', 'must,Should', '--level', 'OPEN', '--report', 'junit=a.xml,json=b=c.json'],
    ...['--report', 'html=d.html'],
  );
  assert.deepEqual(options.only, ['a', 'b', 'c']);
  assert.deepEqual(options.skip, ['d']);
  assert.deepEqual(options.sections, ['2.2', '4', '6.4']);
  assert.deepEqual(options.levels, ['MUST', 'SHOULD', 'OPEN']);
  assert.deepEqual(reports, [
    { format: 'junit', file: 'a.xml' },
    { format: 'json', file: 'b=c.json' },
    { format: 'html', file: 'd.html' },
  ]);
});

test('a section, level or report that does not exist is told', () => {
  for (const section of ['2.9', '10', 'x', '2.', '6.', '.'])
    fails(/--section .*: there are 1, 2.1/, '--section', section);
  for (const level of ['may', 'MUSTS', '1']) fails(/--level must be MUST, SHOULD or OPEN/, '--level', level);
  for (const report of ['junit', 'junit=', 'xml=a', '=a', 'a.html'])
    fails(/--report must be junit=FILE/, '--report', report);
});

test('switches', () => {
  assert.equal(parse('--watch').watch, true);
  assert.equal(parse('--color').color, true);
});

test('flags that do not exist, lack their value, or have one too many are told', () => {
  for (const args of [
    ['--nothing'],
    ['--only'],
    ['--quick=yes'],
    ['positional'],
    ['-x'],
    ['--seed', '--quick'],
  ])
    fails(/./, ...args);
});

test('commands are run in a shell, one after the other', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const flag = join(folder, 'flag');
  const { hooks } = parse(
    ...['--restart-cmd', `test ! -e '${flag}' && : > '${flag}'`, '--truncate-cmd', 'exit 7'],
  ).options;
  assert.deepEqual(Object.keys(hooks).sort(), ['restart', 'truncate']);
  await hooks.restart?.();
  await assert.rejects(hooks.restart!(), /--restart-cmd ended with exit code 1/);
  await assert.rejects(hooks.truncate!(), /--truncate-cmd ended with exit code 7: exit 7/);
  await assert.rejects(parse('--restart-cmd', 'kill -9 $$').options.hooks.restart!(), /ended with SIGKILL/);
});

test('a command that leaves a server running has ended', async () => {
  const { hooks } = parse('--restart-cmd', 'sleep 2 &').options;
  const began = performance.now();
  await hooks.restart?.();
  assert.ok(performance.now() - began < 1_500);
});

test('known failures are one a line; # begins a comment', () => {
  assert.deepEqual(readKnownFailing('a/b\r\n\n  # all of it\n STREAM-LIVE # for now\n\tc/d\n#x'), [
    'a/b',
    'STREAM-LIVE',
    'c/d',
  ]);
  assert.deepEqual(readKnownFailing(''), []);
});

test('known failures are read from a file', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'known.txt');
  writeFileSync(file, 'a/b\n# x\n');
  assert.deepEqual(parse('--known-failing', file).options.knownFailing, ['a/b']);
  fails(/--known-failing .*absent.txt: ENOENT/, '--known-failing', join(folder, 'absent.txt'));
});

test('the options are told as they were typed, but for the URL and the reports', () => {
  const typed = (...args: readonly string[]) => parse(...args).options.typed;
  assert.deepEqual(typed('--quick', '--seed', '7', '--only=a,b'), ['--quick', '--seed 7', '--only=a,b']);
  assert.deepEqual(typed('--report', 'html=a.html', '--quick', '--report=json=a b.json'), ['--quick']);
  assert.deepEqual(typed('--restart-cmd', `it's $1`), [`--restart-cmd 'it'\\''s $1'`]);
  assert.deepEqual(typed('--only', 'a*', '--skip', ''), ['--only a*', `--skip ''`]);
  assert.deepEqual(parseCommandLine(['--url=http://host/?a', '--quick']).options.typed, ['--quick']);
});

test('the help names every flag', () => {
  const help = helpText();
  for (const [name, { help: text }] of Object.entries(FLAGS)) {
    assert.ok(help.includes(`\n  --${name}`), name);
    assert.ok(help.includes(text), name);
  }
  assert.match(help, /--seed N {2,}repeat/);
});
