import type { Bytes } from './bytes.js';
import type { KeyOrder } from './key-order.js';
import type { Operation } from './record.js';

/** The keys that exist, and their content. */
export class KeySpace {
  readonly #order: KeyOrder;
  readonly #content: Map<Bytes, Bytes>;

  constructor(order: KeyOrder, content: Iterable<readonly [Bytes, Bytes]> = []) {
    this.#order = order;
    this.#content = new Map(content);
  }

  get content(): ReadonlyMap<Bytes, Bytes> {
    return this.#content;
  }

  copy(): KeySpace {
    return new KeySpace(this.#order, this.#content);
  }

  /** The keys from `begin` up to, not including, `end`. */
  within(begin: Bytes, end: Bytes): Bytes[] {
    return [...this.#content.keys()].filter(
      (key) => this.#order(begin, key) <= 0 && this.#order(key, end) < 0,
    );
  }

  apply(operation: Operation): void {
    if (operation.type === 'write') this.#content.set(operation.key, operation.value);
    else if (operation.type === 'delete') this.#content.delete(operation.key);
    else for (const key of this.within(operation.begin, operation.end)) this.#content.delete(key);
  }
}
