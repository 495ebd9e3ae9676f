import { requirement } from '../catalogue/catalogue.js';
import type { Hooks } from './options.js';
import type { TestContext } from './test-context.js';

/**
 * `shared` tests run several at a time. `alone` tests put load on the server, or need it quiet. `disruptive`
 * tests restart the server or truncate its log, and run last but for `audit`, which looks back at the run.
 */
export type Phase = 'shared' | 'alone' | 'disruptive' | 'audit';

export interface Test {
  /** Path-shaped and stable, such as `commit/range-read/end-is-exclusive`. */
  readonly name: string;
  /** What holds when it passes, in one sentence. */
  readonly title: string;
  /** What it can find broken; the first is blamed for what no other is blamed for. */
  readonly requirements: readonly [string, ...string[]];
  /** Without one of these hooks it is skipped: any of them is enough where several stand in an inner list. */
  readonly needs?: readonly (keyof Hooks | readonly (keyof Hooks)[])[];
  readonly phase?: Phase;
  readonly run: (t: TestContext) => Promise<void>;
}

export const sectionOf = (test: Test): string => requirement(test.requirements[0]).section;

const FLAGS: Readonly<Record<keyof Hooks, string>> = {
  restart: '--restart-cmd',
  truncate: '--truncate-cmd',
  truncationKeeps: '--truncation-keeps',
  maxCommitBytes: '--max-commit-bytes',
  minRequestIdLength: '--min-request-id-length',
  keepaliveTimeoutMs: '--keepalive-timeout',
  subscriberBufferBytes: '--subscriber-buffer-bytes',
};

/** Why `test` cannot run without more hooks; undefined when it can. */
export function missingHook(test: Test, hooks: Hooks): string | undefined {
  for (const need of test.needs ?? []) {
    const names = typeof need === 'string' ? [need] : need;
    if (names.every((name) => hooks[name] === undefined))
      return `needs ${names.map((name) => FLAGS[name]).join(' or ')}`;
  }
  return undefined;
}
