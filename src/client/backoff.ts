/** How long to wait between attempts. */
export interface BackoffOptions {
  /** Upper bound of the first wait, milliseconds; it doubles with every further one. Default 50. */
  readonly baseMs?: number;
  /** Upper bound of any wait, milliseconds. Default 5000. */
  readonly maxMs?: number;
}

/**
 * Exponential backoff with full jitter: the wait is drawn evenly from zero to the bound, so that clients
 * which lost the same server at the same moment do not come back at the same moment.
 */
export class Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
  readonly #random: () => number;

  /** @param random numbers in [0, 1), as `Math.random` */
  constructor(options: BackoffOptions, random: () => number) {
    this.baseMs = options.baseMs ?? 50;
    this.maxMs = options.maxMs ?? 5000;
    this.#random = random;
  }

  /** Milliseconds to wait before trying again after `failures` (0, 1, 2, ...) earlier waits. */
  delayMs(failures: number): number {
    return this.#random() * Math.min(this.maxMs, this.baseMs * 2 ** failures);
  }
}
