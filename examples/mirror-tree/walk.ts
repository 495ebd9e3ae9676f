import { lstat, readdir, readlink } from 'node:fs/promises';
import type { Entry } from './entry.js';

/** An entry with its path: raw bytes, relative to the root, since file names need not be UTF-8. */
export interface TreeEntry {
  readonly path: Buffer;
  readonly entry: Entry;
}

const SLASH = Buffer.from('/');

/** The path of an entry in the file system. */
export function resolvePath(root: string, path: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(root), SLASH, path]);
}

/**
 * All entries beneath `root`, without it: files, symbolic links (which are not followed) and directories.
 * Sockets, pipes and devices are left out. A directory comes before what is in it.
 */
export async function* walk(root: string, directory?: Buffer): AsyncGenerator<TreeEntry, void, undefined> {
  const here = directory === undefined ? root : resolvePath(root, directory);
  const names = await readdir(here, { encoding: 'buffer' });
  for (const name of names.sort(Buffer.compare)) {
    const path = directory === undefined ? name : Buffer.concat([directory, SLASH, name]);
    const entry = await inspect(resolvePath(root, path));
    if (entry !== undefined) yield { path, entry };
    if (entry?.kind === 'directory') yield* walk(root, path);
  }
}

async function inspect(path: Buffer): Promise<Entry | undefined> {
  const stats = await lstat(path);
  if (stats.isDirectory()) return { kind: 'directory' };
  if (stats.isSymbolicLink()) return { kind: 'link', target: await readlink(path, { encoding: 'buffer' }) };
  if (!stats.isFile()) return undefined;
  return { kind: 'file', size: stats.size, executable: (stats.mode & 0o100) !== 0 };
}
