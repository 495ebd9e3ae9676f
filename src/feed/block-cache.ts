import type { Core } from '../core/core.js';
import type { Log } from '../log/log.js';
import { type EncodedEvents, encodeTransactions } from './event-codec.js';

/**
 * Encoded blocks of the log for subscribers that catch up. Subscribers that ask for the same block share one read
 * and one encoding, also while it is under way; the most recently used blocks are kept within a bound of bytes.
 */
export class BlockCache {
  readonly #log: Log;
  readonly #core: Core;
  readonly #bytesMax: number;
  /** By the version that was asked for; in order of use, oldest first. */
  readonly #blocks = new Map<number, EncodedEvents>();
  readonly #loading = new Map<number, Promise<EncodedEvents | undefined>>();
  #bytes = 0;

  constructor(log: Log, core: Core, bytesMax: number) {
    this.#log = log;
    this.#core = core;
    this.#bytesMax = bytesMax;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The events of the durable transactions right above `after`; undefined when there are none. @throws LogError */
  after(after: number): Promise<EncodedEvents | undefined> {
    const cached = this.#blocks.get(after);
    if (cached !== undefined) {
      this.#blocks.delete(after);
      this.#blocks.set(after, cached);
      return Promise.resolve(cached);
    }
    let loading = this.#loading.get(after);
    if (loading === undefined) {
      loading = this.#load(after).finally(() => this.#loading.delete(after));
      this.#loading.set(after, loading);
    }
    return loading;
  }

  /** Forgets everything: the log was truncated, or what it answers changed for another reason. */
  clear(): void {
    this.#blocks.clear();
    this.#bytes = 0;
  }

  async #load(after: number): Promise<EncodedEvents | undefined> {
    const block = await this.#log.read(after);
    if (block === undefined) return undefined;
    const events = encodeTransactions(this.#core, block);
    this.#blocks.set(after, events);
    this.#bytes += events.text.length;
    for (const [key, oldest] of this.#blocks) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#blocks.delete(key);
      this.#bytes -= oldest.text.length;
    }
    return events;
  }
}
