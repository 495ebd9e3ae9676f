import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { WINDOW_VERSIONS_MAX } from './core/conflict-set.js';

/** One setting: a flag, an environment variable and a key of the configuration file at once. */
interface Setting<T> {
  readonly help: string;
  /** Shown in the help where a plain value would not say enough. */
  readonly unit: string;
  readonly default: T;
  /** @throws Error with the rule that the text breaks, without the name of the setting. */
  readonly read: (text: string) => T;
}

const text = (help: string, unit: string, standard: string): Setting<string> => ({
  help,
  unit,
  default: standard,
  read: (value) => {
    if (value === '') throw new Error('must not be empty');
    return value;
  },
});

function parseInteger(value: string, min: number, max: number): number {
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new Error(`must be an integer from ${min} to ${max}`);
}

const integer = (
  help: string,
  unit: string,
  standard: number,
  [min, max]: readonly [number, number],
): Setting<number> => ({
  help: `${help} [${min} to ${max}]`,
  unit,
  default: standard,
  read: (value) => parseInteger(value, min, max),
});

const limit = (
  help: string,
  unit: string,
  [min, max]: readonly [number, number],
): Setting<number | undefined> => ({
  help: `${help} [none, or ${min} to ${max}]`,
  unit,
  default: undefined,
  read: (value) => (value === 'none' ? undefined : parseInteger(value, min, max)),
});

const choice = <T extends string>(help: string, values: readonly [T, ...T[]]): Setting<T> => ({
  help,
  unit: values.join('|'),
  default: values[0],
  read: (value) => {
    const found = values.find((known) => known === value);
    if (found === undefined) throw new Error(`must be one of ${values.join(', ')}`);
    return found;
  },
});

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
const DAY_MS = 86_400_000;
/** The longest delay that a timer takes. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const VERSIONS_MAX = Number.MAX_SAFE_INTEGER;

/** Every setting, in the order of the help text. */
const SETTINGS = {
  host: text('address to listen on', 'address', '127.0.0.1'),
  port: integer('port to listen on; 0 takes a free one', 'port', 8080, [0, 65535]),
  'data-dir': text('log, indexes, policies, lock', 'directory', './headwater-data'),
  'max-commit-bytes': integer('largest body of a commit request', 'bytes', MIB, [KIB, 64 * MIB]),
  'min-request-id-length': integer('shortest request_id', 'characters', 20, [1, 256]),
  'max-in-flight': integer('commits without an answer', 'commits', 10_000, [1, 1_000_000]),
  'max-in-flight-bytes': integer('the same in bytes of keys and values', 'bytes', 64 * MIB, [MIB, 4 * GIB]),
  'max-receiving-bytes': integer('bytes of all requests that are being received', 'bytes', 256 * MIB, [
    MIB,
    16 * GIB,
  ]),
  'conflict-window-versions': integer(
    'newest versions whose conflicts are known; older reads are refused',
    'versions',
    1_000_000,
    [1, WINDOW_VERSIONS_MAX],
  ),
  'conflict-window-bytes': integer(
    'memory for them; when it is full the oldest are forgotten',
    'bytes',
    256 * MIB,
    [8 * MIB, 2 * GIB],
  ),
  'request-id-window-versions': integer(
    'newest transactions whose request IDs are checked for reuse in memory',
    'versions',
    4_000_000,
    [1, 100_000_000],
  ),
  'max-fences': integer(
    'request IDs declared not found in one term; then a new term starts',
    'IDs',
    100_000,
    [1, 10_000_000],
  ),
  'keepalive-ms': integer('longest silence on a stream', 'ms', 15_000, [10, TIMER_MS_MAX]),
  'subscriber-buffer-bytes': integer('bytes that may wait for a live stream', 'bytes', 8 * MIB, [
    KIB,
    4 * GIB,
  ]),
  'subscriber-grace-ms': integer('how long more than that may wait before the stream is cut', 'ms', 5000, [
    0,
    TIMER_MS_MAX,
  ]),
  'max-subscribers': integer('open streams', 'streams', 10_000, [1, 1_000_000]),
  'tail-bytes': integer('memory for the newest transactions and their events', 'bytes', 32 * MIB, [
    MIB,
    16 * GIB,
  ]),
  'catch-up-cache-bytes': integer('memory for blocks shared by streams that catch up', 'bytes', 32 * MIB, [
    0,
    16 * GIB,
  ]),
  'segment-bytes': integer('size at which a segment is sealed', 'bytes', 64 * MIB, [16 * KIB, 2 * GIB]),
  'retain-ms': limit('truncate only what is older', 'ms', [0, VERSIONS_MAX]),
  'retain-versions': limit('truncate only below this many newest transactions', 'versions', [
    0,
    VERSIONS_MAX,
  ]),
  'retain-bytes': limit('truncate only while the log is larger', 'bytes', [0, VERSIONS_MAX]),
  'request-id-retain-ms': integer('how long request IDs stay findable at least', 'ms', DAY_MS, [
    0,
    VERSIONS_MAX,
  ]),
  'request-id-retain-versions': integer('for how many transactions at least', 'versions', 100_000, [
    0,
    VERSIONS_MAX,
  ]),
  'truncate-interval-ms': integer('how often truncation is considered', 'ms', 10_000, [10, TIMER_MS_MAX]),
  'max-retention-policies': integer('retention policies', 'policies', 1000, [1, 1_000_000]),
  'max-connections': integer(
    'open connections; more are closed at once',
    'connections',
    16_384,
    [1, 1_000_000],
  ),
  'request-timeout-ms': integer('how long a request may take to arrive', 'ms', 30_000, [100, TIMER_MS_MAX]),
  'stop-timeout-ms': integer('how long a stop waits for connections to finish', 'ms', 10_000, [
    0,
    TIMER_MS_MAX,
  ]),
  workers: integer('HTTP worker processes; this version serves all in one process', 'processes', 0, [0, 0]),
  'log-level': choice('lowest level that is logged', ['info', 'debug', 'warn', 'error']),
  'log-format': choice('auto is pretty on a terminal, else JSON lines', ['auto', 'json', 'pretty']),
} as const;

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;
type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** The values of all settings. */
export type Config = { readonly [Name in SettingName]: ValueOf<Settings[Name]> };

