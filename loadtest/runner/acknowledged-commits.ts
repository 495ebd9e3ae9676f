import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** A line as the scripts write it, whatever k6 puts around it. */
const LINE = /\backnowledged (\S+) (\d+)/;

/** Every commit of a run that was answered `committed`: its request ID, and the version that the answer gave. */
export class AcknowledgedCommits {
  readonly #versions = new Map<string, number>();
  /** Request IDs that were acknowledged more than once. */
  readonly repeated: string[] = [];

  /** Reads what the scripts have written down. */
  static async read(file: string): Promise<AcknowledgedCommits> {
    const commits = new AcknowledgedCommits();
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const [, requestId, version] = LINE.exec(line) ?? [];
      if (requestId !== undefined) commits.add(requestId, Number(version));
    }
    return commits;
  }

  add(requestId: string, version: number): void {
    if (this.#versions.has(requestId)) this.repeated.push(requestId);
    else this.#versions.set(requestId, version);
  }

  /** Of different request IDs. */
  get size(): number {
    return this.#versions.size;
  }

  versionOf(requestId: string): number | undefined {
    return this.#versions.get(requestId);
  }

  [Symbol.iterator](): IterableIterator<[requestId: string, version: number]> {
    return this.#versions.entries();
  }
}
