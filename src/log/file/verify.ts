import { Core } from '../../core/core.js';
import { LogError } from '../log.js';
import { type DirectoryListing, listDirectory } from './directory-listing.js';
import { type Disk, type DiskFile, isNotFound } from './disk.js';
import { messageOf } from './failures.js';
import { checkIndex } from './index-check.js';
import { NodeDisk } from './node-disk.js';
import { walkOpenEnded } from './open-ended-walk.js';
import { endOfNonZeros, findRecord } from './record-search.js';
import type { Segment } from './segment.js';
import { HEADER_BYTES } from './segment-header.js';
import { LiveIndex } from './segment-index.js';
import { loadSegment, withFile } from './segment-load.js';
import { indexName, segmentName } from './segment-name.js';
import { type WalkEnd, type WalkedRecords, type WalkStart, walkRecords } from './segment-walk.js';

export interface Problem {
  readonly file: string;
  /** In bytes from the start of the file. */
  readonly offset: number;
  readonly what: string;
  /** The versions that cannot be read because of it, as far as that is known. */
  readonly versions?: { readonly first: number; readonly last: number | undefined };
}

export interface VerifyReport {
  readonly segments: number;
  readonly records: number;
  /** Bytes of headers and sound records. */
  readonly bytes: number;
  /** The versions held; 0 and 0 in an empty log. */
  readonly firstVersion: number;
  readonly lastVersion: number;
  /** Bytes at the end of the newest segment that were never synced: the next start cuts them off. No problem. */
  readonly unsyncedTailBytes: number;
  readonly problems: readonly Problem[];
}

/**
 * Goes through a whole log, record by record, and says what it found. Only reads, and needs no lock: it does no harm
 * to a running server, and takes nothing that one does meanwhile for a problem.
 * @param write takes the report, one line at a time, without line ends.
 */
export async function verifyLog(
  directory: string,
  write: (line: string) => void,
  disk: Disk = new NodeDisk(),
): Promise<VerifyReport> {
  return await new Verification(disk, directory, write).run();
}

/** What is known of a segment before its records are read. */
interface Opened {
  readonly firstVersion: number;
  /** `undefined` when its header is not sound. */
  readonly segment: Segment | undefined;
}

/** What its records say. */
interface Walked {
  readonly records: number;
  readonly bytes: number;
  readonly lastVersion: number;
  readonly lastTimestampMs: number;
  readonly live: LiveIndex;
  readonly isSound: boolean;
}

class Verification {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #write: (line: string) => void;
  readonly #problems: Problem[] = [];
  #core = Core.load();
  #records = 0;
  #bytes = 0;
  #firstVersion = 0;
  #lastVersion = 0;
  #unsyncedTailBytes = 0;

  constructor(disk: Disk, directory: string, write: (line: string) => void) {
    this.#disk = disk;
    this.#directory = directory;
    this.#write = write;
  }

