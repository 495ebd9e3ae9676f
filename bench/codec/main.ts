import { type Clock, processorClock, wallClock } from '../clock.js';
import { median } from '../median.js';
import { checksumRow, type Row, rowsOf } from './rows.js';
import { workloadOf } from './workload.js';

const VALUE_BYTES = [16, 100, 1_000, 10_000, 100_000];
const CHECKSUM_BYTES = [64, 256, 4_096, 65_536, 1_048_576];
const RUNS = 7;

/** Prints MB/s of the record codec, base64 and the checksum beside what Node.js offers: medians of interleaved runs. */
export function benchCodec(options: readonly string[]): void {
  const clock = options.includes('--processor-time') ? processorClock : wallClock;
  console.log('MB/s, medians of interleaved runs');
  console.log(columns('', 'bytes', 'ours', 'rival', 'ratio', ''));
  for (const bytes of CHECKSUM_BYTES) print(bytes, checksumRow(bytes), clock);
  for (const bytes of VALUE_BYTES) for (const row of rowsOf(workloadOf(bytes))) print(bytes, row, clock);
}

function print(size: number, row: Row, clock: Clock): void {
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
  console.log(
    columns(row.name, `${size}`, us.toFixed(0), them.toFixed(0), (us / them).toFixed(2), row.rival),
  );
}

function timeOf(work: () => void, clock: Clock): number {
  const started = clock();
  work();
  return clock() - started;
}

const columns = (name: string, ...[bytes, ours, theirs, ratio, rival]: readonly string[]): string =>
  [
    name.padEnd(32),
    ...[bytes, ours, theirs].map((text) => text!.padStart(9)),
    ratio!.padStart(7),
    ` ${rival}`,
  ].join('');
