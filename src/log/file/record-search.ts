import type { Core } from '../../core/core.js';
import { RECORD } from '../../core/record-layout.js';
import { scanRecords } from '../../core/scan.js';
import type { DiskFile } from './disk.js';

const WINDOW_BYTES = 1 << 20;

/** A whole record that passes its checksum, found by looking for one. */
export interface StrayRecord {
  readonly offset: number;
  readonly length: number;
  readonly version: number;
  readonly durableVersion: number;
}

/** A place where there is no sound record, and the version of the one that should stand there. */
export interface MissingRecord {
  readonly offset: number;
  readonly version: number;
}

/**
 * Looks, at every multiple of 8 bytes from `from` to `end`, for a record that passes its checksum and, when
 * `missing` is given, can belong to what follows it: versions are contiguous, and each takes the room of a record.
 * So a record of some other log, stored as a value, is hardly ever taken for one of this log.
 */
export async function findRecord(
  core: Core,
  file: DiskFile,
  from: number,
  end: number,
  missing?: MissingRecord,
): Promise<StrayRecord | undefined> {
  const window = new Uint32Array(WINDOW_BYTES / 4);
  const windowBytes = new Uint8Array(window.buffer);
  let at = from;
  while (at + RECORD.headerBytes <= end) {
    const count = await file.read(windowBytes.subarray(0, Math.min(WINDOW_BYTES, end - at)), at);
    if (count < RECORD.headerBytes) return undefined;
    const steps = Math.floor((count - RECORD.headerBytes) / RECORD.alignment) + 1;
    for (let step = 0; step < steps; step += 1) {
      const offset = at + step * 8;
      const candidate = plausibleRecord(window, step * 2, end - offset);
      if (candidate === undefined || !canFollow(missing, candidate.version, offset)) continue;
      if (await isWhole(core, file, offset, candidate.length)) return { offset, ...candidate };
    }
    at += steps * 8;
  }
  return undefined;
}

/** What is behind the end of the good records of the newest segment. */
export interface Tail {
  /** The first record that shows that what should stand at the end had been synced; damage, then. */
  readonly proof: StrayRecord | undefined;
  /** Whole records in the tail. */
  readonly records: number;
}

/**
 * Judges bytes behind the good records of a segment. A record whose leader knew, when it accepted it, that the
 * missing one was durable proves that it once stood there.
 */
export async function inspectTail(
  core: Core,
  file: DiskFile,
  missing: MissingRecord,
  end: number,
): Promise<Tail> {
  let records = 0;
  let at = missing.offset;
  for (;;) {
    const found = await findRecord(core, file, at, end, missing);
    if (found === undefined) return { proof: undefined, records };
    records += 1;
    if (found.durableVersion >= missing.version) return { proof: found, records };
    // What stands inside of a whole record is content, not a record.
    at = found.offset + found.length;
  }
}

/** Where the last byte that is not zero ends; `from` when there is none up to `end`. */
export async function endOfNonZeros(file: DiskFile, from: number, end: number): Promise<number> {
  const bytes = Buffer.alloc(Math.min(WINDOW_BYTES, end - from));
  const zeros = Buffer.alloc(bytes.length);
  let used = from;
  for (let at = from; at < end; at += bytes.length) {
    const count = await file.read(bytes.subarray(0, Math.min(bytes.length, end - at)), at);
    if (bytes.compare(zeros, 0, count, 0, count) === 0) continue;
    let last = count - 1;
    while (bytes[last] === 0) last -= 1;
    used = at + last + 1;
  }
  return used;
}

const lane = {
  length: RECORD.lengthAt / 4,
  kind: RECORD.kindAt / 4,
  version: RECORD.versionAt / 4,
  prevVersion: RECORD.prevVersionAt / 4,
  durableVersion: RECORD.durableVersionAt / 4,
} as const;

/** Rules out nearly every place without computing a checksum. */
function plausibleRecord(
  lanes: Uint32Array,
  at: number,
  room: number,
): Omit<StrayRecord, 'offset'> | undefined {
  const length = lanes[at + lane.length]!;
  if (length < RECORD.headerBytes || length > room || length % RECORD.alignment !== 0) return undefined;
  if ((lanes[at + lane.kind]! & 0xffff) !== RECORD.kindTransaction) return undefined;
  const version = number53(lanes, at + lane.version);
  if (number53(lanes, at + lane.prevVersion) >= version) return undefined;
  const durableVersion = number53(lanes, at + lane.durableVersion);
  return durableVersion < version ? { length, version, durableVersion } : undefined;
}

function canFollow(missing: MissingRecord | undefined, version: number, offset: number): boolean {
  if (missing === undefined) return true;
  const between = Math.floor((offset - missing.offset) / RECORD.headerBytes);
  return version >= missing.version && version <= missing.version + between;
}

function number53(lanes: Uint32Array, at: number): number {
  return lanes[at + 1]! * 0x1_0000_0000 + lanes[at]!;
}

async function isWhole(core: Core, file: DiskFile, offset: number, length: number): Promise<boolean> {
  const bytes = new Uint8Array(length);
  const count = await file.read(bytes, offset);
  return count === length && scanRecords(core, bytes, { recordBytesMax: length }).count === 1;
}
