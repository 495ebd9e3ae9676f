import type { Depth } from '../run/options.js';
import { FAULTS, type FaultName } from './faults.js';
import { VARIANTS, type VariantName } from './variants.js';

/** One server to run the suite on. */
export interface Case {
  readonly kind: 'fault' | 'variant';
  readonly name: string;
  readonly faults: readonly FaultName[];
  readonly variants: readonly VariantName[];
  /** The requirements of which one has to be found broken; none for a server that conforms. */
  readonly expected: readonly string[];
}

/** How to run the suite. */
export interface CaseOptions {
  readonly depth: Depth;
  readonly seed: number;
  /** Runs all tests, where otherwise a faulty server meets those only that cover what it breaks. */
  readonly allTests: boolean;
}

/** A requirement that the suite found broken. */
export interface Finding {
  readonly requirement: string;
  readonly test: string;
  readonly message: string;
}

/** What the suite said of a server. */
export interface CaseResult {
  /** The requirements that were expected to be found broken, and were. */
  readonly caught: readonly Finding[];
  readonly other: readonly Finding[];
  /** Tests that ran and reached no verdict, with the reason. */
  readonly incomplete: readonly string[];
  readonly passedTests: number;
}

export const faultCases: readonly Case[] = FAULTS.map(({ name, requirements, on }) => ({
  kind: 'fault',
  name,
  faults: [name],
  variants: on ?? [],
  expected: requirements,
}));

/** The server without any quirk comes first: it conforms too. */
export const variantCases: readonly Case[] = [
  { kind: 'variant', name: 'plain', faults: [], variants: [], expected: [] },
  ...VARIANTS.map(
    ({ name }): Case => ({ kind: 'variant', name, faults: [], variants: [name], expected: [] }),
  ),
];
