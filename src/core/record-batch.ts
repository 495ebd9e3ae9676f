/** Encoded records of consecutively accepted transactions of one term, ready for the log. */
export interface RecordBatch {
  /** The records, one after the other, each padded to a multiple of 8 bytes. Never changed afterwards. */
  readonly bytes: Uint8Array;
  /** Where each record starts in `bytes`. */
  readonly offsets: Uint32Array;
  /** The hash of each record's request ID: two lanes a record, low then high. */
  readonly requestIdHashes: Uint32Array;
  /** Contiguous: `lastVersion - firstVersion + 1` records. */
  readonly firstVersion: number;
  readonly lastVersion: number;
  /** Time of acceptance of the last record, milliseconds since 1970. */
  readonly lastTimestampMs: number;
}
