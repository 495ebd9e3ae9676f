import type { Writable } from 'node:stream';
import type { Progress } from '../run/progress.js';
import type { TestOutcome, TestResult } from '../run/result.js';
import { type Colour, type Paint, paintFor } from './paint.js';
import { shortLine, visible, visibleLine } from './visible.js';
import { count, duration } from './words.js';

export { renderSummary } from './summary.js';

/** Where progress goes: a terminal, or a file or pipe. */
export type ProgressOutput = Writable & { readonly isTTY?: boolean; readonly columns?: number };

const ERASE_LINE = '\r\x1b[2K';
const LONGEST_LINE = 400;
const MARKS: Readonly<Record<TestOutcome, readonly [Colour, string]>> = {
  passed: ['green', 'pass'],
  failed: ['red', 'FAIL'],
  skipped: ['cyan', 'skip'],
  incomplete: ['yellow', 'incomplete'],
};

/**
 * Shows a run as it goes: on a terminal one line that changes, with a block for each test that failed;
 * anywhere else one line for each finished test.
 */
export class TerminalProgress implements Progress {
  readonly #output: ProgressOutput;
  readonly #isTerminal: boolean;
  readonly #paint: Paint;
  readonly #counts: Record<TestOutcome, number> = { passed: 0, failed: 0, skipped: 0, incomplete: 0 };
  #planned = 0;
  #status = '';

  constructor(output: ProgressOutput, color: boolean) {
    this.#output = output;
    this.#isTerminal = output.isTTY === true;
    this.#paint = paintFor(color);
  }

  planned(tests: number): void {
    this.#planned = tests;
    if (this.#isTerminal) this.#showStatus('');
    else this.#line(count(tests, 'test'));
  }

  finished(result: TestResult): void {
    this.#counts[result.outcome] += 1;
    if (!this.#isTerminal) this.#line(this.#resultLine(result));
    else if (result.outcome === 'failed') this.#line(this.#failureBlock(result));
    else if (result.outcome === 'incomplete') this.#line(this.#resultLine(result));
    if (this.#isTerminal) this.#showStatus(result.name);
  }

  note(text: string): void {
    this.#line(visible(text));
  }

  /** Takes the status line away; call it when the run has ended, before anything else is printed. */
  end(): void {
    this.#clearStatus();
    this.#status = '';
  }

  #resultLine(result: TestResult): string {
    const [colour, word] = MARKS[result.outcome];
    const head = `${this.#paint(colour, word)} ${visibleLine(result.name)} (${duration(result.durationMs)})`;
    const remarks = result.failures.map(
      ({ requirement, level, message }) => `${requirement} (${level}) ${message}`,
    );
    if (result.reason !== undefined) remarks.push(result.reason);
    return remarks.length === 0 ? head : `${head}: ${shortLine(remarks.join('; '), LONGEST_LINE)}`;
  }

  #failureBlock(result: TestResult): string {
    const head = `${this.#paint('red', 'FAIL')} ${this.#paint('bold', visibleLine(result.name))} (${duration(result.durationMs)})`;
    const lines = result.failures.flatMap(({ requirement, level, message, counterexample }) => [
      `  ${visibleLine(requirement)} (${level})`,
      visible(message).replace(/^/gm, '    '),
      ...(counterexample === undefined ? [] : [visible(counterexample).replace(/^/gm, '    | ')]),
    ]);
    return [head, ...lines, ''].join('\n');
  }

  #showStatus(latest: string): void {
    const { passed, failed, skipped, incomplete } = this.#counts;
    const done = passed + failed + skipped + incomplete;
    const parts = [`${done}/${this.#planned}`, `${passed} passed`];
    if (failed > 0) parts.push(`${failed} failed`);
    if (skipped > 0) parts.push(`${skipped} skipped`);
    if (incomplete > 0) parts.push(`${incomplete} incomplete`);
    // A line that is wrapped cannot be erased.
    const text = shortLine(`${parts.join('  ')}  ${latest}`, Math.max(10, (this.#output.columns ?? 80) - 1));
    this.#clearStatus();
    this.#status = this.#paint(failed > 0 ? 'red' : 'dim', text);
    this.#output.write(this.#status);
  }

  #clearStatus(): void {
    if (this.#status !== '') this.#output.write(ERASE_LINE);
  }

  #line(text: string): void {
    this.#clearStatus();
    this.#output.write(`${text}\n${this.#status}`);
  }
}
