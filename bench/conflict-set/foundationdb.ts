import type { Row } from './w2.js';
import type { Reference } from './workload.js';

/**
 * What the skip list of FoundationDB's resolver took (`ConflictSet.cpp`, commit c0c44752, g++ 12.2 -O3 -march=native,
 * one thread of a Zen 5 at about 3.7 GHz): medians of nanoseconds. Runs differ by up to 20 %.
 */
export const W1_REFERENCE: Reference = { total: 2025, structure: 1465 };

type Figures = readonly [total: number, structure: number];

/** Of v8 and v32. */
const READS: Readonly<Record<string, readonly [Figures, Figures]>> = {
  'point 100': [
    [1092, 956],
    [1362, 1136],
  ],
  'point 10': [
    [671, 533],
    [877, 683],
  ],
  'point 1': [
    [457, 321],
    [549, 356],
  ],
  'prefix 100': [
    [1075, 934],
    [1225, 1033],
  ],
  'prefix 10': [
    [751, 616],
    [841, 650],
  ],
  'prefix 1': [
    [462, 328],
    [566, 369],
  ],
  'range 100': [
    [1024, 886],
    [1239, 1047],
  ],
  'range 10': [
    [909, 768],
    [1279, 1080],
  ],
  'range 1': [
    [490, 357],
    [601, 408],
  ],
};
const WRITES: Readonly<Record<Row['kind'], readonly [Figures, Figures]>> = {
  point: [
    [1147, 712],
    [1292, 782],
  ],
  prefix: [
    [1151, 715],
    [1254, 754],
  ],
  range: [
    [491, 333],
    [531, 344],
  ],
  monotonic: [
    [233, 91],
    [310, 94],
  ],
};

export function w2Reference({ kind, keys, lag }: Row): Reference {
  const pair = lag === undefined ? WRITES[kind] : READS[`${kind} ${lag}`]!;
  const [total, structure] = pair[keys === 'v8' ? 0 : 1];
  return { total, structure };
}
