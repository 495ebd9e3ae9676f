/** What to call when a signal aborts; one listener on the signal stands for all of them. */
const callbacks = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls `callback` once when the signal aborts, at once if it already has. Answers a function that takes this
 * back. A signal often stands for a whole program and outlives its requests, of which many run at the same
 * time: with a listener for each, runtimes warn of a leak.
 */
export function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => undefined;
  }
  const shared = callbacks.get(signal) ?? listen(signal);
  // One of its own for each call, so that the same callback may be given twice.
  const entry = (): void => callback();
  shared.add(entry);
  return () => {
    shared.delete(entry);
  };
}

function listen(signal: AbortSignal): Set<() => void> {
  const shared = new Set<() => void>();
  callbacks.set(signal, shared);
  signal.addEventListener(
    'abort',
    () => {
      for (const callback of shared) callback();
    },
    { once: true },
  );
  return shared;
}

/** One signal that aborts as soon as any of `signals` does, until it is disposed. */
export function linkSignals(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal;
  dispose(): void;
} {
  const controller = new AbortController();
  const disposers = signals
    .filter((signal) => signal !== undefined)
    .map((signal) => onAbort(signal, () => controller.abort(signal.reason)));
  return {
    signal: controller.signal,
    dispose() {
      for (const dispose of disposers) dispose();
    },
  };
}
