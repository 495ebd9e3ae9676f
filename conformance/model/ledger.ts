import type { Transaction } from './transaction.js';

/** What became of a commit request, as far as its answer tells. */
export type Outcome =
  | { readonly kind: 'committed'; readonly version: bigint; readonly leaderId: string }
  | { readonly kind: 'not_committed'; readonly leaderChanged: boolean }
  | { readonly kind: 'refused'; readonly status: number }
  /** No answer, or a 5xx: it may have committed. */
  | { readonly kind: 'unknown' };

/** One commit request of this run. */
export interface Attempt {
  readonly transaction: Transaction;
  /** The key space that its keys belong to; undefined where they are not to be replayed. */
  readonly space: string | undefined;
  /** The name of the test that sent it. */
  readonly test: string;
  /** Order of sending and of answering, on one scale. */
  readonly sent: number;
  answered: number | undefined;
  outcome: Outcome | undefined;
}

/** Every commit request of the run, and what is known of its outcome. */
export class Ledger {
  readonly attempts: Attempt[] = [];
  readonly #byRequestId = new Map<string, Attempt[]>();
  #clock = 0;

  begin(transaction: Transaction, space: string | undefined, test: string): Attempt {
    const attempt: Attempt = {
      transaction,
      space,
      test,
      sent: this.#tick(),
      answered: undefined,
      outcome: undefined,
    };
    this.attempts.push(attempt);
    if (transaction.requestId !== undefined) {
      const others = this.#byRequestId.get(transaction.requestId);
      if (others === undefined) this.#byRequestId.set(transaction.requestId, [attempt]);
      else others.push(attempt);
    }
    return attempt;
  }

  settle(attempt: Attempt, outcome: Outcome): void {
    attempt.outcome = outcome;
    attempt.answered = this.#tick();
  }

  /** All attempts that carried `requestId`: more than one where a test reused it. */
  byRequestId(requestId: string): readonly Attempt[] {
    return this.#byRequestId.get(requestId) ?? [];
  }

  #tick(): number {
    this.#clock += 1;
    return this.#clock;
  }
}
