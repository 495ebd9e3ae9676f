import { LogError } from '../log.js';

/** What a cache holds open. */
interface Closable {
  close(): Promise<void>;
}

interface Entry<T> {
  readonly opened: Promise<T>;
  users: number;
  /** No longer in the cache: the last user closes it. */
  dropped: boolean;
}

/**
 * Keeps the resources that were used last open, at most `limit` of them plus those in use. A resource is
 * never closed under a user.
 */
export class ResourceCache<K, T extends Closable> {
  readonly #open: (key: K) => Promise<T>;
  readonly #limit: number;
  /** The one that was used longest ago comes first. */
  readonly #entries = new Map<K, Entry<T>>();
  /** Those that are being closed right now. */
  readonly #closing = new Set<Promise<void>>();
  #closed = false;

  constructor(limit: number, open: (key: K) => Promise<T>) {
    this.#limit = limit;
    this.#open = open;
  }

  /**
   * Opens the resource unless it is open, and keeps it open until `action` is done.
   * @throws LogError `closed` after `close`, and whatever opening and `action` throw.
   */
  async use<R>(key: K, action: (resource: T) => Promise<R>): Promise<R> {
    if (this.#closed) throw new LogError('closed', 'the log is closed');
    const entry = this.#entries.get(key) ?? { opened: this.#open(key), users: 0, dropped: false };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.users += 1;
    this.#dropOldest();
    try {
      return await action(await entry.opened);
    } catch (error) {
      // What could not be opened is tried again by the next user.
      if (await failed(entry.opened)) this.drop(key, entry);
      throw error;
    } finally {
      entry.users -= 1;
      if (entry.dropped && entry.users === 0) this.#close(entry);
    }
  }

  /** Forgets a resource; it is closed when its last user is done. */
  drop(key: K, only?: Entry<T>): void {
    const entry = this.#entries.get(key);
    if (entry === undefined || (only !== undefined && entry !== only)) return;
    this.#entries.delete(key);
    entry.dropped = true;
    if (entry.users === 0) this.#close(entry);
  }

  /** Closes everything that is not in use, and the rest when it no longer is. Nothing is opened any more. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const key of [...this.#entries.keys()]) this.drop(key);
    await Promise.all(this.#closing);
  }

  #dropOldest(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#entries.size <= this.#limit) return;
      if (entry.users === 0) this.drop(key);
    }
  }

  #close(entry: Entry<T>): void {
    const closed = entry.opened.then((resource) => resource.close());
    // It was only read from: an error on closing it loses nothing.
    const closing = Promise.allSettled([closed]).then(() => {
      this.#closing.delete(closing);
    });
    this.#closing.add(closing);
  }
}

async function failed(promise: Promise<unknown>): Promise<boolean> {
  const [outcome] = await Promise.allSettled([promise]);
  return outcome.status === 'rejected';
}
