import { parseArgs } from 'node:util';
import { type Clock, processorClock, wallClock } from '../clock.js';
import { machine } from '../machine.js';
import { median } from '../median.js';
import { Table } from '../table.js';
import { Headwater, type Timing } from './contender.js';
import { Rival } from './rival.js';
import { w1 } from './w1.js';
import { w2 } from './w2.js';
import { checkPart, checkWhole, type Run, run, type Workload } from './workload.js';

/**
 * Prints nanoseconds per transaction, medians of interleaved runs.
 * Options: `--runs N`, `--only PART` (workloads whose name holds it), `--no-rival`, `--processor-time` (for a busy
 * machine: processor time instead of time).
 * @throws Error when anything was decided wrongly.
 */
export function benchConflictSet(args: readonly string[]): void {
  const { values } = parseArgs({
    args: [...args],
    options: {
      runs: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
      'no-rival': { type: 'boolean', default: false },
      'processor-time': { type: 'boolean', default: false },
    },
  });
  const runs = Number(values.runs);
  const clock = values['processor-time'] ? processorClock : wallClock;
  console.log(`${machine()}\n${explanation(runs)}\n`);
  const table = new Table([
    ['ns per transaction', 27],
    ['ours (lowest to highest)', 24],
    ['structure', 9],
    ['sorted-btree', 9],
    ['FoundationDB', 9],
    ['structure', 9],
    ['ratio', 5],
  ]);
  const isWanted = (name: string): boolean => name.includes(values.only);
  for (const workload of [...(isWanted('W1') ? [w1()] : []), ...w2().filter(({ name }) => isWanted(name))]) {
    table.row(rowOf(workload, measure(workload, { runs, clock, hasRival: !values['no-rival'] })));
  }
}

const explanation = (runs: number): string => `
Medians of ${runs} interleaved runs; every decision is checked. ours: the whole batch, copying it in included;
structure: without copying. sorted-btree: the JavaScript rival, on the same keys in the same run, but on fewer batches
(W1: the first 100 of 500; W2: filled with the last 120 batches of the fill, then 50 batches). FoundationDB: its skip
list in C++ on another machine (see docs/performance.md); ratio: FoundationDB / ours, of whole batches.`;

interface Measured {
  readonly ours: readonly Timing[];
  /** Empty when there is no rival. */
  readonly rivals: readonly Timing[];
}

function measure(
  workload: Workload,
  { runs, clock, hasRival }: { readonly runs: number; readonly clock: Clock; readonly hasRival: boolean },
): Measured {
  const ours: Timing[] = [];
  const rivals: Timing[] = [];
  for (let count = 0; count < runs; count += 1) {
    const whole: Run = run(new Headwater(workload.window, clock), workload, workload.whole);
    checkWhole(workload, whole);
    ours.push(whole.timing);
    if (!hasRival) continue;
    const part = run(new Rival(workload.window, clock), workload, workload.part);
    checkPart(workload, part, whole);
    rivals.push(part.timing);
  }
  return { ours, rivals };
}

function rowOf({ name, foundationDb, right }: Workload, { ours, rivals }: Measured): readonly string[] {
  const totals = ours.map(({ total }) => total);
  const middle = median(totals);
  const rate = right.checksum === undefined ? '' : `, ${(1000 / middle).toFixed(2)} million/s`;
  return [
    `${name}${rate}`,
    `${middle.toFixed(1)} (${Math.min(...totals).toFixed(1)} to ${Math.max(...totals).toFixed(1)})`,
    median(ours.map(({ structure }) => structure)).toFixed(1),
    rivals.length === 0 ? '' : median(rivals.map(({ total }) => total)).toFixed(0),
    foundationDb.total.toFixed(0),
    foundationDb.structure.toFixed(0),
    (foundationDb.total / middle).toFixed(1),
  ];
}
