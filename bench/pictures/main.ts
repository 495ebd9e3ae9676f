import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Cost } from '../conflict-set/curves/cost.js';
import type { Curves } from '../conflict-set/curves/main.js';
import { barChart, lineChart, type Series } from './charts.js';

/** Draws what `conflict-set-curves --json FILE` has measured: `pictures FILE [--out FOLDER]`. */
export function drawPictures(args: readonly string[]): void {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { out: { type: 'string', default: 'docs/pictures' } },
  });
  const [file] = positionals;
  if (file === undefined) throw new Error('usage: pictures FILE [--out FOLDER]');
  const curves = JSON.parse(readFileSync(file, 'utf8')) as Curves;
  for (const [name, svg] of Object.entries(pictures(curves))) {
    const path = join(values.out, `${name}.svg`);
    writeFileSync(path, svg);
    console.log(path);
  }
}

function pictures({ sizes, keySets }: Curves): Readonly<Record<string, string>> {
  const entries = column('live entries', sizes, 'entries');
  return {
    'conflict-set-sizes': lineChart(
      'Cost of an operation by number of live entries (16-byte random keys)',
      entries,
      'nanoseconds',
      costs(sizes),
    ),
    'conflict-set-bytes': lineChart(
      'Memory by number of live entries (16-byte random keys)',
      entries,
      'bytes each',
      [column('nothing old', sizes, 'bytesPerEntry'), column('steady state', sizes, 'steadyBytesPerEntry')],
    ),
    'conflict-set-keys': barChart(
      'Cost of an operation by kind of keys (100,000 live entries)',
      keySets.map(({ keys }) => keys),
      'nanoseconds',
      costs(keySets),
    ),
  };
}

const costs = (of: readonly Cost[]): readonly Series[] => [
  column('point read', of, 'pointRead'),
  column('range read', of, 'rangeRead'),
  column('point write', of, 'pointWrite'),
];

function column(name: string, of: readonly Cost[], field: Exclude<keyof Cost, 'keys'>): Series {
  return { name, values: of.map((cost) => cost[field]) };
}
