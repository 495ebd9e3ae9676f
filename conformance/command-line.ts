import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Level } from './catalogue/requirement.js';
import { compareSections, SECTIONS } from './catalogue/sections.js';
import type { Hooks, RunOptions } from './run/options.js';
import { Incomplete } from './run/violation.js';

export interface Report {
  readonly format: 'junit' | 'json' | 'html';
  readonly file: string;
}

export interface CommandLine {
  readonly action: 'run' | 'list' | 'help';
  readonly options: RunOptions;
  readonly reports: readonly Report[];
  readonly watch: boolean;
  readonly color: boolean | undefined;
}

/** A mistake in the command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

interface Flag {
  readonly type: 'string' | 'boolean';
  readonly multiple?: boolean;
  readonly value?: string;
  readonly help: string;
}

/** Every flag, in the order of the help. */
export const FLAGS = {
  url: { type: 'string', value: 'URL', help: 'the server to judge, such as http://127.0.0.1:8080 (needed)' },
  quick: { type: 'boolean', help: 'fewer cases: under 30 seconds on a fast server' },
  soak: {
    type: 'string',
    value: 'MINUTES',
    help: 'repeat everything with new cases for so long, or until a failure',
  },
  runs: { type: 'string', value: 'N', help: 'cases of each property' },
  seed: { type: 'string', value: 'N', help: 'repeat the random choices of the run that printed this seed' },
  only: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'only tests with this name, in this folder, or of this requirement; * stands for anything',
  },
  skip: { type: 'string', multiple: true, value: 'NAME', help: 'leave these out' },
  section: {
    type: 'string',
    multiple: true,
    value: 'N',
    help: 'only tests of this section of the specification, such as 4.3',
  },
  level: {
    type: 'string',
    multiple: true,
    value: 'LEVEL',
    help: 'only tests of MUST, SHOULD or OPEN requirements',
  },
  'restart-cmd': {
    type: 'string',
    value: 'CMD',
    help: 'kills the server with -9, starts it on the same address and data, and returns once it serves',
  },
  'truncate-cmd': {
    type: 'string',
    value: 'CMD',
    help: 'makes the server truncate now, and returns when it has',
  },
  'truncation-keeps': {
    type: 'string',
    value: 'N',
    help: 'the server truncates by itself soon after it holds more than N transactions',
  },
  'max-commit-bytes': { type: 'string', value: 'N', help: 'the configured largest body of a commit' },
  'min-request-id-length': {
    type: 'string',
    value: 'N',
    help: 'the configured smallest length of a request_id',
  },
  'keepalive-timeout': {
    type: 'string',
    value: 'MS',
    help: 'a keepalive has to come within so much silence',
  },
  'subscriber-buffer-bytes': {
    type: 'string',
    value: 'N',
    help: 'the configured buffer of unconsumed data per subscriber',
  },
  'known-failing': {
    type: 'string',
    value: 'FILE',
    help: 'names of tests or requirements, one a line, that fail for now; one that passes is reported as a failure',
  },
  report: {
    type: 'string',
    multiple: true,
    value: 'FORMAT=FILE',
    help: 'write a report: junit=FILE, json=FILE, html=FILE, several with commas',
  },
  patience: { type: 'string', value: 'MS', help: 'how long to wait for an answer or an event (15000)' },
  concurrency: { type: 'string', value: 'N', help: 'how many tests that allow it run at the same time (6)' },
  watch: {
    type: 'boolean',
    help: 'stay, and run again whenever the server was restarted, or Enter is pressed',
  },
  list: { type: 'boolean', help: 'print the catalogue of requirements and the tests that cover them' },
  color: { type: 'boolean', help: 'colours, also where the output is no terminal' },
  help: { type: 'boolean', help: 'print this' },
} as const satisfies Readonly<Record<string, Flag>>;

export const EXIT_CODES = {
  passed: 0,
  failed: 1,
  usage: 2,
  incomplete: 3,
} as const;

/** The text of --help. */
export function helpText(): string {
  const rows = Object.entries<Flag>(FLAGS).map(([name, { value, help }]) => [
    `  --${name}${value === undefined ? '' : ` ${value}`}`,
    help,
  ]);
  const width = Math.max(...rows.map(([flag]) => flag!.length)) + 2;
  return `Judges a server of the key-value log interface by its URL.

${rows.map(([flag, help]) => flag!.padEnd(width) + help).join('\n')}

Exit codes: ${EXIT_CODES.passed} the server passed; ${EXIT_CODES.failed} it failed; ${EXIT_CODES.usage} the command line is wrong;
${EXIT_CODES.incomplete} no verdict: the server could not be reached, or a test could not come to an end.
`;
}

const integer = (flag: string, text: string | undefined, least: number): number | undefined => {
  if (text === undefined) return undefined;
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && Number.isSafeInteger(number)) return number;
  throw new UsageError(`--${flag} must be an integer of at least ${least}, not "${text}"`);
};

const words = (texts: readonly string[] | undefined): string[] =>
  (texts ?? []).flatMap((text) => text.split(',')).filter((word) => word !== '');

