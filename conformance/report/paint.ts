import type { RequirementOutcome } from '../run/result.js';

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, cyan: 36 } as const;

export type Colour = keyof typeof CODES;

/** Colours text for a terminal, or leaves it as it is. */
export type Paint = (colour: Colour, text: string) => string;

export const plain: Paint = (_colour, text) => text;

const coloured: Paint = (colour, text) => `\x1b[${CODES[colour]}m${text}\x1b[0m`;

export const paintFor = (color: boolean): Paint => (color ? coloured : plain);

export const OUTCOME_COLOUR: Readonly<Record<RequirementOutcome, Colour>> = {
  pass: 'green',
  fail: 'red',
  warn: 'yellow',
  skip: 'cyan',
  open: 'blue',
  untested: 'dim',
};
