import fs from 'node:fs';
import path from 'node:path';
import type { Disk, DiskFile, OpenMode } from './disk.js';

/** Elsewhere it is missing, or a write that it lets through need not have reached the medium. */
const SYNCS_EACH_WRITE = process.platform === 'linux';
const { O_RDWR, O_DSYNC } = fs.constants;
const FLAGS: Readonly<Record<OpenMode, string | number>> = {
  read: 'r',
  update: 'r+',
  // One turn through the thread pool, and one command to the disk, instead of two.
  synced: SYNCS_EACH_WRITE ? O_RDWR | O_DSYNC : 'r+',
  create: 'w+',
};

/** The disk of this machine. */
export class NodeDisk implements Disk {
  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    const handle = await call<number>((done) => fs.open(path, FLAGS[mode], done));
    return mode === 'synced' && !SYNCS_EACH_WRITE ? new SyncedNodeFile(handle) : new NodeFile(handle);
  }

  list(directory: string): Promise<readonly string[]> {
    return call((done) => fs.readdir(directory, done));
  }

  rename(from: string, to: string): Promise<void> {
    return call((done) => fs.rename(from, to, done));
  }

  unlink(path: string): Promise<void> {
    return call((done) => fs.unlink(path, done));
  }

  async makeDirectory(directory: string): Promise<void> {
    const highest = await call<string | undefined>((done) => fs.mkdir(directory, { recursive: true }, done));
    if (highest === undefined) return;
    // Each new directory is a name in the one above it.
    const top = path.dirname(path.resolve(highest));
    for (let made = path.resolve(directory); made !== top; made = path.dirname(made)) {
      await this.syncDirectory(path.dirname(made));
    }
  }

  async syncDirectory(directory: string): Promise<void> {
    // Windows gives no handle of a directory that could be synced; its file systems log names themselves.
    if (process.platform === 'win32') return;
    const handle = await call<number>((done) => fs.open(directory, 'r', done));
    try {
      await call((done) => fs.fsync(handle, done));
    } finally {
      await call((done) => fs.close(handle, done));
    }
  }
}

class NodeFile implements DiskFile {
  readonly #handle: number;

  constructor(handle: number) {
    this.#handle = handle;
  }

  async read(target: Uint8Array, position: number): Promise<number> {
    let filled = 0;
    while (filled < target.length) {
      const at = filled;
      const count = await call<number>((done) =>
        fs.read(this.#handle, target, at, target.length - at, position + at, done),
      );
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }

  async write(chunks: readonly Uint8Array[], position: number): Promise<void> {
    let rest = chunks;
    let at = position;
    for (;;) {
      const from = at;
      const pending = rest;
      const count = await call<number>((done) => fs.writev(this.#handle, pending, from, done));
      rest = behind(pending, count);
      if (rest.length === 0) return;
      if (count === 0) throw Object.assign(new Error('the file takes no more bytes'), { code: 'EIO' });
      at += count;
    }
  }

  fdatasync(): Promise<void> {
    return call((done) => fs.fdatasync(this.#handle, done));
  }

  fsync(): Promise<void> {
    return call((done) => fs.fsync(this.#handle, done));
  }

  truncate(length: number): Promise<void> {
    return call((done) => fs.ftruncate(this.#handle, length, done));
  }

  async size(): Promise<number> {
    const stats = await call<fs.Stats>((done) => fs.fstat(this.#handle, done));
    return stats.size;
  }

  close(): Promise<void> {
    return call((done) => fs.close(this.#handle, done));
  }
}

/** Syncs after each write, where the system cannot be told to. */
class SyncedNodeFile extends NodeFile {
  override async write(chunks: readonly Uint8Array[], position: number): Promise<void> {
    await super.write(chunks, position);
    await this.fdatasync();
  }
}

/** What is left of `chunks` behind their first `count` bytes. */
export function behind(chunks: readonly Uint8Array[], count: number): readonly Uint8Array[] {
  let skipped = 0;
  for (const [index, chunk] of chunks.entries()) {
    if (skipped + chunk.length > count) {
      return [chunk.subarray(count - skipped), ...chunks.slice(index + 1)];
    }
    skipped += chunk.length;
  }
  return [];
}

type Done<T> = (error: Error | null, value?: T) => void;

/** The callback form is measurably faster than `fs/promises` for small reads and writes. */
function call<T = void>(start: (done: Done<T>) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    start((error, value) => {
      if (error) reject(error);
      else resolve(value as T);
    });
  });
}
