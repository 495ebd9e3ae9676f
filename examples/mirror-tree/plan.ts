import { contentSize } from './entry.js';
import type { TreeEntry } from './walk.js';

/** A run of one entry's content, which goes into one key. */
export interface Piece extends TreeEntry {
  readonly part: number;
  readonly offset: number;
  /** 0 for what has no content: then there is no key for it. */
  readonly length: number;
  /** With the last piece the entry itself is written, so that a file is never there without its content. */
  readonly last: boolean;
}

/** The pieces of one transaction. */
export type Step = readonly Piece[];

/** Transactions that have to follow one another. */
export type Job = readonly Step[];

/** Content of one part. In base64 it leaves room for the keys in a request of 1 MiB. */
export const PART_BYTES = 700 * 1024;

/** Small entries share a transaction: up to so many of them, and so many bytes of content. */
export const SHARED_ENTRIES = 16;
export const SHARED_BYTES = 128 * 1024;

/** Parts the work among transactions: each large file is a job of its own, small ones come together. */
export async function plan(entries: AsyncIterable<TreeEntry>): Promise<Job[]> {
  const jobs: Job[] = [];
  let shared: Piece[] = [];
  let sharedBytes = 0;
  for await (const found of entries) {
    const length = contentSize(found.entry);
    if (length > SHARED_BYTES) {
      jobs.push(split(found, length).map((piece) => [piece]));
      continue;
    }
    if (shared.length === SHARED_ENTRIES || sharedBytes + length > SHARED_BYTES) {
      jobs.push([shared]);
      shared = [];
      sharedBytes = 0;
    }
    shared.push({ ...found, part: 0, offset: 0, length, last: true });
    sharedBytes += length;
  }
  if (shared.length > 0) jobs.push([shared]);
  return jobs;
}

function split(found: TreeEntry, size: number): Piece[] {
  return Array.from({ length: Math.ceil(size / PART_BYTES) }, (_, part) => {
    const offset = part * PART_BYTES;
    const length = Math.min(PART_BYTES, size - offset);
    return { ...found, part, offset, length, last: offset + length === size };
  });
}
