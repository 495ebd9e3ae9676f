import { Buffer, reserve, setResult } from '../memory/buffers';
import {
  checkRecord,
  Fault,
  isPossibleLength,
  RECORD_HEADER_BYTES,
  recordDurableVersion,
  recordLength,
  recordPrevVersion,
  recordRequestId,
  recordRequestIdLength,
  recordTimestamp,
  recordVersion,
} from './record';
import { sipHash } from './siphash';

/** Why a scan stopped. Its twin is `STOPS` in src/core/scan.ts. */
enum Stop {
  End = 0,
  Exhausted = 1,
  Partial = 2,
  Damaged = 3,
}

/** Before its length is known a record needs this many bytes. */
const LENGTH_KNOWN_BYTES: usize = 8;
const OUT_OF_MEMORY: i32 = -1;

/**
 * Walks the records from `start` and checks each of them. Fills a table of columns, each with room for
 * `capacity` rows: f64 version, f64 version before, f64 durable version, f64 timestamp, u64 hash of the
 * request ID, u32 offset.
 *
 * Results: 0 why it stopped, 1 at which offset, 2 bytes needed from there, 3 what is wrong there,
 * 4 address of the table, 5 capacity. The twin of this list is `Result` in src/core/scan.ts.
 * @param recordBytesMax a record that claims more is damaged.
 * @returns the number of records, or -1 when there is no room for the table.
 */
export function scan(start: usize, length: usize, recordBytesMax: u32): i32 {
  const capacity = length / RECORD_HEADER_BYTES;
  const table = reserve(Buffer.Table, <u64>capacity * 44);
  if (table == 0) return OUT_OF_MEMORY;

  const end = start + length;
  let stop = Stop.Exhausted;
  let fault = Fault.None;
  let needed: usize = 0;
  let at = start;
  let count: usize = 0;
  while (at < end) {
    const available = end - at;
    if (available < LENGTH_KNOWN_BYTES) {
      stop = Stop.Partial;
      needed = LENGTH_KNOWN_BYTES;
      break;
    }
    if (load<u64>(at) == 0) {
      stop = Stop.End;
      break;
    }
    const claimed = recordLength(at);
    const possible = isPossibleLength(claimed) && claimed <= recordBytesMax;
    if (possible && claimed > available) {
      stop = Stop.Partial;
      needed = claimed;
      break;
    }
    fault = possible ? checkRecord(at) : Fault.Length;
    if (fault != Fault.None) {
      stop = Stop.Damaged;
      break;
    }
    store<f64>(column(table, capacity, 0) + (count << 3), <f64>recordVersion(at));
    store<f64>(column(table, capacity, 1) + (count << 3), <f64>recordPrevVersion(at));
    store<f64>(column(table, capacity, 2) + (count << 3), <f64>recordDurableVersion(at));
    store<f64>(column(table, capacity, 3) + (count << 3), <f64>recordTimestamp(at));
    const hash = sipHash(recordRequestId(at), recordRequestIdLength(at));
    store<u64>(column(table, capacity, 4) + (count << 3), hash);
    store<u32>(column(table, capacity, 5) + (count << 2), at - start);
    count++;
    at += claimed;
  }
  setResult(0, stop);
  setResult(1, at - start);
  setResult(2, needed);
  setResult(3, fault);
  setResult(4, table);
  setResult(5, capacity);
  return <i32>count;
}

/** All columns before the last are 8 bytes wide. */
function column(table: usize, capacity: usize, index: usize): usize {
  return table + ((capacity * index) << 3);
}
