import { open } from 'node:fs/promises';
import type { HeadwaterClient, Transaction, VersionInfo } from '../../src/client/index.js';
import { encodeEntry } from './entry.js';
import { entryKey, MANIFEST_KEY, partKey, pathRange } from './key.js';
import type { Job, Piece, Step } from './plan.js';
import { resolvePath } from './walk.js';

/** Mirrors a tree with several writers at once, which share the work but no entry. */
export class Writers {
  entries = 0;
  files = 0;
  bytes = 0;
  /** Request ID by version, of every commit that was answered or resolved as committed. */
  readonly committed = new Map<number, string>();
  /** Request IDs that the service said it had not committed. */
  readonly notCommitted = new Set<string>();
  resolvedCommitted = 0;
  resolvedNotFound = 0;
  readonly #client: HeadwaterClient;
  readonly #root: string;
  readonly #signal: AbortSignal;

  constructor(client: HeadwaterClient, root: string, signal: AbortSignal) {
    this.#client = client;
    this.#root = root;
    this.#signal = signal;
  }

  /**
   * Shares the jobs among `count` writers; resolves when all of the tree, and after it the manifest, is
   * committed.
   */
  async run(jobs: Iterable<Job>, count: number): Promise<void> {
    const queue = jobs[Symbol.iterator]();
    await Promise.all(Array.from({ length: count }, () => this.#work(queue)));
    const manifest = JSON.stringify({ entries: this.entries, bytes: this.bytes });
    await this.#transact(undefined, (transaction) => {
      transaction.pointRead(MANIFEST_KEY).write(MANIFEST_KEY, manifest);
    });
  }

  /** Takes jobs from the common queue until it is empty. */
  async #work(queue: Iterator<Job>): Promise<void> {
    let readAt: VersionInfo | undefined;
    for (let job = queue.next(); job.done !== true; job = queue.next()) {
      for (const step of job.value) readAt = await this.#mirror(step, readAt);
    }
  }

  async #mirror(step: Step, readAt: VersionInfo | undefined): Promise<VersionInfo> {
    const contents = await Promise.all(step.map((piece) => this.#read(piece)));
    const committed = await this.#transact(readAt, (transaction) => {
      for (const [index, { path, entry, part, length, last }] of step.entries()) {
        // Nobody may have touched this entry since the version that this writer knows.
        const { begin, end } = pathRange(path);
        transaction.rangeRead(begin, end);
        if (length > 0) transaction.write(partKey(path, part), contents[index]!);
        if (last) transaction.write(entryKey(path), encodeEntry(entry));
      }
    });
    for (const { entry, length, last } of step) {
      this.bytes += length;
      if (last) this.entries += 1;
      if (last && entry.kind === 'file') this.files += 1;
    }
    return committed;
  }

  async #transact(
    readAt: VersionInfo | undefined,
    build: (transaction: Transaction) => void,
  ): Promise<VersionInfo> {
    // However long a restart takes: only the signal ends the attempts.
    const attempts = Number.POSITIVE_INFINITY;
    const options = { signal: this.#signal, attempts, ...(readAt !== undefined && { readAt }) };
    const result = await this.#client.transact(build, options);
    if (this.committed.has(result.version)) throw new Error(`version ${result.version} was issued twice`);
    this.committed.set(result.version, result.requestId);
    if (result.via === 'status') this.resolvedCommitted += 1;
    for (const { requestId, outcome } of result.failedRounds) {
      this.notCommitted.add(requestId);
      if (outcome === 'lost') this.resolvedNotFound += 1;
    }
    return result;
  }

  async #read({ path, offset, length }: Piece): Promise<Uint8Array> {
    const content = Buffer.alloc(length);
    if (length === 0) return content;
    const file = await open(resolvePath(this.#root, path));
    try {
      for (let filled = 0; filled < length; ) {
        const { bytesRead } = await file.read(content, filled, length - filled, offset + filled);
        if (bytesRead === 0) throw new Error(`${path} has shrunk while it was mirrored`);
        filled += bytesRead;
      }
    } finally {
      await file.close();
    }
    return content;
  }
}