  async run(): Promise<VerifyReport> {
    const listing = await listDirectory(this.#disk, this.#directory);
    const opened = await this.#openAll(listing);
    const hashKey = opened.find(({ segment }) => segment !== undefined)?.segment?.header.hashKey;
    if (hashKey !== undefined) this.#core = Core.load({ hashKey });
    for (const [index, one] of opened.entries()) {
      if (one.segment !== undefined) this.#checkHashKey(opened[index - 1], one);
      await this.#verifySegment(one, opened[index + 1], listing);
    }
    const present = new Set(listing.segments);
    for (const orphan of listing.indexes) {
      if (present.has(orphan) || orphan < (listing.segments[0] ?? 0)) continue;
      this.#problem({ file: indexName(orphan), offset: 0, what: 'the segment of this index is missing' });
    }
    return this.#summary(opened.length);
  }

  #summary(segments: number): VerifyReport {
    const held = this.#records > 0 ? `versions ${this.#firstVersion} to ${this.#lastVersion}` : 'no versions';
    const found = this.#problems.length === 0 ? 'no problems' : `${this.#problems.length} problem(s)`;
    this.#write(
      `${segments} segment(s), ${this.#records} record(s), ${this.#bytes} bytes, ${held}: ${found}`,
    );
    return {
      segments,
      records: this.#records,
      bytes: this.#bytes,
      firstVersion: this.#firstVersion,
      lastVersion: this.#lastVersion,
      unsyncedTailBytes: this.#unsyncedTailBytes,
      problems: this.#problems,
    };
  }

  async #openAll({ segments }: DirectoryListing): Promise<Opened[]> {
    const opened: Opened[] = [];
    for (const firstVersion of segments) {
      try {
        const segment = await loadSegment(this.#disk, this.#core, this.#directory, firstVersion);
        opened.push({ firstVersion, segment });
      } catch (error) {
        // Truncated, or replaced by the first segment of a new term, since the directory was listed.
        if (isNotFound(error)) continue;
        if (!(error instanceof LogError)) throw error;
        this.#problem({ file: segmentName(firstVersion), offset: 0, what: error.message });
        opened.push({ firstVersion, segment: undefined });
      }
    }
    return opened;
  }

  #checkHashKey(before: Opened | undefined, { segment, firstVersion }: Opened): void {
    const expected = before?.segment?.header.hashKey;
    if (expected?.some((byte, index) => byte !== segment?.header.hashKey[index])) {
      const what = 'its hash key is not that of the segment before';
      this.#problem({ file: segmentName(firstVersion), offset: 0, what });
    }
  }

  async #verifySegment(one: Opened, next: Opened | undefined, listing: DirectoryListing): Promise<void> {
    const { firstVersion, segment } = one;
    const file = segmentName(firstVersion);
    const hasIndex = listing.indexes.has(firstVersion);
    const problemsBefore = this.#problems.length;
    const lastExpected = next?.segment?.header.prevVersion;
    const isOpen = next === undefined && !hasIndex;
    let walked: Walked;
    try {
      walked = await withFile(this.#disk, `${this.#directory}/${file}`, 'read', (opened) =>
        this.#walk(opened, one, isOpen, lastExpected),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#write(`${file}: removed meanwhile`);
      return;
    }
    const chainVersion = walked.records > 0 ? walked.lastVersion : (segment?.header.prevVersion ?? 0);
    if (walked.isSound && lastExpected !== undefined && chainVersion !== lastExpected) {
      const versions = { first: chainVersion + 1, last: lastExpected };
      this.#problem({ file, offset: walked.bytes, what: 'the log goes on behind a hole', versions });
    }
    if (hasIndex && segment !== undefined && walked.isSound) await this.#verifyIndex(segment, walked);
    const leader = segment === undefined ? '' : `, leader ${segment.header.leaderId}`;
    const held = walked.records > 0 ? `versions ${firstVersion} to ${walked.lastVersion}` : 'no records';
    const problems = this.#problems.length - problemsBefore;
    const state = `${hasIndex ? 'sealed' : 'not sealed'}, ${problems === 0 ? 'ok' : `${problems} problem(s)`}`;
    this.#write(`${file}: ${held}, ${walked.records} record(s), ${walked.bytes} bytes${leader}, ${state}`);
  }

  /** Goes on behind every fault with the next record that can be read. */
  async #walk(
    file: DiskFile,
    { firstVersion, segment }: Opened,
    isOpen: boolean,
    lastExpected: number | undefined,
  ): Promise<Walked> {
    const name = segmentName(firstVersion);
    const live = new LiveIndex(firstVersion);
    const problemsBefore = this.#problems.length;
    let records = 0;
    let bytes = HEADER_BYTES;
    let lastVersion = firstVersion - 1;
    let lastTimestampMs = segment?.header.prevTimestampMs ?? 0;
    const visit = (walked: WalkedRecords): void => {
      for (let index = 0; index < walked.count; index += 1) {
        const timestampMs = walked.scan.timestampsMs[index]!;
        if (timestampMs < lastTimestampMs) {
          const offset = walked.base + walked.scan.offsets[index]!;
          this.#problem({
            file: name,
            offset,
            what: `the time of version ${walked.scan.versions[index]} goes back`,
          });
        }
        lastTimestampMs = timestampMs;
      }
      live.addWalked(walked);
      records += walked.count;
      bytes += walked.bytes.length;
      lastVersion = walked.lastVersion;
    };

    let start: WalkStart | undefined = {
      offset: HEADER_BYTES,
      version: firstVersion,
      prevVersion: segment?.header.prevVersion,
    };
    while (start !== undefined) {
      const from: WalkStart = start;
      const { end, tail } = isOpen
        ? await walkOpenEnded(this.#core, file, from, visit)
        : { end: await walkRecords(this.#core, file, from, visit), tail: undefined };
      if (end.fault === undefined) break;
      if (tail !== undefined && tail.proof === undefined) {
        await this.#noteTail(file, name, end);
        break;
      }
      start = await this.#resume(file, end);
      const last = start === undefined ? lastExpected : start.version - 1;
      const versions = { first: end.version, last };
      this.#problem({ file: name, offset: end.offset, what: end.fault.what, versions });
    }
    this.#records += records;
    this.#bytes += bytes;
    if (this.#firstVersion === 0 && records > 0) this.#firstVersion = firstVersion;
    if (records > 0) this.#lastVersion = lastVersion;
    const isSound = this.#problems.length === problemsBefore;
    return { records, bytes, lastVersion, lastTimestampMs, live, isSound };
  }

  async #noteTail(file: DiskFile, name: string, { offset, fileBytes }: WalkEnd): Promise<void> {
    this.#unsyncedTailBytes = (await endOfNonZeros(file, offset, fileBytes)) - offset;
    this.#write(`${name}: ${this.#unsyncedTailBytes} unsynced bytes behind offset ${offset}`);
  }

  async #resume(file: DiskFile, end: WalkEnd): Promise<WalkStart | undefined> {
    const isThere = end.fault?.breaksChain === true;
    const found = isThere
      ? await findRecord(this.#core, file, end.offset, end.fileBytes)
      : await findRecord(this.#core, file, end.offset + 8, end.fileBytes, end);
    return found && { offset: found.offset, version: found.version, prevVersion: undefined };
  }

  async #verifyIndex(segment: Segment, walked: Walked): Promise<void> {
    segment.lastVersion = walked.lastVersion;
    segment.lastTimestampMs = walked.lastTimestampMs;
    segment.bytes = walked.bytes;
    const file = indexName(segment.firstVersion);
    try {
      const what = await checkIndex(this.#disk, this.#core, segment, walked.live);
      if (what !== undefined) this.#problem({ file, offset: 0, what });
    } catch (error) {
      if (isNotFound(error)) return;
      this.#problem({ file, offset: 0, what: messageOf(error) });
    }
  }

  #problem(problem: Problem): void {
    this.#problems.push(problem);
    const { file, offset, what, versions } = problem;
    const range =
      versions === undefined ? '' : ` (versions ${versions.first} to ${versions.last ?? 'the end'})`;
    this.#write(`PROBLEM ${file}, offset ${offset}: ${what}${range}`);
  }
}
