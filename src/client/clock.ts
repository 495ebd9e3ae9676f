import { onAbort } from './abort.js';

/** Where the client gets its time from; a test passes one of its own, so that nothing waits for real time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Calls `task` once, `ms` milliseconds from now, and answers a handle for `clearTimeout`. */
  setTimeout(task: () => void, ms: number): unknown;
  clearTimeout(handle: unknown): void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (task, ms) => globalThis.setTimeout(task, ms),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
};

/** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const timer = clock.setTimeout(() => {
      stopListening?.();
      resolve();
    }, ms);
    const stopListening =
      signal &&
      onAbort(signal, () => {
        clock.clearTimeout(timer);
        reject(signal.reason);
      });
  });
}
