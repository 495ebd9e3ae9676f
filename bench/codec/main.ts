import { type Clock, processorClock, wallClock } from '../clock.js';
import { median } from '../median.js';
import { Table } from '../table.js';
import { checksumRow, type Row, rowsOf } from './rows.js';
import { workloadOf } from './workload.js';

const VALUE_BYTES = [16, 100, 1_000, 10_000, 100_000];
const CHECKSUM_BYTES = [64, 256, 4_096, 65_536, 1_048_576];
const RUNS = 7;

/** Prints MB/s of the record codec, base64 and the checksum beside what Node.js offers: medians of interleaved runs. */
export function benchCodec(options: readonly string[]): void {
  const clock = options.includes('--processor-time') ? processorClock : wallClock;
  console.log('MB/s, medians of interleaved runs\n');
  const table = new Table([
    ['', 32],
    ['bytes', 9],
    ['ours', 9],
    ['rival', 9],
    ['ratio', 7],
    ['the rival', 29],
  ]);
  for (const bytes of CHECKSUM_BYTES) table.row(measure(bytes, checksumRow(bytes), clock));
  for (const bytes of VALUE_BYTES)
    for (const row of rowsOf(workloadOf(bytes))) table.row(measure(bytes, row, clock));
}

/** The cells of one row of the table. */
function measure(size: number, row: Row, clock: Clock): readonly string[] {
  const ours: number[] = [];
  const theirs: number[] = [];
  // The first turn of each compiles and fills caches.
  for (let run = -1; run < RUNS; run += 1) {
    const [us, them] = [timeOf(row.ours, clock), timeOf(row.theirs, clock)];
    if (run < 0) continue;
    ours.push(us);
    theirs.push(them);
  }
  const rate = (times: readonly number[]): number => row.bytes / 1000 / median(times);
  const [us, them] = [rate(ours), rate(theirs)];
  return [row.name, `${size}`, us.toFixed(0), them.toFixed(0), (us / them).toFixed(2), row.rival];
}

function timeOf(work: () => void, clock: Clock): number {
  const started = clock();
  work();
  return clock() - started;
}
