import type { Log } from '../log/log.js';
import type { PolicyStore } from './policy-store.js';

/** The part of the log that policies need to see. */
type LogBoundary = Pick<Log, 'truncatedThrough' | 'segments'>;

export type PutResult =
  | { readonly kind: 'created' | 'updated' }
  /** The version has been truncated already: the promise cannot be kept, and nothing is stored. */
  | { readonly kind: 'truncated'; readonly oldestVersion: number }
  | { readonly kind: 'too-many'; readonly max: number }
  | NotStored;

/** The change could not be written. It is not shown and not kept, though it may show after a restart. */
export interface NotStored {
  readonly kind: 'not-stored';
  readonly error: unknown;
}

/**
 * The retention policies (specification 4.5). A change is answered once it is on stable storage; until then both
 * the old and the new promise hold truncation back.
 */
export class RetentionPolicies {
  readonly #log: LogBoundary;
  readonly #store: PolicyStore;
  readonly #max: number;
  /** What is on stable storage. */
  #stored: ReadonlyMap<string, number>;
  /** `#stored` with all changes that are on their way there. */
  readonly #current: Map<string, number>;
  /** The save that ran last, and the one that will start behind it and carry all changes made meanwhile. */
  #saving: Promise<void> = Promise.resolve();
  #nextSave: Promise<void> | undefined;

  private constructor(
    log: LogBoundary,
    store: PolicyStore,
    max: number,
    stored: ReadonlyMap<string, number>,
  ) {
    this.#log = log;
    this.#store = store;
    this.#max = max;
    this.#stored = stored;
    this.#current = new Map(stored);
  }

  /** @param max how many policies may exist. @throws when the stored policies are damaged. */
  static async open(log: LogBoundary, store: PolicyStore, max: number): Promise<RetentionPolicies> {
    return new RetentionPolicies(log, store, max, await store.load());
  }

  get count(): number {
    return this.#stored.size;
  }

  /** The durable policies, in byte order of their IDs. */
  list(): { readonly policyId: string; readonly preventTruncate: number }[] {
    return [...this.#stored]
      .map(([policyId, preventTruncate]) => ({ policyId, preventTruncate }))
      .sort((a, b) => (a.policyId < b.policyId ? -1 : 1));
  }

  get(policyId: string): number | undefined {
    return this.#stored.get(policyId);
  }

  /** Truncation must leave this version and everything above it; infinite without policies. */
  get lowestHold(): number {
    let lowest = Number.POSITIVE_INFINITY;
    for (const version of this.#stored.values()) lowest = Math.min(lowest, version);
    for (const version of this.#current.values()) lowest = Math.min(lowest, version);
    return lowest;
  }

  async put(policyId: string, preventTruncate: number): Promise<PutResult> {
    const { truncatedThrough } = this.#log;
    if (truncatedThrough > 0 && preventTruncate <= truncatedThrough) {
      return {
        kind: 'truncated',
        oldestVersion: this.#log.segments()[0]?.firstVersion ?? truncatedThrough + 1,
      };
    }
    const kind = this.#current.has(policyId) ? 'updated' : 'created';
    if (kind === 'created' && this.#current.size >= this.#max) return { kind: 'too-many', max: this.#max };
    this.#current.set(policyId, preventTruncate);
    return (await this.#stores(policyId)) ?? { kind };
  }

  async delete(policyId: string): Promise<{ readonly kind: 'deleted' } | NotStored> {
    const exists = this.#current.delete(policyId) || this.#stored.has(policyId);
    return (exists ? await this.#stores(policyId) : undefined) ?? { kind: 'deleted' };
  }

  /** Saves a change of one policy; takes it back when that fails, unless it has been changed again meanwhile. */
  async #stores(policyId: string): Promise<NotStored | undefined> {
    const wanted = this.#current.get(policyId);
    try {
      await this.#save();
      return undefined;
    } catch (error) {
      if (this.#current.get(policyId) === wanted) {
        const stored = this.#stored.get(policyId);
        if (stored === undefined) this.#current.delete(policyId);
        else this.#current.set(policyId, stored);
      }
      return { kind: 'not-stored', error };
    }
  }

  /** Changes made while one save runs share the next one. */
  #save(): Promise<void> {
    if (this.#nextSave !== undefined) return this.#nextSave;
    const start = () => this.#saveNow();
    const save = this.#saving.then(start, start);
    this.#nextSave = save;
    return save;
  }

  async #saveNow(): Promise<void> {
    this.#saving = this.#nextSave ?? this.#saving;
    this.#nextSave = undefined;
    const snapshot = new Map(this.#current);
    await this.#store.save(snapshot);
    this.#stored = snapshot;
  }
}
