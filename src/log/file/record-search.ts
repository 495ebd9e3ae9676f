import type { Core } from '../../core/core.js';
import { RECORD } from '../../core/record-layout.js';
import { shiftChecksum } from './checksum-shift.js';
import type { DiskFile } from './disk.js';

const WINDOW_BYTES = 1 << 22;
/** The next record is most often near. */
const FIRST_WINDOW_BYTES = 1 << 16;
const CHECKSUM_BYTES = 1 << 20;

/** The longest record there can be, in bytes: well above the largest transaction that is accepted. */
export const RECORD_BYTES_MAX = 1 << 28;

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
 * Looks, at every multiple of 8 bytes from `from` to `end`, for records that pass their checksum and, when
 * `missing` is given, can belong to what follows it: versions are contiguous, and each takes the room of a record.
 * So a record of some other log, stored as a value, is hardly ever taken for one of this log. What stands inside of
 * a record that was found is content, not a record.
 *
 * Takes time in proportion to the bytes, whatever they are: a value may be full of heads of records that each claim
 * everything behind them.
 */
export async function* findRecords(
  core: Core,
  file: DiskFile,
  from: number,
  end: number,
  missing?: MissingRecord,
): AsyncGenerator<StrayRecord, undefined> {
  let windowBytes = FIRST_WINDOW_BYTES;
  let at = from;
  while (at + RECORD.headerBytes <= end) {
    const window = new Uint8Array(Math.min(windowBytes, Math.ceil((end - at) / 8) * 8));
    const count = await file.read(window.subarray(0, Math.min(window.length, end - at)), at);
    if (count < RECORD.headerBytes) return;
    const steps = Math.floor((count - RECORD.headerBytes) / RECORD.alignment) + 1;
    const candidates = plausibleRecords(new Uint32Array(window.buffer), steps, at, end, missing);
    at += steps * RECORD.alignment;
    let foundEnd = from;
    for (const record of await wholeRecords(core, file, candidates)) {
      if (record.offset < foundEnd) continue;
      yield record;
      foundEnd = record.offset + record.length;
    }
    at = Math.max(at, foundEnd);
    windowBytes = Math.min(windowBytes * 2, WINDOW_BYTES);
  }
}

/** The first of `findRecords`. */
export async function findRecord(...where: Parameters<typeof findRecords>): Promise<StrayRecord | undefined> {
  for await (const record of findRecords(...where)) return record;
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
  for await (const found of findRecords(core, file, missing.offset, end, missing)) {
    records += 1;
    if (found.durableVersion >= missing.version) return { proof: found, records };
  }
  return { proof: undefined, records };
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
  operationsLength: RECORD.operationsLengthAt / 4,
} as const;

/** Looks like a record, and carries this checksum. */
interface Candidate extends StrayRecord {
  readonly checksum: number;
}

/** Rules out nearly every place without computing a checksum. `at` is where `lanes` stand in the file. */
function plausibleRecords(
  lanes: Uint32Array,
  steps: number,
  at: number,
  end: number,
  missing: MissingRecord | undefined,
): readonly Candidate[] {
  const found: Candidate[] = [];
  for (let step = 0; step < steps; step += 1) {
    const offset = at + step * RECORD.alignment;
    const record = plausibleRecord(lanes, step * 2, Math.min(end - offset, RECORD_BYTES_MAX));
    if (record === undefined || !canFollow(missing, record.version, offset)) continue;
    found.push({ offset, ...record });
  }
  return found;
}

function plausibleRecord(
  lanes: Uint32Array,
  at: number,
  lengthMax: number,
): Omit<Candidate, 'offset'> | undefined {
  const length = lanes[at + lane.length]!;
  if (length < RECORD.headerBytes || length > lengthMax || length % RECORD.alignment !== 0) return undefined;
  const kind = lanes[at + lane.kind]!;
  if ((kind & 0xffff) !== RECORD.kindTransaction) return undefined;
  const used = RECORD.headerBytes + lanes[at + lane.operationsLength]! + (kind >>> 16);
  if (used > length || used + RECORD.alignment <= length) return undefined;
  const version = number53(lanes, at + lane.version);
  if (number53(lanes, at + lane.prevVersion) >= version) return undefined;
  const durableVersion = number53(lanes, at + lane.durableVersion);
  return durableVersion < version ? { length, version, durableVersion, checksum: lanes[at]! } : undefined;
}

function canFollow(missing: MissingRecord | undefined, version: number, offset: number): boolean {
  if (missing === undefined) return true;
  const between = Math.floor((offset - missing.offset) / RECORD.headerBytes);
  return version >= missing.version && version <= missing.version + between;
}

function number53(lanes: Uint32Array, at: number): number {
  return lanes[at + 1]! * 0x1_0000_0000 + lanes[at]!;
}

/** Those that pass their checksum. Reads every byte once, however many of them it belongs to. */
async function wholeRecords(
  core: Core,
  file: DiskFile,
  candidates: readonly Candidate[],
): Promise<readonly StrayRecord[]> {
  const first = candidates[0];
  if (first === undefined) return [];
  const bounds = new Float64Array(candidates.length * 2);
  for (const [index, { offset, length }] of candidates.entries()) {
    bounds[index * 2] = offset + RECORD.lengthAt;
    bounds[index * 2 + 1] = offset + length;
  }
  const sums = await checksumsUpTo(core, file, first.offset, bounds.sort());
  return candidates.filter(({ offset, length, checksum }) => {
    const before = sums.get(offset + RECORD.lengthAt);
    const through = sums.get(offset + length);
    if (before === undefined || through === undefined) return false;
    return (shiftChecksum(before, length - RECORD.lengthAt) ^ through) >>> 0 === checksum;
  });
}

/** The checksums of the bytes from `from` up to each of the ascending `bounds`; of those within the file. */
async function checksumsUpTo(
  core: Core,
  file: DiskFile,
  from: number,
  bounds: Float64Array,
): Promise<ReadonlyMap<number, number>> {
  const sums = new Map<number, number>();
  const last = bounds.at(-1)!;
  const buffer = new Uint8Array(Math.min(CHECKSUM_BYTES, last - from));
  let bytes = buffer.subarray(0, 0);
  let sum = 0;
  for (let at = from, next = 0; next < bounds.length; ) {
    const part = bytes.subarray(0, bounds[next]! - at);
    sum = core.crc32c(part, sum);
    at += part.length;
    bytes = bytes.subarray(part.length);
    for (; bounds[next] === at; next += 1) sums.set(at, sum);
    if (bytes.length > 0 || next === bounds.length) continue;
    bytes = buffer.subarray(0, await file.read(buffer.subarray(0, Math.min(buffer.length, last - at)), at));
    if (bytes.length === 0) return sums;
  }
  return sums;
}
