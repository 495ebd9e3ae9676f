import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';

const MS_PER_MICROSECOND = 0.001;

/** What came back while it was open. */
export class Tally {
  committed = 0;
  notCommitted = 0;
  /** Microseconds. */
  readonly #latencies: RecordableHistogram = createHistogram({ figures: 3 });
  #isOpen = false;

  open(): void {
    this.#isOpen = true;
  }

  close(): void {
    this.#isOpen = false;
  }

  /** @param ms from the moment the client had the transaction to its answer */
  add(committed: boolean, ms: number): void {
    if (!this.#isOpen) return;
    if (committed) this.committed += 1;
    else this.notCommitted += 1;
    this.#latencies.record(Math.max(1, Math.round(ms / MS_PER_MICROSECOND)));
  }

  /** Milliseconds. */
  percentileMs(percentile: number): number {
    return this.#latencies.percentile(percentile) * MS_PER_MICROSECOND;
  }
}
