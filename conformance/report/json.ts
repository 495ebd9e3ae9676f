import type { RunResult } from '../run/result.js';

/** Grows when a field changes its meaning or goes away; new fields do not change it. */
const FORMAT = 1;

/** What a person looks for first comes first; any other field follows by its name. */
const ORDER: readonly string[] = [
  'format',
  'verdict',
  'url',
  'startedAt',
  'durationMs',
  'seed',
  'options',
  'id',
  'name',
  'requirement',
  'test',
  'section',
  'level',
  'title',
  'outcome',
  'text',
  'message',
];

const position = (key: string): number => {
  const index = ORDER.indexOf(key);
  return index === -1 ? ORDER.length : index;
};

/** Makes the text depend on the result only, not on how its objects were put together. */
function inOrder(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).sort(([a], [b]) => position(a) - position(b) || (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}

/**
 * The whole result as JSON, indented, with a line break at its end.
 *
 * The top-level object has the fields of `RunResult` and `format`, the number 1. A field that is undefined
 * in the result (`reason`, `counterexample`, `untestable`, `endedMs`, `error`) is left out. The same result
 * gives the same text: the order of fields is fixed, and lists keep the order of the result.
 */
export const renderJson = (result: RunResult): string =>
  `${JSON.stringify({ format: FORMAT, ...result }, inOrder, 2)}\n`;
