#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, describeSettings, readConfig } from './config.js';
import { dumpLog } from './log/file/dump.js';
import { verifyLog } from './log/file/verify.js';
import { LogError } from './log/log.js';
import { createLogger } from './logger.js';
import { Service } from './service.js';

/** Exit codes; the help text names them. */
const EXIT = { done: 0, failed: 1, wrongUse: 2 } as const;

const HELP = `headwater: the write side of a key-value database

  headwater [serve] [settings]            serves the interface of docs/api.md
  headwater verify <directory>            checks a log offline, record by record
  headwater dump <directory> [--after V]  prints transactions as JSON lines
  headwater --help | --version

Settings: --name value, or HEADWATER_NAME=value in the environment, or "name": value in the JSON
file that --config names. Flags go before the environment, that before the file.

${describeSettings()}

Exit codes: 0 done; 1 failed (for verify: damage was found); 2 wrong use.
`;

async function main(args: readonly string[]): Promise<number> {
  const [command] = args;
  if (args.includes('--help') || args.includes('-h')) return print(HELP);
  if (command === '--version') return print(`${version()}\n`);
  if (command === 'verify') return verify(args.slice(1));
  if (command === 'dump') return dump(args.slice(1));
  if (command === 'serve') return serve(args.slice(1));
  if (command === undefined || command.startsWith('-')) return serve(args);
  throw new ConfigError(`there is no command "${command}"; see headwater --help`);
}

async function serve(args: readonly string[]): Promise<number> {
  const config = readConfig(args, process.env);
  const logger = createLogger({ level: config['log-level'], format: config['log-format'] });
  const service = await Service.start(config, logger);
  const stopped = new Promise<void>((resolve, reject) => {
    let stopping = false;
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (stopping) process.exit(EXIT.failed);
        stopping = true;
        service.stop().then(resolve, reject);
      });
    }
  });
  print(`headwater serves ${service.url}\n`);
  await stopped;
  return EXIT.done;
}

async function verify(args: readonly string[]): Promise<number> {
  const { directory } = readDirectoryArguments(args, {});
  const { problems } = await verifyLog(directory, (line) => print(`${line}\n`));
  return problems.length > 0 ? EXIT.failed : EXIT.done;
}

async function dump(args: readonly string[]): Promise<number> {
  const { directory, values } = readDirectoryArguments(args, { after: { type: 'string' } });
  const text = values['after'];
  const after = Number(text);
  if (text !== undefined && !(/^\d+$/.test(String(text)) && Number.isSafeInteger(after))) {
    throw new ConfigError(`--after must be an integer from 0 to 9007199254740991; it is "${text}"`);
  }
  await dumpLog({ directory, ...(text !== undefined && { after }) }, printBytes);
  return EXIT.done;
}

function readDirectoryArguments(
  args: readonly string[],
  options: NonNullable<Parameters<typeof parseArgs>[0]>['options'] & object,
) {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args: [...args], options, strict: true, allowPositionals: true });
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
  const [directory, ...others] = parsed.positionals;
  if (directory === undefined || others.length > 0) throw new ConfigError('name one directory');
  return { directory, values: parsed.values };
}

function print(text: string): number {
  process.stdout.write(text);
  return EXIT.done;
}

/** Waits for a slow reader of standard output, so that a large log is not held in memory. */
function printBytes(bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const expected = error instanceof ConfigError || error instanceof LogError || isSystemError(error);
    process.stderr.write(`headwater: ${expected ? (error as Error).message : (error as Error).stack}\n`);
    process.exitCode = error instanceof ConfigError ? EXIT.wrongUse : EXIT.failed;
  },
);

/** An error of the operating system, or one that was given a sentence and has one as its cause. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && ('syscall' in error || isSystemError(error.cause));
}
