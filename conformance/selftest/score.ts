import { CATALOGUE } from '../catalogue/catalogue.js';
import { type Case, faultCases } from './case.js';
import type { Judgement } from './judge.js';

const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;

/** Counts what the suite was right about. A case that is run several times has to be right each time. */
export class Score {
  readonly #passed = new Map<Case, boolean>();
  readonly #found = new Set<string>();

  add(one: Case, { passed, found }: Judgement): void {
    this.#passed.set(one, (this.#passed.get(one) ?? true) && passed);
    for (const id of found) this.#found.add(id);
  }

  get failed(): number {
    return [...this.#passed.values()].filter((passed) => !passed).length;
  }

  /** The last lines of the output. */
  lines(): string[] {
    return [
      ...[...this.#passed].flatMap(([one, passed]) => (passed ? [] : [`FAIL ${one.kind} ${one.name}`])),
      ...this.#countOf('variant', 'passed'),
      ...this.#countOf('fault', 'caught'),
      ...this.#requirements(),
      `selftest: ${this.#passed.size - this.failed} passed, ${this.failed} failed`,
    ];
  }

  #countOf(kind: Case['kind'], what: string): string[] {
    const results = [...this.#passed].filter(([one]) => one.kind === kind).map(([, passed]) => passed);
    const good = results.filter((passed) => passed).length;
    return results.length === 0
      ? []
      : [`${kind}s: ${good} of ${results.length} ${what} (${percent(good, results.length)})`];
  }

  /** Which requirements were found broken at least once, where all faults were tried. */
  #requirements(): string[] {
    if (faultCases.some((one) => !this.#passed.has(one))) return [];
    const musts = CATALOGUE.filter(({ level, untestable }) => level === 'MUST' && untestable === undefined);
    const never = musts.filter(({ id }) => !this.#found.has(id)).map(({ id }) => id);
    return [
      `MUST requirements: ${musts.length - never.length} of ${musts.length} found broken at least once`,
      ...(never.length > 0 ? [`never found broken: ${never.join(', ')}`] : []),
    ];
  }
}
