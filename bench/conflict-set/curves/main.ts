import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { processorClock, wallClock } from '../../clock.js';
import { machine } from '../../machine.js';
import { Table } from '../../table.js';
import { type Cost, CostProbe } from './cost.js';
import { KEY_SETS, RANDOM } from './key-sets.js';
import { type Pause, pauses } from './pauses.js';

/** What `--json FILE` writes, and what the pictures are drawn from. */
export interface Curves {
  readonly machine: string;
  /** Random keys, by size. */
  readonly sizes: readonly Cost[];
  /** At 100,000 live entries, by kind of keys. */
  readonly keySets: readonly Cost[];
  readonly pauses: readonly Pause[];
}

const SIZES = [1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000];
const KEY_SETS_LIVE = 100_000;

/**
 * Prints what operations cost, by number of live entries and by kind of keys, and the longest pauses.
 * Options: `--runs N`, `--json FILE`, `--processor-time`.
 */
export function benchConflictSetCurves(args: readonly string[]): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '5' },
      json: { type: 'string' },
      'processor-time': { type: 'boolean', default: false },
    },
  });
  const clock = values['processor-time'] ? processorClock : wallClock;
  const runs = Number(values.runs);
  const onMachine = machine();
  console.log(
    `${onMachine}\n\nns per operation, medians of the batches of ${runs} interleaved runs; bytes per live entry\n`,
  );
  const sizeProbes = SIZES.map((live) => new CostProbe(RANDOM, live, clock));
  const keyProbes = KEY_SETS.map((keys) => new CostProbe(keys, KEY_SETS_LIVE, clock));
  // Interleaved: what disturbs the machine for a while disturbs one run of several rows, not all runs of one.
  for (let run = 0; run < runs; run += 1) for (const probe of [...sizeProbes, ...keyProbes]) probe.run();
  const sizes = sizeProbes.map(({ cost }) => cost);
  const keySets = keyProbes.map(({ cost }) => cost);
  printCosts([...sizes, ...keySets]);
  console.log('\nThe longest batch of one transaction, milliseconds\n');
  const found = pauses();
  printPauses(found);
  const curves: Curves = { machine: onMachine, sizes, keySets, pauses: found };
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(curves, undefined, 2)}\n`);
}

function printCosts(costs: readonly Cost[]): void {
  const table = new Table([
    ['keys', 16],
    ['entries', 9],
    ['point read', 9],
    ['range read', 9],
    ['point write', 9],
    ['bytes', 7],
    ['bytes, steady', 7],
  ]);
  for (const cost of costs) {
    const { keys, entries, pointRead, rangeRead, pointWrite, bytesPerEntry, steadyBytesPerEntry } = cost;
    const figures = [pointRead, rangeRead, pointWrite, bytesPerEntry, steadyBytesPerEntry];
    table.row([keys, `${entries}`, ...figures.map((figure) => figure.toFixed(1))]);
  }
}

function printPauses(found: readonly Pause[]): void {
  const table = new Table([
    ['series', 42],
    ['batches', 9],
    ['longest', 9],
    ['over 1 ms', 9],
    ['longest, busy', 9],
    ['over 1 ms', 9],
  ]);
  for (const { name, batches, worst, overOne, worstBusy, overOneBusy } of found) {
    table.row([name, `${batches}`, worst.toFixed(3), `${overOne}`, worstBusy.toFixed(3), `${overOneBusy}`]);
  }
}
