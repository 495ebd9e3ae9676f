import type { Level } from '../catalogue/requirement.js';

/** One request and its answer, as they went over the wire. Times are milliseconds since the test began. */
export interface Exchange {
  readonly startedMs: number;
  readonly endedMs: number | undefined;
  readonly method: string;
  readonly url: string;
  /** Request line and headers, lines joined by \n. */
  readonly requestHead: string;
  /** Cut to a readable length; `requestBytes` tells the whole length. */
  readonly requestBody: string;
  readonly requestBytes: number;
  /** Status line and headers; empty where no answer came. */
  readonly responseHead: string;
  readonly responseBody: string;
  readonly responseBytes: number;
  /** Why no answer, or no whole answer, came. */
  readonly error: string | undefined;
  /** A command that sends the same request from a POSIX shell. */
  readonly curl: string;
}

/** One line of what happened, in order. */
export interface TimelineEntry {
  readonly atMs: number;
  /** Who did it: a client, or a stream, of the test. */
  readonly who: string;
  readonly what: string;
}

/** A requirement that was broken, and the evidence. */
export interface Failure {
  readonly requirement: string;
  readonly level: Level;
  /** What was expected and what was seen. */
  readonly message: string;
  /** The smallest case that a property test found, in words. */
  readonly counterexample: string | undefined;
  readonly timeline: readonly TimelineEntry[];
  readonly exchanges: readonly Exchange[];
}

export type TestOutcome = 'passed' | 'failed' | 'skipped' | 'incomplete';

export interface TestResult {
  /** Path-shaped and stable, such as `commit/range-read/end-is-exclusive`. */
  readonly name: string;
  readonly title: string;
  readonly section: string;
  readonly requirements: readonly string[];
  readonly outcome: TestOutcome;
  readonly durationMs: number;
  /** MUST failures make the outcome `failed`; SHOULD failures are listed here too and do not. */
  readonly failures: readonly Failure[];
  /** Why it was skipped, or why no verdict was reached. */
  readonly reason: string | undefined;
}

/** What was seen where the specification leaves a choice. */
export interface Observation {
  readonly requirement: string;
  readonly test: string;
  readonly text: string;
}

/**
 * `pass`: every test that judges it passed. `fail`: at least one failed. `skip`: none could run. `open`: the
 * specification leaves it open, see the observations. `warn`: a SHOULD that did not hold. `untested`: it
 * cannot be tested from outside, or its tests were left out by the options of this run or ended without a
 * verdict.
 */
export type RequirementOutcome = 'pass' | 'fail' | 'skip' | 'open' | 'warn' | 'untested';

export interface RequirementResult {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly text: string;
  readonly outcome: RequirementOutcome;
  /** Names of the tests that cover it. */
  readonly tests: readonly string[];
  /** Why it cannot be tested from outside. */
  readonly untestable: string | undefined;
}

/** Counts over all commits of the run whose preconditions could be judged by replaying the log. */
export interface Precision {
  readonly committed: number;
  readonly rejected: number;
  /** Rejections although every precondition held: legal, but a client has to try again. */
  readonly rejectedWithoutNeed: number;
}

/** `incomplete`: nothing failed, and a test that should have given a verdict could not. */
export type Verdict = 'passed' | 'failed' | 'incomplete';

export interface RunResult {
  readonly url: string;
  readonly seed: number;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
  /** The options of the command line, as they were typed. */
  readonly options: readonly string[];
  readonly verdict: Verdict;
  readonly tests: readonly TestResult[];
  readonly requirements: readonly RequirementResult[];
  readonly observations: readonly Observation[];
  readonly precision: Precision;
  /** Names from the list of known failures that passed. */
  readonly unexpectedPasses: readonly string[];
  /** Names from the list of known failures that failed, as expected. */
  readonly knownFailures: readonly string[];
}
