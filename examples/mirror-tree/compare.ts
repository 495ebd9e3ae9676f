import { type FileHandle, open } from 'node:fs/promises';
import { contentSize, encodeEntry } from './entry.js';
import { resolvePath, type TreeEntry, walk } from './walk.js';

const CHUNK = 256 * 1024;

/** Compares two trees entry by entry and byte by byte; the differences in words, none when they are equal. */
export async function compareTrees(left: string, right: string): Promise<string[]> {
  const differences: string[] = [];
  const unmatched = new Map<string, TreeEntry>();
  for await (const found of walk(right)) unmatched.set(found.path.toString('latin1'), found);
  for await (const { path, entry } of walk(left)) {
    const name = path.toString('latin1');
    const other = unmatched.get(name);
    unmatched.delete(name);
    if (other === undefined) differences.push(`${path} is missing in ${right}`);
    else if (Buffer.compare(encodeEntry(entry), encodeEntry(other.entry)) !== 0) {
      differences.push(`${path} is not of the same kind, size, mode or target`);
    } else if (contentSize(entry) > 0 && !(await equalFiles(left, right, path))) {
      differences.push(`${path} has other content`);
    }
  }
  for (const { path } of unmatched.values()) differences.push(`${path} is missing in ${left}`);
  return differences;
}

async function equalFiles(left: string, right: string, path: Buffer): Promise<boolean> {
  const files: FileHandle[] = [];
  try {
    for (const root of [left, right]) files.push(await open(resolvePath(root, path)));
    const [a, b] = files as [FileHandle, FileHandle];
    const [chunkA, chunkB] = [Buffer.alloc(CHUNK), Buffer.alloc(CHUNK)];
    for (;;) {
      const [readA, readB] = [await readFully(a, chunkA), await readFully(b, chunkB)];
      if (readA !== readB || chunkA.compare(chunkB, 0, readB, 0, readA) !== 0) return false;
      if (readA === 0) return true;
    }
  } finally {
    for (const file of files) await file.close();
  }
}

/** Fills the chunk as far as the file goes; answers the bytes read. */
async function readFully(file: FileHandle, chunk: Buffer): Promise<number> {
  let filled = 0;
  while (filled < chunk.length) {
    const { bytesRead } = await file.read(chunk, filled, chunk.length - filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
