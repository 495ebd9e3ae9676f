import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The folder of the scripts, which are not compiled: k6 runs TypeScript. */
const SCRIPTS = fileURLToPath(new URL('../../../loadtest/', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache/loadtest/', import.meta.url));

const names = (): string[] =>
  readdirSync(SCRIPTS)
    .filter((file) => file.endsWith('.ts'))
    .map((file) => file.slice(0, -'.ts'.length));

export const usage = (): string => `Runs a k6 script, then looks every acknowledged commit up in the stream.

  npm run loadtest -- <name> [options]

  name              one of ${names().join(', ')}
  --url URL         the server; without it a fresh one is started, and its data removed afterwards
  --quick           about 15 seconds
  -e NAME=VALUE     for the script, as in k6; may be repeated (loadtest/README.md)
  --summary FILE    where the tables go, as Markdown (default .cache/loadtest/<name>.md)
  --data-dir DIR    where a fresh server keeps its data (default: the directory for temporary files)

Exit codes: 0 all is well; 1 a threshold is broken, or a commit is not in the stream as acknowledged; 2 wrong use.
`;

export interface LoadTestOptions {
  readonly name: string;
  /** The file that k6 runs. */
  readonly script: string;
  readonly url: string | undefined;
  readonly isQuick: boolean;
  readonly environment: readonly string[];
  readonly summaryFile: string;
  readonly dataDir: string | undefined;
}

/** @throws with a sentence that names what is wrong. */
export function readOptions(args: readonly string[]): LoadTestOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      quick: { type: 'boolean', default: false },
      environment: { type: 'string', short: 'e', multiple: true, default: [] },
      summary: { type: 'string' },
      'data-dir': { type: 'string' },
    },
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1) throw new Error('one script is to be named');
  if (!names().includes(name)) throw new Error(`there is no script "${name}"`);
  return {
    name,
    script: `${SCRIPTS}${name}.ts`,
    url: values.url,
    isQuick: values.quick,
    environment: values.environment,
    summaryFile: resolve(values.summary ?? `${CACHE}${name}.md`),
    dataDir: values['data-dir'],
  };
}
