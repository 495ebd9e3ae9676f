import { writeFileSync } from 'node:fs';
import {
  type CommandLine,
  EXIT_CODES,
  helpText,
  parseCommandLine,
  type Report,
  UsageError,
} from './command-line.js';
import { renderCatalogue } from './report/catalogue-text.js';
import { renderHtml } from './report/html.js';
import { renderJson } from './report/json.js';
import { renderJunit } from './report/junit.js';
import { renderSummary, TerminalProgress } from './report/terminal.js';
import { Unreachable } from './run/first-contact.js';
import type { RunOptions } from './run/options.js';
import type { RunResult } from './run/result.js';
import { runSuite } from './run/run-suite.js';
import { unknownPatterns } from './run/selection.js';
import { TESTS } from './tests/all.js';
import { nextWish } from './watch.js';

const RENDER: Readonly<Record<Report['format'], (result: RunResult) => string>> = {
  html: renderHtml,
  json: renderJson,
  junit: renderJunit,
};

const out = (text: string): void => {
  process.stdout.write(text);
};

/** Runs the suite once, shows it as it goes, and writes the reports. Undefined where nothing answers. */
async function runOnce(
  commandLine: CommandLine,
  options: RunOptions,
  color: boolean,
): Promise<RunResult | undefined> {
  const stop = new AbortController();
  const interrupt = (): void => {
    if (stop.signal.aborted) process.exit(EXIT_CODES.incomplete);
    process.stderr.write('\nStopping after the tests that run now; once more to stop at once.\n');
    stop.abort();
  };
  process.on('SIGINT', interrupt);
  const progress = new TerminalProgress(process.stdout, color);
  try {
    out(`Judging ${options.url} with seed ${options.seed}\n`);
    const result = await runSuite({ ...options, signal: stop.signal }, progress);
    progress.end();
    for (const { format, file } of commandLine.reports) writeFileSync(file, RENDER[format](result));
    out(renderSummary(result, color));
    return result;
  } catch (error) {
    progress.end();
    if (!(error instanceof Unreachable)) throw error;
    process.stderr.write(`conformance: no server answers at ${options.url} (${error.message})\n`);
    return undefined;
  } finally {
    process.removeListener('SIGINT', interrupt);
  }
}

const codeOf = (result: RunResult | undefined): number => EXIT_CODES[result?.verdict ?? 'incomplete'];

async function run(commandLine: CommandLine): Promise<number> {
  const { options } = commandLine;
  const unknown = unknownPatterns(TESTS, [...options.only, ...options.skip, ...options.knownFailing]);
  if (unknown.length > 0)
    throw new UsageError(
      `no test, folder of tests or requirement is called ${unknown.join(', ')}; --list shows them`,
    );
  const color = commandLine.color ?? (process.stdout.isTTY && process.env['NO_COLOR'] === undefined);
  let result = await runOnce(commandLine, options, color);
  while (commandLine.watch) {
    out(
      '\nWatching. Runs again when the server is restarted, or with Enter; f: only what failed; q: quit.\n',
    );
    const wish = await nextWish(options.url);
    if (wish === 'quit') break;
    const failed = result?.tests.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name) ?? [];
    const only = wish === 'failed' && failed.length > 0 ? failed : options.only;
    result = await runOnce(commandLine, { ...options, only }, color);
  }
  return codeOf(result);
}

async function main(args: readonly string[]): Promise<number> {
  try {
    const commandLine = parseCommandLine(args);
    if (commandLine.action === 'run') return await run(commandLine);
    out(commandLine.action === 'help' ? helpText() : renderCatalogue(TESTS));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`conformance: ${error.message}\nTry --help.\n`);
    return EXIT_CODES.usage;
  }
}

process.exitCode = await main(process.argv.slice(2));
