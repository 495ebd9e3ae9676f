import type { HeadwaterClient, TransactionEvent } from '../../src/client/index.js';
import { MANIFEST_KEY } from './key.js';
import { TreeBuilder } from './tree-builder.js';

/** Follows the log from its beginning and rebuilds the tree, knowing nothing but what the stream says. */
export class Reader {
  /** Request ID by version, of every transaction seen. */
  readonly seen = new Map<number, string>();
  reconnects = 0;
  readonly #client: HeadwaterClient;
  readonly #builder: TreeBuilder;
  readonly #signal: AbortSignal;

  constructor(client: HeadwaterClient, root: string, signal: AbortSignal) {
    this.#client = client;
    this.#builder = new TreeBuilder(root);
    this.#signal = signal;
  }

  /** Resolves when the tree is complete. */
  async run(): Promise<void> {
    const events = this.#client.subscribe({ after: 0, durable: true, signal: this.#signal });
    let lastVersion = 0;
    for await (const event of events) {
      this.reconnects = events.reconnects;
      this.#check(event, lastVersion);
      lastVersion = event.version;
      if (await this.#apply(event)) return;
    }
  }

  /** The client checks the chain as well; here its promise is put to the test. */
  #check({ version, prevVersion, requestId }: TransactionEvent, lastVersion: number): void {
    if (this.seen.has(version)) throw new Error(`version ${version} was seen twice`);
    if (prevVersion !== lastVersion || version <= lastVersion) {
      throw new Error(`a gap: ${version} follows ${prevVersion}, but ${lastVersion} came before it`);
    }
    this.seen.set(version, requestId);
  }

  /** True when this was the last transaction of the tree. */
  async #apply({ operations }: TransactionEvent): Promise<boolean> {
    for (const operation of operations) {
      if (operation.type === 'write' && Buffer.compare(operation.key, MANIFEST_KEY) === 0) {
        const { entries } = JSON.parse(Buffer.from(operation.value).toString()) as { entries: number };
        if (entries !== this.#builder.entries) {
          throw new Error(`the manifest counts ${entries} entries, the stream had ${this.#builder.entries}`);
        }
        await this.#builder.finish();
        return true;
      }
      await this.#builder.apply(operation);
    }
    return false;
  }
}