/** A setting has a wrong value, or does not exist; the message names it and where it came from. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const NAMES = Object.keys(SETTINGS) as SettingName[];
const ENVIRONMENT_PREFIX = 'HEADWATER_';
const environmentName = (name: string) => `${ENVIRONMENT_PREFIX}${name.toUpperCase().replaceAll('-', '_')}`;

/**
 * Reads the settings: flags go before environment variables, those before the file, that before the defaults.
 *
 * @param args the command line behind the program (and the command).
 * @throws ConfigError naming the first wrong setting.
 */
export function readConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Config {
  const flags = parseFlags(args);
  const unknown = Object.keys(environment).find(
    (name) =>
      name.startsWith(ENVIRONMENT_PREFIX) &&
      ![...NAMES, 'config'].some((known) => environmentName(known) === name),
  );
  if (unknown !== undefined) throw new ConfigError(`${unknown} in the environment is not a setting`);
  const path = flags['config'] ?? environment[environmentName('config')];
  const file = path === undefined ? {} : parseFile(path, readFile);
  const entries = NAMES.map((name) => {
    const sources = [
      { value: flags[name], source: `--${name}` },
      { value: environment[environmentName(name)], source: environmentName(name) },
      { value: file[name], source: `${name} in ${path}` },
    ];
    const given = sources.find(({ value }) => value !== undefined);
    return [
      name,
      given?.value === undefined ? SETTINGS[name].default : readValue(name, given.value, given.source),
    ];
  });
  return Object.fromEntries(entries) as Config;
}

function readValue(name: SettingName, value: string, source: string): unknown {
  try {
    return SETTINGS[name].read(value);
  } catch (error) {
    throw new ConfigError(`${source} ${(error as Error).message}; it is "${value}"`);
  }
}

function parseFlags(args: readonly string[]): Partial<Record<string, string>> {
  const options = Object.fromEntries(
    [...NAMES, 'config'].map((name) => [name, { type: 'string' as const, multiple: false }]),
  );
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values as Partial<
      Record<string, string>
    >;
  } catch (error) {
    throw new ConfigError((error as Error).message);
  }
}

/** @throws ConfigError when the file cannot be read, is no JSON object, or has a key that is no setting. */
function parseFile(path: string, readFile: (path: string) => string): Partial<Record<string, string>> {
  let content: unknown;
  try {
    content = JSON.parse(readFile(path));
  } catch (error) {
    throw new ConfigError(`the configuration file ${path} cannot be read: ${(error as Error).message}`);
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new ConfigError(`the configuration file ${path} must hold a JSON object`);
  }
  const unknown = Object.keys(content).find((key) => !NAMES.includes(key as SettingName));
  if (unknown !== undefined) throw new ConfigError(`${unknown} in ${path} is not a setting`);
  return Object.fromEntries(
    Object.entries(content).map(([key, value]) => [key, value === null ? 'none' : String(value)]),
  );
}

/** One line for each setting, as the help shows them. */
export function describeSettings(): string {
  const rows = NAMES.map((name) => {
    const setting = SETTINGS[name];
    return {
      flag: `--${name} <${setting.unit}>`,
      help: `${setting.help} (default ${setting.default ?? 'none'})`,
    };
  });
  const width = Math.max(...rows.map(({ flag }) => flag.length)) + 2;
  return rows.map(({ flag, help }) => `  ${flag.padEnd(width)}${help}`).join('\n');
}
