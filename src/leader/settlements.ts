/**
 * What is to be done when versions become durable. Versions are handed out contiguously within a term, so the
 * waiters stand in a queue of slots, one per version, with no search.
 */
export class Settlements<Waiter> {
  #slots: Waiter[][] = [];
  #head = 0;
  #firstVersion: number;

  /** @param firstVersion the first version that can be waited for. */
  constructor(firstVersion: number) {
    this.#firstVersion = firstVersion;
  }

  /** @param version one below the first that can be waited for is released together with that one. */
  add(version: number, waiter: Waiter): void {
    const index = this.#head + Math.max(0, version - this.#firstVersion);
    while (this.#slots.length <= index) this.#slots.push([]);
    this.#slots[index]!.push(waiter);
  }

  /** Takes out the waiters of all versions up to and including `version`, in version order. */
  *release(version: number): Generator<Waiter> {
    while (this.#firstVersion <= version && this.#head < this.#slots.length) {
      const waiters = this.#slots[this.#head]!;
      this.#head += 1;
      this.#firstVersion += 1;
      yield* waiters;
    }
    this.#firstVersion = Math.max(this.#firstVersion, version + 1);
    if (this.#head * 2 > this.#slots.length) {
      this.#slots = this.#slots.slice(this.#head);
      this.#head = 0;
    }
  }
}
