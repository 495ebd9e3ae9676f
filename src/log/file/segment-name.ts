/** The names that the log gives its files. Fixed width, so that names sort as versions do. */

/** The segment that is being filled with zeros ahead of need. */
export const PREPARED_NAME = 'next.tmp';

const SEGMENT_NAME = /^(\d{20})\.segment$/;
const INDEX_NAME = /^(\d{20})\.index$/;

/** @param firstVersion the lowest version that can stand in the segment. */
export function segmentName(firstVersion: number): string {
  return `${String(firstVersion).padStart(20, '0')}.segment`;
}

/** The name of the index that lies beside a segment. */
export function indexName(firstVersion: number): string {
  return `${String(firstVersion).padStart(20, '0')}.index`;
}

/** The version that a segment's name states; `undefined` for other files. */
export function versionOfSegmentName(name: string): number | undefined {
  return versionIn(SEGMENT_NAME, name);
}

/** The version that an index's name states; `undefined` for other files. */
export function versionOfIndexName(name: string): number | undefined {
  return versionIn(INDEX_NAME, name);
}

/** Files that were being written when the process ended; nothing refers to them. */
export function isLeftover(name: string): boolean {
  return name === PREPARED_NAME || (name.endsWith('.tmp') && INDEX_NAME.test(name.slice(0, -4)));
}

function versionIn(pattern: RegExp, name: string): number | undefined {
  const digits = pattern.exec(name)?.[1];
  const version = Number(digits);
  return digits !== undefined && Number.isSafeInteger(version) ? version : undefined;
}
