import type { TestResult } from './result.js';

/** Hears of a run as it goes. */
export interface Progress {
  /** Told once, before the first test. */
  planned(tests: number): void;
  finished(result: TestResult): void;
  /** What a reader should know and no test says. */
  note(text: string): void;
}
