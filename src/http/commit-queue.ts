import type { CommitAnswer, CommitOutcome, CommitPort, CommitRequest } from '../leader/commit.js';

/**
 * Hands commits to the leader in batches: all that became complete in one turn of the event loop go together, and
 * answers come back the same way.
 */
export class CommitQueue {
  readonly #port: CommitPort;
  readonly #waiting = new Map<number, (outcome: CommitOutcome) => void>();
  #batch: CommitRequest[] = [];
  #nextTag = 0;

  constructor(openPort: (answer: (answers: readonly CommitAnswer[]) => void) => CommitPort) {
    this.#port = openPort((answers) => {
      for (const { tag, outcome } of answers) {
        this.#waiting.get(tag)?.(outcome);
        this.#waiting.delete(tag);
      }
    });
  }

  /** Resolves when the outcome is known; never rejects. */
  commit(request: Omit<CommitRequest, 'tag'>): Promise<CommitOutcome> {
    return new Promise((resolve) => {
      const tag = this.#nextTag++;
      this.#waiting.set(tag, resolve);
      if (this.#batch.length === 0) setImmediate(() => this.#submit());
      this.#batch.push({ ...request, tag });
    });
  }

  #submit(): void {
    const batch = this.#batch;
    this.#batch = [];
    this.#port.submit(batch);
  }
}
