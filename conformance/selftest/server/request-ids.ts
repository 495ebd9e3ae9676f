import type { Behaviour } from './behaviour.js';
import type { LogRecord } from './record.js';

const REMEMBERED = 100;

/** What is known of request IDs: which are in flight, which committed, which may not be used any more. */
export class RequestIds {
  readonly #behaviour: Behaviour;
  readonly #committed = new Map<string, LogRecord>();
  readonly #inFlight = new Map<string, { readonly record: LogRecord; readonly durable: Promise<void> }>();
  readonly #fenced = new Set<string>();
  readonly #index: (id: string) => string;

  constructor(behaviour: Behaviour, records: readonly LogRecord[]) {
    this.#behaviour = behaviour;
    this.#index = behaviour.pick((id: string) => id, {
      'request-ids-indexed-in-lower-case': (id) => id.toLowerCase(),
      'request-ids-indexed-by-prefix': (id) => id.slice(0, 20),
      'request-ids-indexed-by-weak-hash': (id) =>
        `${[...id].reduce((sum, char) => sum + char.charCodeAt(0), 0)}`,
      'request-ids-indexed-trimmed': (id) => id.trim(),
    });
    if (!behaviour.has('request-ids-in-memory-only')) for (const record of records) this.committed(record);
  }

  /** The transaction that committed with `id`, if it is still known. */
  find(id: string): LogRecord | undefined {
    return this.#committed.get(this.#index(id));
  }

  /** The accepted transaction with `id` that is not durable yet. */
  inFlight(id: string): { readonly record: LogRecord; readonly durable: Promise<void> } | undefined {
    return this.#inFlight.get(this.#index(id));
  }

  begin(record: LogRecord, durable: Promise<void>): void {
    this.#inFlight.set(this.#index(record.requestId), { record, durable });
  }

  committed(record: LogRecord): void {
    const key = this.#index(record.requestId);
    this.#committed.set(key, record);
    this.#inFlight.delete(key);
    if (this.#behaviour.has('only-100-request-ids-remembered') && this.#committed.size > REMEMBERED)
      this.#committed.delete(this.#committed.keys().next().value!);
  }

  forget(records: readonly LogRecord[]): void {
    for (const { requestId } of records) this.#committed.delete(this.#index(requestId));
  }

  /** No commit with `id` is accepted any more. */
  fence(id: string): void {
    this.#fenced.add(this.#index(id));
  }

  unfence(id: string): void {
    this.#fenced.delete(this.#index(id));
  }

  /** Whether a commit with `id` may no longer be accepted. */
  isSpent(id: string): boolean {
    const key = this.#index(id);
    const isUsed = this.#behaviour.pick(() => this.#committed.has(key) || this.#inFlight.has(key), {
      'reuse-unchecked': () => false,
      'reuse-unchecked-in-flight': () => this.#committed.has(key),
      'reuse-checked-in-flight-only': () => this.#inFlight.has(key),
    });
    return this.#fenced.has(key) || isUsed();
  }
}
