import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, symlink } from 'node:fs/promises';
import type { Operation } from '../../src/client/index.js';
import { decodeEntry, type Entry } from './entry.js';
import { decodeKey } from './key.js';
import { PART_BYTES } from './plan.js';
import { resolvePath } from './walk.js';

const SLASH = 0x2f;

/** Rebuilds a tree on disk from the operations that the writers commit, as they come. */
export class TreeBuilder {
  /** Entries that are complete. */
  entries = 0;
  readonly #root: string;
  /** Bytes of content received for files that are not complete yet, by path. */
  readonly #incomplete = new Map<string, number>();
  readonly #directories = new Set<string>();
  /** Made at the end, so that nothing is ever written through one. */
  readonly #links: { readonly path: Buffer; readonly target: Uint8Array }[] = [];

  constructor(root: string) {
    this.#root = root;
  }

  /** @throws {Error} when the operation is none of those that the writers make, or a file lacks content */
  async apply(operation: Operation<Uint8Array>): Promise<void> {
    if (operation.type !== 'write') throw new Error(`nobody mirrors with a ${operation.type}`);
    const { path, part } = decodeKey(operation.key);
    if (part === undefined) await this.#complete(path, decodeEntry(operation.value));
    else await this.#writePart(path, part, operation.value);
  }

  /** Ends the tree. */
  async finish(): Promise<void> {
    if (this.#incomplete.size > 0) throw new Error(`${this.#incomplete.size} files have content, but no end`);
    for (const { path, target } of this.#links) {
      await symlink(Buffer.from(target), resolvePath(this.#root, path));
    }
  }

  async #writePart(path: Buffer, part: number, content: Uint8Array): Promise<void> {
    const name = path.toString('latin1');
    const received = this.#incomplete.get(name) ?? 0;
    if (received !== part * PART_BYTES)
      throw new Error(`part ${part} of ${path} comes after ${received} bytes`);
    this.#incomplete.set(name, received + content.length);
    await this.#withFile(path, async (file) => {
      let written = 0;
      while (written < content.length) {
        written += (await file.write(content, written, content.length - written, received + written))
          .bytesWritten;
      }
    });
  }

  async #complete(path: Buffer, entry: Entry): Promise<void> {
    this.entries += 1;
    await this.#makeDirectory(path.subarray(0, Math.max(0, path.lastIndexOf(SLASH))));
    switch (entry.kind) {
      case 'directory':
        return await this.#makeDirectory(path);
      case 'link':
        this.#links.push({ path, target: entry.target });
        return;
      case 'file': {
        const name = path.toString('latin1');
        const received = this.#incomplete.get(name) ?? 0;
        if (received !== entry.size) throw new Error(`${path} has ${received} bytes of ${entry.size}`);
        this.#incomplete.delete(name);
        if (!entry.executable && entry.size > 0) return;
        await this.#withFile(path, (file) => file.chmod(entry.executable ? 0o755 : 0o644));
      }
    }
  }

  async #withFile(path: Buffer, use: (file: FileHandle) => Promise<void>): Promise<void> {
    await this.#makeDirectory(path.subarray(0, Math.max(0, path.lastIndexOf(SLASH))));
    const file = await open(resolvePath(this.#root, path), constants.O_RDWR | constants.O_CREAT, 0o644);
    try {
      await use(file);
    } finally {
      await file.close();
    }
  }

  /** A file may come before its directory: they may be in different transactions. */
  async #makeDirectory(path: Buffer): Promise<void> {
    const name = path.toString('latin1');
    if (path.length === 0 || this.#directories.has(name)) return;
    await mkdir(resolvePath(this.#root, path), { recursive: true });
    this.#directories.add(name);
  }
}
