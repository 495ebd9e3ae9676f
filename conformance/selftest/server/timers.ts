/** All waiting of one server process: once it is killed, nothing that waited goes on. */
export class Timers {
  readonly #running = new Set<NodeJS.Timeout>();
  #stopped = false;

  /** Resolves after `ms` milliseconds, or never once the process is killed. */
  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      this.after(ms, resolve);
    });
  }

  /** Calls `work` once after `ms` milliseconds. */
  after(ms: number, work: () => void): void {
    if (this.#stopped) return;
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      work();
    }, ms);
    this.#running.add(timer);
  }

  /** Calls `work` every `ms` milliseconds until the returned function is called. */
  every(ms: number, work: () => void): () => void {
    if (this.#stopped) return () => undefined;
    const timer = setInterval(work, ms);
    this.#running.add(timer);
    return () => {
      clearInterval(timer);
      this.#running.delete(timer);
    };
  }

  stop(): void {
    this.#stopped = true;
    for (const timer of this.#running) clearTimeout(timer);
    this.#running.clear();
  }
}
