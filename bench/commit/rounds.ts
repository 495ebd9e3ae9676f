import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Contestant, RunningContestant } from './contestant.js';
import { type Measured, measure } from './load/measure.js';
import { parseLoadShape } from './load/shape.js';
import type { CommitBenchOptions } from './options.js';
import { type ContestantResult, medianOf } from './results.js';

/** Once after each start, so that no load is the one in which a server compiles its code. */
const FIRST_WARMUP = { load: parseLoadShape('64'), ms: 2_000 };

/** The figures of one contestant as they come in. */
interface Score {
  readonly contestant: Contestant;
  readonly version: string | undefined;
  problem: string | undefined;
  readonly rounds: Map<string, Measured[]>;
}

/**
 * Measures all contestants round by round, one at a time, each started afresh with an empty data set. Who fails is
 * left out from then on.
 * @param folder where their data goes
 * @param say told what is going on
 */
export async function runRounds(
  contestants: readonly Contestant[],
  options: CommitBenchOptions,
  folder: string,
  say: (text: string) => void,
): Promise<ContestantResult[]> {
  const scores = contestants.map((contestant): Score => {
    const found = contestant.find();
    const problem = 'missing' in found ? found.missing : undefined;
    if (problem !== undefined) say(`${contestant.name}: ${problem}`);
    return {
      contestant,
      version: 'version' in found ? found.version : undefined,
      problem,
      rounds: new Map(),
    };
  });
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const score of scores) {
      if (score.problem !== undefined) continue;
      say(`round ${round} of ${options.rounds}: ${score.contestant.name}`);
      await runOnce(score, options, folder).catch((error: unknown) => {
        score.problem = error instanceof Error ? error.message : String(error);
        say(`${score.contestant.name} failed: ${score.problem}`);
      });
    }
  }
  return scores.map(resultOf);
}

async function runOnce(
  { contestant, rounds }: Score,
  options: CommitBenchOptions,
  folder: string,
): Promise<void> {
  const directory = mkdtempSync(join(folder, `${contestant.name}-`));
  try {
    const running = await contestant.start(directory);
    try {
      await warmUp(running);
      for (const load of options.loads) {
        const shape = running.shape(load);
        if (shape === undefined) continue;
        const measured = await measure(running, load, shape, options);
        const soFar = rounds.get(load.label);
        if (soFar === undefined) rounds.set(load.label, [measured]);
        else soFar.push(measured);
      }
    } finally {
      await running.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function warmUp(running: RunningContestant): Promise<void> {
  const { load, ms } = FIRST_WARMUP;
  const shape = running.shape(load);
  if (shape !== undefined) await measure(running, load, shape, { warmupMs: ms, measuredMs: 1 });
}

function resultOf({ contestant, version, problem, rounds }: Score): ContestantResult {
  const { name, title, kind, isDurable } = contestant;
  const loads = [...rounds].map(([load, figures]) => ({ load, rounds: figures, median: medianOf(figures) }));
  return { name, title, kind, isDurable, version, problem, loads };
}
