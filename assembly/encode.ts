import { requestIdHash } from './codec/packed';
import { encodeRecord } from './codec/record';
import { Buffer, reserve, setResult } from './memory/buffers';
import { transactionAt } from './plan';

/** Encodes the transactions of a batch that were committed as records. */

const RECORD_BYTES_EXTRA: u64 = 64;

let records: usize = 0;
let table: usize = 0;

/** Makes room for the records of a whole batch; without it nothing must be decided. */
export function reserveRecords(batch: usize, count: i32): bool {
  const bytes = <u64>(transactionAt(batch, count) - batch);
  records = reserve(Buffer.Output, bytes + <u64>count * RECORD_BYTES_EXTRA);
  table = reserve(Buffer.Table, <u64>count * 12);
  return records != 0 && table != 0;
}

/**
 * After `reserveRecords` and `decide`, whose verdicts are at `verdicts`.
 *
 * Results: 0 number of records, 1 their address, 2 their length, 3 address of their offsets (u32), 4 address of the
 * hashes of their request IDs (u64). The twin of this list is `Encoded` in src/core/decider.ts.
 */
export function encode(
  batch: usize,
  count: i32,
  verdicts: usize,
  firstVersion: u64,
  prevVersion: u64,
  durableVersion: u64,
  timestampMs: u64,
): void {
  const hashes = table;
  const offsets = table + ((<usize>count) << 3);
  let version = firstVersion;
  let previous = prevVersion;
  let record = records;
  let encoded: usize = 0;
  for (let index = 0; index < count; index++) {
    if (load<u8>(verdicts + index) == 0) continue;
    const transaction = transactionAt(batch, index);
    store<u32>(offsets + (encoded << 2), <u32>(record - records));
    store<u64>(hashes + (encoded << 3), requestIdHash(transaction));
    const end = transactionAt(batch, index + 1);
    record = encodeRecord(record, transaction, end, version, previous, durableVersion, timestampMs);
    previous = version;
    version++;
    encoded++;
  }
  setResult(0, encoded);
  setResult(1, records);
  setResult(2, record - records);
  setResult(3, offsets);
  setResult(4, hashes);
}
