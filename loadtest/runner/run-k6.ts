import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findExecutable } from '../../bench/lib/executable.js';
import { AcknowledgedCommits } from './acknowledged-commits.js';
import type { LoadTestOptions } from './options.js';

/** The one that the scripts are tried with. */
const K6 = 'go.k6.io/k6/v2@v2.2.0';

const HOW_TO_GET_K6 = `k6 is neither in PATH nor in .cache/bin. With Go 1.24 or newer:

  GOBIN="$PWD/.cache/bin" go install ${K6}
`;

export interface K6Run {
  /** True when no threshold is broken. */
  readonly isGood: boolean;
  readonly acknowledged: AcknowledgedCommits;
  /** How many commits the scripts have counted as acknowledged; all of them should be written down. */
  readonly counted: number;
}

/**
 * Runs the script.
 * @param folder where k6 leaves what the scripts write down
 * @throws when there is no k6, or it does not come to an end
 */
export async function runK6(options: LoadTestOptions, url: string, folder: string): Promise<K6Run> {
  const k6 = findExecutable('k6');
  if (k6 === undefined) throw new Error(HOW_TO_GET_K6);
  const log = join(folder, 'acknowledged');
  const figures = join(folder, 'figures.json');
  const environment = [
    `URL=${url}`,
    'LOG_ACKNOWLEDGED=1',
    `SUMMARY=${options.summaryFile}`,
    `FIGURES=${figures}`,
    ...(options.isQuick ? ['QUICK=1'] : []),
    ...options.environment,
  ].flatMap((setting) => ['-e', setting]);
  const flags = ['--console-output', log, '--log-format', 'raw', '--no-usage-report', '--address', ''];
  if (!process.stdout.isTTY) flags.push('--quiet');
  const child = spawn(k6, ['run', ...flags, ...environment, options.script], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  const text = await readFile(figures, 'utf8').catch((cause: unknown) => {
    throw new Error(`k6 ended with exit code ${code} and without a summary`, { cause });
  });
  const { acknowledged: counted } = JSON.parse(text) as { acknowledged: number };
  return { isGood: code === 0, acknowledged: await AcknowledgedCommits.read(log), counted };
}
