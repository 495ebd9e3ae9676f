import type { ContestantResult, LoadResult } from './results.js';

/** The ratio is to this one. */
const YARDSTICK = 'redis';

const HEAD = [
  'server',
  'commits/s',
  'lowest to highest',
  'to Redis',
  'p50 ms',
  'p99 ms',
  'server CPU s / 1,000',
  'not committed',
  'generator busy',
];

/** A Markdown table for each load, then what is installed, and why others are missing. */
export function describeResults(results: readonly ContestantResult[], loads: readonly string[]): string {
  const tables = loads.map((load) => `### ${describeLoad(load)}\n\n${loadTable(results, load)}`);
  const versions = results
    .filter(({ version }) => version !== undefined)
    .map(({ title, version }) => `- ${title}: ${version}`);
  const problems = results
    .filter(({ problem }) => problem !== undefined)
    .map(({ title, problem }) => `- ${title}: ${problem?.trim()}`);
  return [
    ...tables,
    `Versions:\n\n${versions.join('\n')}`,
    ...(problems.length === 0 ? [] : [`Without figures, or not all:\n\n${problems.join('\n')}`]),
  ].join('\n\n');
}

function describeLoad(load: string): string {
  const [sockets, depth] = load.split('x');
  if (depth !== undefined) return `${sockets} sockets, ${depth} commits deep each`;
  return load === '1' ? '1 client' : `${load} clients`;
}

function loadTable(results: readonly ContestantResult[], load: string): string {
  const of = ({ loads }: ContestantResult): LoadResult | undefined => loads.find((one) => one.load === load);
  const yardstick = results.find(({ name }) => name === YARDSTICK);
  const yard = yardstick && of(yardstick)?.median.commitsPerSecond;
  const rows = results.flatMap((result) => {
    const found = of(result);
    return found === undefined ? [] : [row(result, found, yard)];
  });
  return [HEAD, HEAD.map((_, index) => (index === 0 ? '---' : '--:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

function row(
  { kind, title, isDurable }: ContestantResult,
  { rounds, median }: LoadResult,
  yard?: number,
): string[] {
  const speeds = rounds.map(({ commitsPerSecond }) => commitsPerSecond);
  return [
    kind === 'ceiling' ? `_ceiling:_ ${title}` : `${title}${isDurable ? '' : ' (_not durable_)'}`,
    thousands(median.commitsPerSecond),
    `${thousands(Math.min(...speeds))} to ${thousands(Math.max(...speeds))}`,
    yard === undefined ? '-' : (median.commitsPerSecond / yard).toFixed(2),
    median.p50Ms.toFixed(2),
    median.p99Ms.toFixed(2),
    Number.isNaN(median.cpuSecondsPer1000) ? '-' : median.cpuSecondsPer1000.toFixed(4),
    `${(median.notCommittedShare * 100).toFixed(2)} %`,
    `${(median.generatorBusy * 100).toFixed(0)} %`,
  ];
}

function thousands(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
