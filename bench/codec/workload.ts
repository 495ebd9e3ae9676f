import { Core } from '../../src/core/core.js';
import { Decider } from '../../src/core/decider.js';
import type { RecordBatch } from '../../src/core/record-batch.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';
import { SplitMix } from '../splitmix.js';

/** The transactions of one size, in each form that is measured. */
export interface Workload {
  /** Bytes of each value; keys have 16. */
  readonly valueBytes: number;
  readonly count: number;
  /** As the leader takes them. */
  readonly packed: readonly Uint8Array[];
  /** As JavaScript would hold them. */
  readonly objects: readonly PlainTransaction[];
  readonly records: RecordBatch;
}

export interface PlainTransaction {
  readonly requestId: string;
  readonly version: number;
  readonly prevVersion: number;
  readonly timestamp: string;
  readonly leaderId: string;
  readonly operations: readonly { readonly type: 'write'; readonly key: Buffer; readonly value: Buffer }[];
}

export const LEADER_ID = 'DjsNl4KB2Etz1LS9E-IxvQ';
/** Of the records of one measurement, so that they stay in the cache at no size. */
const BYTES = 2 ** 23;
const TIMESTAMP_MS = Date.UTC(2026, 0, 1);
const WINDOW_VERSIONS = 1000;

/** A core whose decider is at the beginning. */
export function freshDecider(): { core: Core; decider: Decider } {
  const core = Core.load();
  const options = { windowVersions: WINDOW_VERSIONS, conflictBytesMax: 2 ** 26, floor: 0 };
  return { core, decider: new Decider(core, options) };
}

/** The stamp of the batch that begins behind `version`. */
export const stampAfter = (version: number) => ({
  firstVersion: version + 1,
  prevVersion: version,
  durableVersion: version,
  timestampMs: TIMESTAMP_MS,
});

/** Writes of values of `valueBytes` bytes under keys of 16. */
export function workloadOf(valueBytes: number): Workload {
  const { core, decider } = freshDecider();
  const packer = new TransactionPacker(core);
  const count = Math.max(16, Math.floor(BYTES / (valueBytes + 150)));
  const packed: Uint8Array[] = [];
  const objects: PlainTransaction[] = [];
  for (let index = 0; index < count; index += 1) {
    const key = bytesOf(index, 16);
    const value = bytesOf(index + count, valueBytes);
    const requestId = `${index}`.padStart(36, '0');
    packer.reset();
    packer.write(key, value);
    packed.push(packer.finish(requestId));
    objects.push({
      requestId,
      version: index + 1,
      prevVersion: index,
      timestamp: new Date(TIMESTAMP_MS).toISOString(),
      leaderId: LEADER_ID,
      operations: [{ type: 'write', key, value }],
    });
  }
  const { records } = decider.decide(packed, stampAfter(0));
  if (records === undefined) throw new Error('nothing committed');
  return { valueBytes, count, packed, objects, records };
}

/** Bytes that look random and are the same in every run. */
function bytesOf(seed: number, length: number): Buffer {
  const numbers = new SplitMix(seed);
  const bytes = Buffer.allocUnsafe(length);
  for (let at = 0; at < length; at += 1) {
    numbers.next();
    bytes[at] = numbers.low;
  }
  return bytes;
}
