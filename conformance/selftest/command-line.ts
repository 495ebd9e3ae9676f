import { parseArgs } from 'node:util';
import { type Case, faultCases, variantCases } from './case.js';

export interface SelftestOptions {
  readonly cases: readonly Case[];
  readonly full: boolean;
  readonly repeat: number;
  readonly seed: number;
}

export const HELP = `Runs the conformance suite on servers with known faults, which it must find, and on
unusual servers that conform, which it must not fail.

  --only NAME ...  only these faults or variants; * stands for anything
  --faults         only the faults
  --variants       only the variants
  --full           faults against the whole suite, variants at default depth
  --repeat N       everything N times, with another seed each time
  --seed N         the seed of the first time
`;

const matcherOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`);

/** @throws Error where an option is wrong; undefined where help is asked for */
export function readCommandLine(args: readonly string[]): SelftestOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', multiple: true },
      faults: { type: 'boolean' },
      variants: { type: 'boolean' },
      full: { type: 'boolean' },
      repeat: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return undefined;
  const only = [...(values.only ?? []), ...positionals].flatMap((names) => names.split(',')).map(matcherOf);
  const both = values.faults === values.variants;
  const cases = [
    ...(both || values.variants === true ? variantCases : []),
    ...(both || values.faults === true ? faultCases : []),
  ].filter(({ name }) => only.length === 0 || only.some((pattern) => pattern.test(name)));
  if (cases.length === 0) throw new Error('no fault or variant has such a name');
  return {
    cases,
    full: values.full === true,
    repeat: wholeNumber('--repeat', values.repeat ?? '1'),
    seed: wholeNumber('--seed', values.seed ?? `${Date.now() % 1_000_000}`),
  };
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${name} is not a whole number: ${text}`);
  return Number(text);
}
