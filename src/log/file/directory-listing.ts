import type { Disk } from './disk.js';
import { asLogError } from './failures.js';
import { isLeftover, versionOfIndexName, versionOfSegmentName } from './segment-name.js';

/** The files of the log in a directory. */
export interface DirectoryListing {
  /** First versions of the segments, ascending. */
  readonly segments: readonly number[];
  /** First versions of the segments that have an index file, or had one. */
  readonly indexes: ReadonlySet<number>;
  /** Names of files that an earlier process left unfinished. */
  readonly leftovers: readonly string[];
}

/**
 * Other files than those of the log are none of its business.
 * @throws LogError `storage` when the directory cannot be read.
 */
export async function listDirectory(disk: Disk, directory: string): Promise<DirectoryListing> {
  const names = await disk.list(directory).catch((error: unknown) => {
    throw asLogError(`reading ${directory}`, error);
  });
  const isVersion = (version: number | undefined): version is number => version !== undefined;
  return {
    segments: names
      .map(versionOfSegmentName)
      .filter(isVersion)
      .sort((a, b) => a - b),
    indexes: new Set(names.map(versionOfIndexName).filter(isVersion)),
    leftovers: names.filter(isLeftover).sort(),
  };
}
