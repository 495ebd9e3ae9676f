import type { Core } from '../../core/core.js';
import { type RecordScan, scanRecords } from '../../core/scan.js';
import type { DiskFile } from './disk.js';
import { endOfNonZeros, RECORD_BYTES_MAX } from './record-search.js';
import { HEADER_BYTES, type SegmentHeader } from './segment-header.js';

const CHUNK_BYTES = 1 << 20;

/** Some whole, undamaged records of a segment, chained to those before. Valid during the call only. */
export interface WalkedRecords {
  /** Where `bytes` stand in the segment; `scan.offsets` count from there. */
  readonly base: number;
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly firstVersion: number;
  readonly lastVersion: number;
  /** `scan` may hold more than the first `count` records: those behind break the chain. */
  readonly scan: RecordScan;
}

/** Where a walk starts. */
export interface WalkStart {
  readonly offset: number;
  /** The version that stands there. */
  readonly version: number;
  /** The version before it; `undefined` when it is not known. */
  readonly prevVersion: number | undefined;
}

export interface WalkEnd {
  /** Where the good records end. */
  readonly offset: number;
  /** The version that should stand there. */
  readonly version: number;
  /** Time of acceptance of the last good record; 0 when there was none. */
  readonly lastTimestampMs: number;
  /** The highest version that the records prove to have been durable. */
  readonly durableVersion: number;
  /** The length of the file when the walk ended. */
  readonly fileBytes: number;
  /** `undefined`: there is nothing but zeros behind the good records. */
  readonly fault: WalkFault | undefined;
}

export interface WalkFault {
  readonly what: string;
  /** The record is whole but does not belong there. That no crash can bring about. */
  readonly breaksChain: boolean;
}

/** Where the records of a segment start. */
export function firstRecord(header: SegmentHeader): WalkStart {
  return { offset: HEADER_BYTES, version: header.versionFloor + 1, prevVersion: header.prevVersion };
}

/** Goes through the records of a segment, one after the other, and checks each, up to the end or the first fault. */
export async function walkRecords(
  core: Core,
  file: DiskFile,
  start: WalkStart,
  visit: (records: WalkedRecords) => void | Promise<void>,
): Promise<WalkEnd> {
  let { offset, version, prevVersion } = start;
  let lastTimestampMs = 0;
  let durableVersion = 0;
  let fileBytes = await file.size();
  let buffer = new Uint8Array(Math.min(CHUNK_BYTES, Math.max(fileBytes - offset, 0)));
  const ended = (fault?: WalkFault): WalkEnd => {
    return { offset, version, lastTimestampMs, durableVersion, fileBytes, fault };
  };

  while (offset < fileBytes) {
    const asked = Math.min(buffer.length, fileBytes - offset);
    const bytes = buffer.subarray(0, await file.read(buffer.subarray(0, asked), offset));
    if (bytes.length < asked) fileBytes = offset + bytes.length;
    const recordBytesMax = Math.min(fileBytes - offset, RECORD_BYTES_MAX);
    const scan = scanRecords(core, bytes, { recordBytesMax });
    const broken = chainBreak(scan, version, prevVersion);
    const count = broken?.index ?? scan.count;
    const end = broken === undefined ? scan.stopOffset : scan.offsets[count]!;
    if (count > 0) {
      const lastVersion = scan.versions[count - 1]!;
      const base = offset;
      await visit({ base, bytes: bytes.subarray(0, end), count, firstVersion: version, lastVersion, scan });
      prevVersion = lastVersion;
      version = lastVersion + 1;
      lastTimestampMs = scan.timestampsMs[count - 1]!;
      for (let index = 0; index < count; index += 1) {
        durableVersion = Math.max(durableVersion, scan.durableVersions[index]!);
      }
      offset += end;
    }
    if (broken !== undefined) return ended({ what: broken.what, breaksChain: true });
    switch (scan.stop) {
      case 'exhausted':
        break;
      case 'partial':
        if (offset + scan.bytesNeeded > fileBytes) {
          return ended({ what: 'the file ends inside of a record', breaksChain: false });
        }
        if (scan.bytesNeeded > buffer.length) buffer = new Uint8Array(scan.bytesNeeded);
        break;
      case 'damaged':
        return ended({ what: `there is no sound record (${scan.fault})`, breaksChain: false });
      case 'end': {
        const used = await endOfNonZeros(file, offset, fileBytes);
        if (used === offset) return ended();
        return ended({ what: `zeros, and other bytes behind them up to ${used}`, breaksChain: false });
      }
    }
  }
  return ended();
}

/** The first record that does not continue the chain. */
function chainBreak(
  scan: RecordScan,
  firstVersion: number,
  firstPrevVersion: number | undefined,
): { readonly index: number; readonly what: string } | undefined {
  let version = firstVersion;
  let prevVersion = firstPrevVersion;
  for (let index = 0; index < scan.count; index += 1) {
    const found = scan.versions[index]!;
    if (found !== version) {
      return { index, what: `the record has version ${found} where ${version} should stand` };
    }
    const foundPrev = scan.prevVersions[index]!;
    if (prevVersion !== undefined && foundPrev !== prevVersion) {
      return { index, what: `version ${found} names ${foundPrev} as the one before, not ${prevVersion}` };
    }
    if (scan.durableVersions[index]! >= found) {
      return {
        index,
        what: `version ${found} states that ${scan.durableVersions[index]} was durable before it`,
      };
    }
    prevVersion = found;
    version += 1;
  }
  return undefined;
}
