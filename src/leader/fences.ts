/**
 * Request IDs that a status lookup has declared, or is about to declare, not found in this term: a commit
 * with such an ID that arrives later must be refused.
 *
 * An ID is fenced before its lookup starts, so that no commit can slip in between the search and the answer;
 * the fence stays when the ID was not found and goes when it was.
 */
export class Fences {
  readonly #max: number;
  readonly #lookups = new Map<string, number>();
  readonly #fenced = new Set<string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** IDs that are fenced for good or being looked up. */
  get size(): number {
    return this.#fenced.size + this.#lookups.size;
  }

  get full(): boolean {
    return this.size >= this.#max;
  }

  has(requestId: string): boolean {
    return this.#fenced.has(requestId) || this.#lookups.has(requestId);
  }

  /** Fences the ID while a lookup runs; `endLookup` must follow. */
  beginLookup(requestId: string): void {
    if (this.#fenced.has(requestId)) return;
    this.#lookups.set(requestId, (this.#lookups.get(requestId) ?? 0) + 1);
  }

  endLookup(requestId: string, found: boolean): void {
    const running = this.#lookups.get(requestId) ?? 0;
    if (!found) this.#fenced.add(requestId);
    // Fenced for good: the lookups that still run have nothing to hold any more.
    if (running > 1 && !this.#fenced.has(requestId)) this.#lookups.set(requestId, running - 1);
    else this.#lookups.delete(requestId);
  }
}
