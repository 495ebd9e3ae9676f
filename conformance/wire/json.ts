import { parse, stringify } from 'lossless-json';

const LONG_NUMBER = /\d{16}/;

/**
 * Parses JSON without losing digits: an integer beyond 2^53 - 1 becomes a bigint, every other number a number.
 * @throws SyntaxError where the text is not JSON
 */
export function parseJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return parse(text, null, {
    parseNumber: (digits) => {
      const number = Number(digits);
      // A fraction that is lost in rounding must not make an integer.
      if (/\.\d*[1-9]/.test(digits) && Number.isInteger(number)) return Number.NaN;
      return /^-?\d+$/.test(digits) && !Number.isSafeInteger(number) ? BigInt(digits) : number;
    },
    onDuplicateKey: ({ newValue }) => newValue,
  });
}

/** JSON of a value in which integers may be bigints. */
export function toJson(value: unknown): string {
  return stringify(value) as string;
}

/** A JSON number that is an integer, as a bigint; undefined for everything else. */
export function asInteger(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
