import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startHeadwater } from '../../bench/lib/headwater.js';
import { HeadwaterClient } from '../../src/client/index.js';
import { type LoadTestOptions, readOptions, usage } from './options.js';
import { runK6 } from './run-k6.js';
import { checkStream } from './stream-check.js';

const FINDINGS_SHOWN = 20;

/** Runs the script, then the check; true when both are good. */
async function runLoadTest(options: LoadTestOptions, url: string, folder: string): Promise<boolean> {
  const { version: after } = await new HeadwaterClient({ url }).version();
  mkdirSync(dirname(options.summaryFile), { recursive: true });
  const { isGood, acknowledged, counted } = await runK6(options, url, folder);
  const { found, findings } = await checkStream(url, after, acknowledged);
  const all = [
    ...findings,
    ...(acknowledged.size + acknowledged.repeated.length >= counted
      ? []
      : [`${counted} commits were acknowledged, but ${acknowledged.size} were written down`]),
    ...(counted > 0 ? [] : ['no commit was acknowledged: nothing was checked']),
  ];
  const more = all.length > FINDINGS_SHOWN ? [`... and ${all.length - FINDINGS_SHOWN} more`] : [];
  const report =
    `\n## Against the stream\n\n${found} of ${counted} acknowledged commits are in the stream; ` +
    `${all.length === 0 ? 'nothing is wrong with any' : `${all.length} findings`}.\n` +
    [...all.slice(0, FINDINGS_SHOWN), ...more].map((finding) => `\n- ${finding}`).join('');
  appendFileSync(options.summaryFile, `${report}\n`);
  console.log(`${report}\n\nThe summary is in ${options.summaryFile}`);
  return isGood && all.length === 0;
}

async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    console.log(usage());
    return 0;
  }
  let options: LoadTestOptions;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage()}`);
    return 2;
  }
  const folder = mkdtempSync(join(options.dataDir ?? tmpdir(), 'headwater-loadtest-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  if (options.url !== undefined) return (await runLoadTest(options, options.url, folder)) ? 0 : 1;
  const { program, url } = await startHeadwater(join(folder, 'data'));
  try {
    return (await runLoadTest(options, url, folder)) ? 0 : 1;
  } finally {
    await program.stop();
  }
}

// Ending by exit() lets no server outlive us.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
