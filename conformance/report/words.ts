import type { Exchange } from '../run/result.js';

/** `1 test`, `2 tests`. */
export const count = (amount: number, noun: string): string => `${amount} ${noun}${amount === 1 ? '' : 's'}`;

/** A length of time in the unit that suits it. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${amount} ${unit}`)
    .join(' ');
}

/** `2026-01-31 09:05:00 UTC` for an ISO 8601 time in UTC; any other text as it is. */
export const moment = (iso: string): string =>
  iso.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z$/, '$1 $2 UTC');

/** The options that run one test again with the same random choices. */
export const repeatOptions = (seed: number, test: string): string => `--seed ${seed} --only ${test}`;

/** `409 Conflict`, or why there is no status. */
export function statusOf({ responseHead, error }: Exchange): string {
  const statusLine = responseHead.split('\n', 1)[0] ?? '';
  return statusLine.replace(/^\S+\s+/, '') || error || 'no answer';
}

/** How long a body is, and whether all of it is shown. */
export function bodySize(shown: string, bytes: number): string {
  const isCut = Buffer.byteLength(shown) < bytes;
  return isCut ? `${count(bytes, 'byte')}, the beginning of which is shown` : count(bytes, 'byte');
}

export interface Cut<T> {
  readonly first: readonly T[];
  readonly leftOut: number;
  readonly last: readonly T[];
}

/** Keeps the beginning and, mostly, the end: what happened last explains a failure best. */
export function cutMiddle<T>(items: readonly T[], first: number, last: number): Cut<T> {
  if (items.length <= first + last) return { first: items, leftOut: 0, last: [] };
  return {
    first: items.slice(0, first),
    leftOut: items.length - first - last,
    last: last === 0 ? [] : items.slice(-last),
  };
}
