import type { Clock } from '../../src/client/clock.js';

interface Timer {
  readonly task: () => void;
  readonly ms: number;
}

/**
 * A clock on which short waits take no time and are written down, while long ones (idle timeouts) last until
 * a test ends them.
 */
export class FakeClock implements Clock {
  /** Short waits so far, milliseconds. */
  readonly waits: number[] = [];
  readonly #longFromMs: number;
  readonly #held = new Set<Timer>();
  #waiters: (() => void)[] = [];
  #nowMs = Date.UTC(2026, 0, 1);

  constructor(longFromMs = 60_000) {
    this.#longFromMs = longFromMs;
  }

  now(): number {
    return this.#nowMs;
  }

  advance(ms: number): void {
    this.#nowMs += ms;
  }

  setTimeout(task: () => void, ms: number): unknown {
    if (ms < this.#longFromMs) {
      this.waits.push(ms);
      const immediate = setImmediate(task);
      return () => clearImmediate(immediate);
    }
    const timer = { task, ms };
    this.#held.add(timer);
    for (const waiter of this.#waiters.splice(0)) waiter();
    return () => this.#held.delete(timer);
  }

  clearTimeout(handle: unknown): void {
    (handle as () => void)();
  }

  get held(): number {
    return this.#held.size;
  }

  /** Resolves when the next long wait begins. */
  nextLongWait(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Ends all long waits that are running. */
  elapse(): void {
    for (const timer of [...this.#held]) {
      this.#held.delete(timer);
      this.#nowMs += timer.ms;
      timer.task();
    }
  }
}
