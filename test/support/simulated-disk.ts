import { posix } from 'node:path';
import type { Disk, DiskFile, OpenMode } from '../../src/log/file/disk.js';
import type { Random } from './random.js';
import { SimulatedInode } from './simulated-inode.js';

export type Operation =
  | 'open'
  | 'create'
  | 'read'
  | 'write'
  | 'sync'
  | 'truncate'
  | 'rename'
  | 'unlink'
  | 'list'
  | 'syncDirectory';

/** Names given and taken in one step: all of it survives, or nothing. `undefined`: the name is gone. */
type NameChange = ReadonlyMap<string, SimulatedInode | undefined>;

/**
 * A disk in memory that keeps what was synced apart from what was only written.
 *
 * A process gets at it by `attach`. `kill` is the death of the process: what it had attached answers no more;
 * what was written stays. `cutPower` also loses, at random, any of the 512-byte sectors, lengths and names that were
 * not synced. A sync that is told to fail leaves some of its sectors, or the length, unwritten and forgets that they
 * are, as Linux does: reading still shows them, but no later sync brings them to the disk. A write that is told to
 * fail does any part of its work.
 */
export class SimulatedDisk {
  /**
   * Asked as each operation begins: with an error code (EIO, ENOSPC) it fails, with `undefined` it does not. Set
   * anew by each test.
   */
  fault: (operation: Operation, path: string) => string | undefined = () => undefined;
  readonly random: Random;
  readonly #turnsMax: number;
  #names = new Map<string, SimulatedInode>();
  readonly #storedNames = new Map<string, SimulatedInode>();
  /** By directory, in order: what was not synced. */
  readonly #changes = new Map<string, NameChange[]>();
  #generation = 0;

  /** @param turnsMax turns of the event loop that an operation may take at most; how many is random. */
  constructor(random: Random, turnsMax = 0) {
    this.random = random;
    this.#turnsMax = turnsMax;
  }

