/**
 * How a tree is laid out in keys. A path is its raw bytes, relative to the root, with `/` between names; no
 * path has a zero byte, so a zero byte ends it:
 *
 *     path 00                 the entry itself: its kind and size (entry.ts)
 *     path 00 + u32 number    one part of its content, big-endian, from 0
 *
 * So the keys of one path are one range, `path 00` to `path 01`, in the order of the content; everything
 * beneath a directory is one range, `path /` to `path 0`; and since no byte of a path is below 01, keys sort
 * as paths do.
 */

const END = Buffer.from([0]);
const SLASH = 0x2f;

/** Sorts before every path and is none: written last, it says that the tree is complete. */
export const MANIFEST_KEY: Uint8Array = Buffer.from('\0manifest');

export interface KeyRange {
  /** Inclusive. */
  readonly begin: Uint8Array;
  /** Exclusive. */
  readonly end: Uint8Array;
}

export interface TreeKey {
  readonly path: Buffer;
  /** Undefined: the key of the entry itself. */
  readonly part: number | undefined;
}

export function entryKey(path: Uint8Array): Uint8Array {
  return Buffer.concat([path, END]);
}

/** @param part 0 to 2^32 - 1 */
export function partKey(path: Uint8Array, part: number): Uint8Array {
  const number = Buffer.alloc(4);
  number.writeUInt32BE(part);
  return Buffer.concat([path, END, number]);
}

/** All keys of one path: the entry and its parts, of nothing beneath it. */
export function pathRange(path: Uint8Array): KeyRange {
  return { begin: entryKey(path), end: Buffer.concat([path, Buffer.from([1])]) };
}

/** All keys beneath a directory, but not its own. */
export function subtreeRange(path: Uint8Array): KeyRange {
  return {
    begin: Buffer.concat([path, Buffer.from([SLASH])]),
    end: Buffer.concat([path, Buffer.from([SLASH + 1])]),
  };
}

/** @throws {RangeError} when the key is not one of a path that stays inside its tree */
export function decodeKey(key: Uint8Array): TreeKey {
  const bytes = Buffer.from(key.buffer, key.byteOffset, key.length);
  const end = bytes.indexOf(0);
  const rest = bytes.length - end - 1;
  if (end < 1 || (rest !== 0 && rest !== 4))
    throw new RangeError(`not a key of a tree: ${bytes.toString('hex')}`);
  const path = bytes.subarray(0, end);
  for (const name of path.toString('latin1').split('/')) {
    if (name === '' || name === '.' || name === '..') throw new RangeError(`not a path in a tree: ${path}`);
  }
  return { path, part: rest === 0 ? undefined : bytes.readUInt32BE(end + 1) };
}
