import type { Core } from './core.js';
import { checkUint53 } from './version.js';

/** Whole, undamaged records from the start of some bytes; index i of each array is the i-th of them. */
export interface RecordScan {
  readonly count: number;
  /** Where each record starts. */
  readonly offsets: Uint32Array;
  readonly versions: Float64Array;
  readonly prevVersions: Float64Array;
  readonly durableVersions: Float64Array;
  readonly timestampsMs: Float64Array;
  /** The hash of each record's request ID under the core's key: two lanes a record, low then high. */
  readonly requestIdHashes: Uint32Array;
  /**
   * Why the scan stopped at `stopOffset`:
   * `end`: eight zero bytes stand there; `exhausted`: the bytes end there;
   * `partial`: a record starts there that is longer than the bytes given;
   * `damaged`: what stands there is no record, or not the one that was written.
   */
  readonly stop: 'end' | 'exhausted' | 'partial' | 'damaged';
  readonly stopOffset: number;
  /** After `partial`: how many bytes from `stopOffset` the record claims, at least 8. Else 0. */
  readonly bytesNeeded: number;
  /** After `damaged`: what is wrong. */
  readonly fault: 'length' | 'checksum' | 'kind' | 'layout' | undefined;
}

/** Its twin is `Stop` in assembly/codec/scan.ts. */
const STOPS = ['end', 'exhausted', 'partial', 'damaged'] as const;
/** Its twin is `Fault` in assembly/codec/record.ts. */
const FAULTS = [undefined, 'length', 'checksum', 'kind', 'layout'] as const;
const RECORD_BYTES_MAX = 0x7fff_fff8;
/** Where `scan` in assembly/codec/scan.ts leaves its results, in units of 4 bytes. */
const Result = { stop: 0, stopOffset: 1, bytesNeeded: 2, fault: 3, rowsAt: 4, rowsCapacity: 5 } as const;

/**
 * Walks records from the start of `bytes` and checks the checksum of each.
 * @param bytes from the start of a record; at most about 1 GiB.
 * @param options.recordBytesMax a record that claims more is `damaged` instead of `partial`.
 * @throws RangeError when that option is no integer from 0 to 2^53 - 1, or when the bytes do not fit into
 *   the memory of the core.
 */
export function scanRecords(
  core: Core,
  bytes: Uint8Array,
  options: { readonly recordBytesMax?: number } = {},
): RecordScan {
  const { wasm } = core;
  const { recordBytesMax = RECORD_BYTES_MAX } = options;
  checkUint53(recordBytesMax, 'recordBytesMax');
  const input = wasm.reserveInput(bytes.length);
  wasm.bytes.set(bytes, input);
  const count = wasm.exports.scan(input, bytes.length, Math.min(recordBytesMax, RECORD_BYTES_MAX));
  if (count < 0) throw new RangeError(`no room to scan ${bytes.length} bytes in the core's memory`);

  const memory = wasm.bytes;
  const capacity = wasm.result(Result.rowsCapacity);
  let columnAt = wasm.result(Result.rowsAt);
  const column = (width: number): ArrayBufferLike => {
    const copy = memory.slice(columnAt, columnAt + width * count).buffer;
    columnAt += width * capacity;
    return copy;
  };
  return {
    count,
    versions: new Float64Array(column(8)),
    prevVersions: new Float64Array(column(8)),
    durableVersions: new Float64Array(column(8)),
    timestampsMs: new Float64Array(column(8)),
    requestIdHashes: new Uint32Array(column(8)),
    offsets: new Uint32Array(column(4)),
    stop: STOPS[wasm.result(Result.stop)]!,
    stopOffset: wasm.result(Result.stopOffset),
    bytesNeeded: wasm.result(Result.bytesNeeded),
    fault: FAULTS[wasm.result(Result.fault)],
  };
}