  /** The disk as a process sees it that lives until the next `kill` or `cutPower`. */
  attach(): Disk {
    const generation = this.#generation;
    return new AttachedDisk(this, () => generation === this.#generation);
  }

  kill(): void {
    this.#generation += 1;
  }

  cutPower(): void {
    this.kill();
    for (const change of [...this.#changes.values()].flat()) {
      if (this.random.chance(0.5)) rename(this.#storedNames, change);
    }
    this.#changes.clear();
    this.#names = new Map(this.#storedNames);
    for (const inode of new Set(this.#names.values())) inode.loseUnsynced(this.random);
  }

  /** Paths of all files with their lengths, as a process sees them. */
  files(): ReadonlyMap<string, number> {
    return new Map([...this.#names].map(([path, inode]) => [path, inode.length]));
  }

  /** A copy of what is in a file. */
  content(path: string): Uint8Array {
    return this.inode(path).read(0, Number.MAX_SAFE_INTEGER).slice();
  }

  /** Puts a file there, or other content into one, safely stored. */
  put(path: string, content: Uint8Array): void {
    const inode = new SimulatedInode(content);
    this.#names.set(path, inode);
    this.#storedNames.set(path, inode);
  }

  /** Changes a file as no process would: a bit flips, a tail is lost. */
  edit(path: string, change: (bytes: Uint8Array) => Uint8Array | undefined): void {
    const bytes = this.content(path);
    this.put(path, change(bytes) ?? bytes);
  }

  /** Takes a file away, as no process would. */
  remove(path: string): void {
    this.#names.delete(path);
    this.#storedNames.delete(path);
  }

  // What follows is for the classes of this file.

  /** Lets an operation take its time. @returns the code of the error that it fails with, if it does. */
  async begin(operation: Operation, path: string): Promise<string | undefined> {
    const code = this.fault(operation, path);
    for (let turns = this.random.below(this.#turnsMax + 1); turns > 0; turns -= 1) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    return code;
  }

  inode(path: string): SimulatedInode {
    const inode = this.#names.get(path);
    if (inode === undefined) throw failure('ENOENT', 'open', path);
    return inode;
  }

  change(directory: string, change: NameChange): void {
    rename(this.#names, change);
    this.#changes.set(directory, [...(this.#changes.get(directory) ?? []), change]);
  }

  /** @returns how to make durable what is unsynced of a directory now. */
  beginSyncDirectory(directory: string): () => void {
    const begun = new Set(this.#changes.get(directory));
    return () => {
      const changes = this.#changes.get(directory) ?? [];
      // Another sync may have been done with some of them meanwhile.
      for (const change of changes) if (begun.has(change)) rename(this.#storedNames, change);
      this.#changes.set(
        directory,
        changes.filter((change) => !begun.has(change)),
      );
    };
  }
}

class AttachedDisk implements Disk {
  readonly #disk: SimulatedDisk;
  readonly #isAlive: () => boolean;

  constructor(disk: SimulatedDisk, isAlive: () => boolean) {
    this.#disk = disk;
    this.#isAlive = isAlive;
  }

  async open(path: string, mode: OpenMode): Promise<DiskFile> {
    await this.#run(mode === 'create' ? 'create' : 'open', path);
    if (mode === 'create') {
      if (this.#disk.files().has(path)) this.#disk.inode(path).resize(0);
      else this.#disk.change(posix.dirname(path), new Map([[path, new SimulatedInode(new Uint8Array(0))]]));
    }
    const File = mode === 'synced' ? SyncedFile : AttachedFile;
    return new File(this.#disk, this.#disk.inode(path), path, this.#isAlive);
  }

  async list(directory: string): Promise<readonly string[]> {
    await this.#run('list', directory);
    const paths = [...this.#disk.files().keys()].filter((path) => posix.dirname(path) === directory);
    return paths.map((path) => posix.basename(path));
  }

  async rename(from: string, to: string): Promise<void> {
    await this.#run('rename', to);
    const inode = this.#disk.inode(from);
    const change: [string, SimulatedInode | undefined][] = [
      [from, undefined],
      [to, inode],
    ];
    this.#disk.change(posix.dirname(to), new Map(change));
  }

  async unlink(path: string): Promise<void> {
    await this.#run('unlink', path);
    this.#disk.inode(path);
    this.#disk.change(posix.dirname(path), new Map([[path, undefined]]));
  }

  /** There are no directories but those that names imply. */
  async makeDirectory(): Promise<void> {
    await this.#disk.begin('open', '/');
  }

  async syncDirectory(path: string): Promise<void> {
    const finish = this.#disk.beginSyncDirectory(path);
    await this.#run('syncDirectory', path);
    finish();
  }

  async #run(operation: Operation, path: string): Promise<void> {
    if (!this.#isAlive()) throw failure('EKILLED', operation, path);
    const code = await this.#disk.begin(operation, path);
    if (!this.#isAlive()) throw failure('EKILLED', operation, path);
    if (code !== undefined) throw failure(code, operation, path);
  }
}

class AttachedFile implements DiskFile {
  readonly #disk: SimulatedDisk;
  readonly #inode: SimulatedInode;
  readonly #path: string;
  readonly #isAlive: () => boolean;
  #users = 0;
  #isOpen = true;

  constructor(disk: SimulatedDisk, inode: SimulatedInode, path: string, isAlive: () => boolean) {
    this.#disk = disk;
    this.#inode = inode;
    this.#path = path;
    this.#isAlive = isAlive;
  }

  read(target: Uint8Array, position: number): Promise<number> {
    return this.#run('read', (code) => {
      if (code !== undefined) throw failure(code, 'read', this.#path);
      const bytes = this.#inode.read(position, position + target.length);
      target.set(bytes);
      return bytes.length;
    });
  }

  write(chunks: readonly Uint8Array[], position: number): Promise<void> {
    const bytes = Buffer.concat(chunks);
    // The process may die, and the write may fail, with any part of it done.
    const part = bytes.subarray(0, this.#disk.random.below(bytes.length + 1));
    if (this.#isAlive() && this.#disk.random.chance(0.5)) this.#inode.write(part, position);
    return this.#run('write', (code) => {
      this.#inode.write(code === undefined ? bytes : part, position);
      if (code !== undefined) throw failure(code, 'write', this.#path);
    });
  }

  fdatasync(): Promise<void> {
    return this.fsync();
  }

  fsync(): Promise<void> {
    const unsynced = this.#inode.unsynced();
    return this.#run('sync', (code) => {
      if (code === undefined) {
        this.#inode.store(unsynced);
        return;
      }
      this.#inode.storeSomeAndForget(unsynced, this.#disk.random);
      throw failure(code, 'sync', this.#path);
    });
  }

  truncate(length: number): Promise<void> {
    return this.#run('truncate', (code) => {
      if (code !== undefined) throw failure(code, 'truncate', this.#path);
      this.#inode.resize(length);
    });
  }

  async size(): Promise<number> {
    if (!this.#isOpen || !this.#isAlive()) throw failure('EBADF', 'read', this.#path);
    return this.#inode.length;
  }

  async close(): Promise<void> {
    if (!this.#isOpen) throw failure('EBADF', 'open', this.#path);
    this.#isOpen = false;
    // The number of a closed file goes to the next one that is opened: a read under way would hit that one.
    if (this.#users > 0) throw new Error(`'${this.#path}' was closed under an operation`);
  }

  async #run<T>(operation: Operation, action: (code: string | undefined) => T): Promise<T> {
    if (!this.#isOpen) throw failure('EBADF', operation, this.#path);
    if (!this.#isAlive()) throw failure('EKILLED', operation, this.#path);
    this.#users += 1;
    try {
      const code = await this.#disk.begin(operation, this.#path);
      if (!this.#isAlive()) throw failure('EKILLED', operation, this.#path);
      return action(code);
    } finally {
      this.#users -= 1;
    }
  }
}

class SyncedFile extends AttachedFile {
  override async write(chunks: readonly Uint8Array[], position: number): Promise<void> {
    await super.write(chunks, position);
    await this.fsync();
  }
}

function rename(names: Map<string, SimulatedInode>, change: NameChange): void {
  for (const [path, inode] of change) {
    if (inode === undefined) names.delete(path);
    else names.set(path, inode);
  }
}

function failure(code: string, operation: Operation, path: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${operation} '${path}'`), { code });
}
