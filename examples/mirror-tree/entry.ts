/** What stands at one path of a tree. */
export type Entry =
  | { readonly kind: 'file'; readonly size: number; readonly executable: boolean }
  | { readonly kind: 'link'; readonly target: Uint8Array }
  | { readonly kind: 'directory' };

const FILE = 0x66;
const EXECUTABLE = 0x78;
const LINK = 0x6c;
const DIRECTORY = 0x64;

/** Bytes of a file's content; what else there is has none. */
export function contentSize(entry: Entry): number {
  return entry.kind === 'file' ? entry.size : 0;
}

/** The letter `f` or `x` and the size as a big-endian u64; or `l` and the target; or `d`. */
export function encodeEntry(entry: Entry): Uint8Array {
  switch (entry.kind) {
    case 'file': {
      const value = Buffer.alloc(9);
      value[0] = entry.executable ? EXECUTABLE : FILE;
      value.writeBigUInt64BE(BigInt(entry.size), 1);
      return value;
    }
    case 'link':
      return Buffer.concat([Buffer.from([LINK]), entry.target]);
    case 'directory':
      return Buffer.from([DIRECTORY]);
  }
}

/** @throws {RangeError} when the value is not that of an entry */
export function decodeEntry(value: Uint8Array): Entry {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length);
  const [code] = bytes;
  if ((code === FILE || code === EXECUTABLE) && bytes.length === 9) {
    return { kind: 'file', size: Number(bytes.readBigUInt64BE(1)), executable: code === EXECUTABLE };
  }
  if (code === LINK && bytes.length > 1) return { kind: 'link', target: bytes.subarray(1) };
  if (code === DIRECTORY && bytes.length === 1) return { kind: 'directory' };
  throw new RangeError(`not an entry: ${bytes.toString('hex')}`);
}
