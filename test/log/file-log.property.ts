import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '../support/random.js';
import { seed } from '../support/seed.js';
import { LogSimulation, type Voyage } from './log-simulation.js';

const RUNS = Number(process.env['RUNS'] ?? 100);
const STEPS = 300;

test('what is durable survives failing disks, kills and power cuts, and no version is issued twice', async (t) => {
  const total: Record<string, number> = {};
  for (let run = 0; run < RUNS; run += 1) {
    let voyage: Voyage;
    try {
      voyage = await new LogSimulation(new Random(seed + run)).run(STEPS);
    } catch (error) {
      throw new Error(`run it again with SEED=${seed + run} RUNS=1`, { cause: error });
    }
    for (const [name, count] of Object.entries(voyage)) total[name] = (total[name] ?? 0) + count;
  }
  t.diagnostic(JSON.stringify(total));
  if (RUNS < 20) return;
  for (const [name, count] of Object.entries(total)) assert(count > 0, `nothing was ${name}`);
});
