import type { FaultName } from '../faults.js';
import type { VariantName } from '../variants.js';

/** A fault or a legal variant. */
export type Quirk = FaultName | VariantName;

/** What sets one server apart from the plain one. The code says the normal way first, and its quirks beside it. */
export class Behaviour {
  readonly #quirks: ReadonlySet<string>;

  constructor(quirks: Iterable<Quirk>) {
    this.#quirks = new Set(quirks);
  }

  has(quirk: Quirk): boolean {
    return this.#quirks.has(quirk);
  }

  /** `normal`, unless the server has one of `quirks`. */
  pick<T>(normal: T, quirks: Readonly<Partial<Record<Quirk, T>>>): T {
    for (const [quirk, other] of Object.entries(quirks)) if (this.#quirks.has(quirk)) return other as T;
    return normal;
  }
}
