import { posix } from 'node:path';

/**
 * All access to files goes through these two interfaces, so that a simulated disk, which can lose power
 * and refuse writes, can stand in for the real one.
 *
 * Every operation that fails rejects with an `Error` whose `code` is the name of the operating system's
 * error: `ENOENT`, `EIO`, `ENOSPC` and so on. Paths are separated by `/` on every platform.
 */
export interface Disk {
  /**
   * - `read`: an existing file, for reading only.
   * - `update`: an existing file, for reading and writing.
   * - `synced`: as `update`; what a write has written is on stable storage when it resolves.
   * - `create`: reading and writing; made if it is missing, emptied if it is there.
   */
  open(path: string, mode: OpenMode): Promise<DiskFile>;
  /** Names of the files in a directory, in no particular order. */
  list(directory: string): Promise<readonly string[]>;
  /** Takes the place of whatever has the name `to`. Durable after `syncDirectory`. */
  rename(from: string, to: string): Promise<void>;
  /** Durable after `syncDirectory`. */
  unlink(path: string): Promise<void>;
  /** Makes a directory and those above it where they are missing, durably. */
  makeDirectory(path: string): Promise<void>;
  /** Makes durable which names stand for which files in a directory. */
  syncDirectory(path: string): Promise<void>;
}

export type OpenMode = 'read' | 'update' | 'synced' | 'create';

/** An open file. Offsets and lengths are in bytes. */
export interface DiskFile {
  /** Fills `target` from `position` on; answers how many bytes there were: fewer than asked only at the end. */
  read(target: Uint8Array, position: number): Promise<number>;
  /**
   * Writes all chunks, one behind the other, from `position` on. When it rejects, any part of them may
   * have been written.
   */
  write(chunks: readonly Uint8Array[], position: number): Promise<void>;
  /** Waits until everything written before, and the length, is on stable storage. */
  fdatasync(): Promise<void>;
  /** As `fdatasync`, with the times and all the rest that the file system knows of the file. */
  fsync(): Promise<void>;
  /** Cuts or lengthens (with zeros) the file. */
  truncate(length: number): Promise<void>;
  size(): Promise<number>;
  close(): Promise<void>;
}

/** Whether an operation failed because there is no such file. */
export function isNotFound(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

/** Whether an operation failed because the medium did not give what is on it. */
export function isReadFailure(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'EIO';
}

/** The whole content of a file; `undefined` when there is no such file. */
export async function readFile(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  let file: DiskFile;
  try {
    file = await disk.open(path, 'read');
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
  try {
    const bytes = new Uint8Array(await file.size());
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}

/**
 * Puts `bytes` at `path`, durably and at once: whoever opens the path, also after a power cut in the
 * middle, finds either what was there before or all of `bytes`. A leftover `<path>.tmp` is overwritten, and
 * removed after a failure.
 */
export async function writeFileAtomically(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  await replaceFileAtomically(disk, path, (file) => file.write([bytes], 0));
}

/** As `writeFileAtomically`, for content that is written piece by piece by `fill`. */
export async function replaceFileAtomically(
  disk: Disk,
  path: string,
  fill: (file: DiskFile) => Promise<void>,
): Promise<void> {
  const temporary = `${path}.tmp`;
  try {
    const file = await disk.open(temporary, 'create');
    try {
      await fill(file);
      await file.fsync();
    } finally {
      await file.close();
    }
    await disk.rename(temporary, path);
  } catch (error) {
    // On a full disk it may have taken the last room there was.
    await Promise.allSettled([disk.unlink(temporary)]);
    throw error;
  }
  await disk.syncDirectory(posix.dirname(path));
}

/**
 * Cuts a file to a length, durably, whatever was done to it before. The way over another length is what tells the
 * system that there is something to do: if an earlier sync has failed, it may take the length that it shows for the
 * one on the disk. Eight zero bytes mean the end of the records, should it stay that way.
 */
export async function cutDurably(file: DiskFile, length: number): Promise<void> {
  await file.truncate(length + 8);
  await file.truncate(length);
  await file.fsync();
}

/** Unlinks a file; that there is none is fine. */
export async function unlinkIfThere(disk: Disk, path: string): Promise<void> {
  try {
    await disk.unlink(path);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
