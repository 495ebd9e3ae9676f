import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { allContestants } from './contestants/all.js';
import { readOptions, USAGE } from './options.js';
import { runRounds } from './rounds.js';
import { describeResults } from './table.js';

/** The type that `statfs` gives for tmpfs. */
const TMPFS = 0x0102_1994;

/** Measures and prints a table of each load. @throws with a sentence when the arguments are wrong. */
export async function benchCommit(args: readonly string[]): Promise<void> {
  if (args.includes('--help')) {
    console.log(USAGE);
    return;
  }
  const options = readOptions(args);
  const all = allContestants(options.settings, options.baseline);
  const unknown = options.only?.find((name) => !all.some((contestant) => contestant.name === name));
  if (unknown !== undefined) throw new Error(`--only: there is no "${unknown}"\n\n${USAGE}`);
  const contestants = all.filter(({ name }) => options.only?.includes(name) ?? true);

  const folder = mkdtempSync(join(options.dataDir ?? tmpdir(), 'headwater-bench-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const say = (text: string): void => console.error(text);
  if (statfsSync(folder).type === TMPFS) {
    say(`${folder} is in memory: syncing costs nothing there. Name a disk with --data-dir.`);
  }
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    kernel: release(),
    node: process.versions.node,
  };
  const results = await runRounds(contestants, options, folder, say);
  removeFolder();
  process.removeListener('exit', removeFolder);

  const { measuredMs, rounds, loads } = options;
  console.log(
    `${machine.cpu}, ${machine.cores} cores, Linux ${machine.kernel}, Node ${machine.node}; ` +
      `medians of ${rounds} interleaved rounds of ${measuredMs / 1000} s\n\n` +
      describeResults(
        results,
        loads.map(({ label }) => label),
      ),
  );
  if (options.jsonFile !== undefined) {
    writeFileSync(
      options.jsonFile,
      `${JSON.stringify({ machine, measuredMs, rounds, results }, undefined, 2)}\n`,
    );
  }
}
