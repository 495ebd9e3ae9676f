import { median } from '../median.js';
import type { Contestant } from './contestant.js';
import type { Measured } from './load/measure.js';

/** What one contestant did under one load. */
export interface LoadResult {
  readonly load: string;
  /** In the order of time. */
  readonly rounds: readonly Measured[];
  readonly median: Measured;
}

export interface ContestantResult {
  readonly name: string;
  readonly title: string;
  readonly kind: Contestant['kind'];
  readonly isDurable: boolean;
  readonly version: string | undefined;
  /** Why there are no figures, or not all. */
  readonly problem: string | undefined;
  readonly loads: readonly LoadResult[];
}

/** The median of each figure for itself. */
export function medianOf(rounds: readonly Measured[]): Measured {
  const of = (figure: keyof Measured): number => median(rounds.map((round) => round[figure]));
  return {
    commitsPerSecond: of('commitsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    cpuSecondsPer1000: of('cpuSecondsPer1000'),
    notCommittedShare: of('notCommittedShare'),
    generatorBusy: of('generatorBusy'),
  };
}
