import { Core } from '../../src/core/core.js';
import { Decider } from '../../src/core/decider.js';
import type { RecordBatch } from '../../src/core/record-batch.js';
import { TransactionPacker } from '../../src/core/transaction-packer.js';

export interface BatchOptions {
  /** The version of the first record. */
  readonly firstVersion: number;
  /** The version before it. */
  readonly prevVersion: number;
  readonly count?: number;
  readonly durableVersion?: number;
  readonly timestampMs?: number;
  /** Bytes of the value that each transaction writes. */
  readonly valueBytes?: number;
  /** What each transaction writes; instead of `valueBytes`. */
  readonly value?: Uint8Array;
  /** Names the transactions: of two batches with different tags, no two records are the same. */
  readonly tag?: string;
  /** The request ID of a version; for tests that need the same twice. */
  readonly requestId?: (version: number) => string;
}

/** Makes record batches as a leader does: with the real encoder. */
export class BatchMaker {
  readonly #packer: TransactionPacker;
  readonly #decider: Decider;

  /** @param hashKey that of the log that the records are for. */
  constructor(hashKey: Uint8Array = new Uint8Array(16)) {
    const core = Core.load({ hashKey });
    this.#packer = new TransactionPacker(core);
    this.#decider = new Decider(core, { windowVersions: 1, conflictBytesMax: 1 << 24, floor: 0 });
  }

  make(options: BatchOptions): RecordBatch {
    const { firstVersion, prevVersion, count = 1, tag = '', valueBytes = 8 } = options;
    const { durableVersion = Math.min(prevVersion, firstVersion - 1), timestampMs = 1_700_000_000_000 } =
      options;
    const { value = new Uint8Array(valueBytes).fill(118) } = options;
    const packed: Uint8Array[] = [];
    for (let version = firstVersion; version < firstVersion + count; version += 1) {
      this.#packer.reset();
      this.#packer.write(new TextEncoder().encode(`key ${version % 1000}`), value);
      packed.push(this.#packer.finish(options.requestId?.(version) ?? requestId(version, tag)));
    }
    this.#decider.reset(0);
    const { records } = this.#decider.decide(packed, {
      firstVersion,
      prevVersion,
      durableVersion,
      timestampMs,
    });
    return records!;
  }
}

/** The request ID that `BatchMaker` gives a version. */
export function requestId(version: number, tag = ''): string {
  return `request-${tag}-${String(version).padStart(12, '0')}`;
}