function readUrl(text: string | undefined): string {
  if (text === undefined) throw new UsageError('--url is needed: the address of the server to judge');
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UsageError(`--url "${text}" is not a URL`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UsageError(`--url must begin with http:// or https://, not "${text}"`);
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function readReport(word: string): Report {
  const [, format, file] = /^(junit|json|html)=(.+)$/.exec(word) ?? [];
  if (format === undefined || file === undefined)
    throw new UsageError(`--report must be junit=FILE, json=FILE or html=FILE, not "${word}"`);
  return { format: format as Report['format'], file };
}

function readLevel(word: string): Level {
  const level = word.toUpperCase();
  if (level === 'MUST' || level === 'SHOULD' || level === 'OPEN') return level;
  throw new UsageError(`--level must be MUST, SHOULD or OPEN, not "${word}"`);
}

function readSection(word: string): string {
  const known = Object.keys(SECTIONS).some((section) => section === word || section.startsWith(`${word}.`));
  if (!known)
    throw new UsageError(
      `--section ${word}: there are ${Object.keys(SECTIONS).sort(compareSections).join(', ')}`,
    );
  return word;
}

/** Names of a list of known failures: one a line; # begins a comment. */
export function readKnownFailing(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/#.*/, '').trim())
    .filter((line) => line !== '');
}

/** Runs a command of the user in a shell; its output goes to standard error. @throws Incomplete where it fails */
function shell(flag: string, command: string): () => Promise<void> {
  return () =>
    new Promise((resolve, reject) => {
      // A server that the command leaves running may keep its pipes: only the end of the shell counts.
      const child = spawn(command, { shell: true, stdio: ['ignore', 2, 2] });
      child.on('error', (error) => reject(new Incomplete(`--${flag}: ${error.message}`)));
      child.on('exit', (code, signal) => {
        if (code === 0) resolve();
        else reject(new Incomplete(`--${flag} ended with ${signal ?? `exit code ${code}`}: ${command}`));
      });
    });
}

function readHooks(values: Readonly<Record<string, string | undefined>>): Hooks {
  const number = (flag: string, least: number): number | undefined => integer(flag, values[flag], least);
  const hooks: { -readonly [Name in keyof Hooks]: Hooks[Name] | undefined } = {
    restart: values['restart-cmd'] === undefined ? undefined : shell('restart-cmd', values['restart-cmd']),
    truncate:
      values['truncate-cmd'] === undefined ? undefined : shell('truncate-cmd', values['truncate-cmd']),
    truncationKeeps: number('truncation-keeps', 0),
    maxCommitBytes: number('max-commit-bytes', 1),
    minRequestIdLength: number('min-request-id-length', 0),
    keepaliveTimeoutMs: number('keepalive-timeout', 1),
    subscriberBufferBytes: number('subscriber-buffer-bytes', 1),
  };
  return Object.fromEntries(Object.entries(hooks).filter(([, hook]) => hook !== undefined)) as Hooks;
}

/** @throws UsageError */
export function parseCommandLine(args: readonly string[]): CommandLine {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const action = values.help === true ? 'help' : values.list === true ? 'list' : 'run';
  const soakMinutes = integer('soak', values.soak, 1) ?? 0;
  const knownFailing = values['known-failing'];
  const texts = values as Readonly<Record<string, string | undefined>>;
  return {
    action,
    reports: words(values.report).map(readReport),
    watch: values.watch ?? false,
    color: values.color,
    options: {
      typed: typedOptions(args),
      url: action === 'run' ? readUrl(values.url) : '',
      hooks: readHooks(texts),
      only: words(values.only),
      skip: words(values.skip),
      sections: words(values.section).map(readSection),
      levels: words(values.level).map(readLevel),
      seed: integer('seed', values.seed, 0) ?? Date.now() % 0x7fffffff,
      runs: integer('runs', values.runs, 1),
      depth: values.quick === true ? 'quick' : soakMinutes > 0 ? 'soak' : 'default',
      soakMinutes,
      patienceMs: integer('patience', values.patience, 100) ?? 15_000,
      concurrency: integer('concurrency', values.concurrency, 1) ?? 6,
      knownFailing:
        knownFailing === undefined ? [] : readKnownFailing(readFile('known-failing', knownFailing)),
    },
  };
}

/** Flags with their values, one text each, quoted where a shell would need it; the URL is told anyway. */
function typedOptions(args: readonly string[]): string[] {
  const quote = (text: string): string =>
    /^[\w./:=,*@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
  const options: string[] = [];
  let isToldElsewhere = false;
  for (const arg of args) {
    const isFlag = arg.startsWith('--');
    if (isFlag) isToldElsewhere = /^--(url|report)(=|$)/.test(arg);
    if (isToldElsewhere) continue;
    if (isFlag || options.length === 0) options.push(quote(arg));
    else options.push(`${options.pop()} ${quote(arg)}`);
  }
  return options;
}

function readFile(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`--${flag} ${file}: ${(error as Error).message}`);
  }
}

const parse = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: FLAGS, allowPositionals: false }).values;
