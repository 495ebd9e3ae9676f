import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { HeadwaterClient } from '../../src/client/index.js';
import { compareTrees } from './compare.js';
import { Killer } from './killer.js';
import { type Job, plan } from './plan.js';
import { Reader } from './reader.js';
import { ServerProcess } from './server-process.js';
import { contradictions } from './verdict.js';
import { walk } from './walk.js';
import { Writers } from './writers.js';

const USAGE = 'usage: npm run example:mirror-tree -- <source dir> [--writers 16] [--kills 2] [--keep]';
const SERVER_MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

interface Settings {
  readonly source: string;
  readonly writers: number;
  readonly kills: number;
  readonly keep: boolean;
}

function readSettings(): Settings {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      writers: { type: 'string', default: '16' },
      kills: { type: 'string', default: '2' },
      keep: { type: 'boolean', default: false },
    },
  });
  const [source] = positionals;
  const writers = Number(values.writers);
  const kills = Number(values.kills);
  if (source === undefined || positionals.length > 1) throw new Error(USAGE);
  if (!Number.isInteger(writers) || writers < 1)
    throw new Error(`--writers is not a positive number\n${USAGE}`);
  if (!Number.isInteger(kills) || kills < 0) throw new Error(`--kills is not a number\n${USAGE}`);
  return { source, writers, kills, keep: values.keep };
}

/** Kills spread evenly over the work, counted in transactions. */
function killPoints(jobs: readonly Job[], kills: number): number[] {
  const steps = jobs.reduce((sum, job) => sum + job.length, 0);
  return Array.from({ length: kills }, (_, index) => Math.floor((steps * (index + 1)) / (kills + 1)));
}

/** Runs the whole example; true when nothing differs. */
async function mirror({ source, writers: count, kills }: Settings, work: string): Promise<boolean> {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort(new Error(name)));
  const server = new ServerProcess(SERVER_MAIN, join(work, 'data'), join(work, 'server.log'), (error) =>
    stop.abort(error),
  );
  const endNow = (): void => server.killNow();
  process.once('exit', endNow);
  try {
    const jobs = await plan(walk(source));
    const killer = new Killer(server, killPoints(jobs, kills), (error) => stop.abort(error));
    const url = await server.start();
    const copy = join(work, 'copy');
    await mkdir(copy);
    const reader = new Reader(new HeadwaterClient({ url }), copy, stop.signal);
    const writers = new Writers(new HeadwaterClient({ url, fetch: killer.fetch }), source, stop.signal);

    const startedMs = performance.now();
    const reading = reader.run();
    const writing = writers.run(jobs, count).then(() => performance.now() - startedMs);
    // Whoever fails first stops the other.
    for (const side of [reading, writing]) side.catch((error: unknown) => stop.abort(error));
    const [, writingMs] = await Promise.all([reading, writing]).catch(() => {
      throw stop.signal.reason;
    });
    await killer.settled();

    const differences = [
      ...contradictions(writers.committed, writers.notCommitted, reader.seen),
      ...(await compareTrees(source, copy)),
      ...(killer.inFlightAtKills.length < kills ? ['the tree was too small for so many kills'] : []),
    ];
    printReport({ writers, reader, killer, seconds: writingMs / 1000, differences: differences.length });
    for (const difference of differences.slice(0, 10)) console.error(difference);
    return differences.length === 0;
  } finally {
    stop.abort(new Error('the example has ended'));
    process.removeListener('exit', endNow);
    await server.close();
  }
}

interface Report {
  readonly writers: Writers;
  readonly reader: Reader;
  readonly killer: Killer;
  readonly seconds: number;
  readonly differences: number;
}

function printReport({ writers, reader, killer, seconds, differences }: Report): void {
  const rows: readonly (readonly [string, string | number])[] = [
    ['files', writers.files],
    ['entries, with links and directories', writers.entries],
    ['bytes', writers.bytes],
    ['transactions', writers.committed.size],
    ['seconds', seconds.toFixed(2)],
    ['commits/s', (writers.committed.size / seconds).toFixed(0)],
    ['MB/s', (writers.bytes / 1e6 / seconds).toFixed(1)],
    ['kills', killer.inFlightAtKills.length],
    ['commits in flight at the kills', killer.inFlightAtKills.join(', ') || '-'],
    ['outcomes by status: committed', writers.resolvedCommitted],
    ['outcomes by status: not found', writers.resolvedNotFound],
    ['reconnects of the reader', reader.reconnects],
    ['versions seen', reader.seen.size],
    ['differences', differences],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) console.log(`${name.padEnd(width)}  ${value}`);
}

async function main(): Promise<void> {
  const settings = readSettings();
  const work = await mkdtemp(join(tmpdir(), 'headwater-mirror-tree-'));
  try {
    process.exitCode = (await mirror(settings, work)) ? 0 : 1;
    console.log(process.exitCode === 0 ? 'both trees are equal' : 'FAILED');
  } finally {
    if (settings.keep) console.log(`kept: ${work}`);
    else await rm(work, { recursive: true, force: true });
  }
}

await main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
