import { type Conflict, ConflictSet, type ConflictSetOptions, type PlacedBatch } from './conflict-set.js';
import type { Core } from './core.js';
import type { RecordBatch } from './record-batch.js';
import { checkUint53 } from './version.js';
import type { WasmInstance } from './wasm-instance.js';

export type { Conflict } from './conflict-set.js';

export interface BatchDecision {
  /** One per transaction: `undefined` when it was committed, else what was violated. */
  readonly conflicts: readonly (Conflict | undefined)[];
  /** The records of those that were committed; `undefined` when none was. */
  readonly records: RecordBatch | undefined;
}

export type DeciderOptions = ConflictSetOptions;

/** What a batch is stamped with. */
export interface BatchStamp {
  /** The version of the first transaction that commits; above every version before. */
  readonly firstVersion: number;
  /** The version of the transaction before it. */
  readonly prevVersion: number;
  /** Every version up to this one is on stable storage. */
  readonly durableVersion: number;
  /** Time of acceptance, milliseconds since 1970, before the year 10,000. */
  readonly timestampMs: number;
}

/** Its twin is `TIMESTAMP_MS_END` in assembly/codec/record.ts. */
const TIMESTAMP_MS_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** Where `encode` in assembly/encode.ts leaves its results (in units of 4 bytes). */
const Encoded = { count: 0, recordsAt: 1, recordsLength: 2, offsetsAt: 3, hashesAt: 4 } as const;

/**
 * Decides transactions against the history of recent writes, batch by batch, and encodes those that commit.
 */
export class Decider {
  readonly #wasm: WasmInstance;
  readonly #history: ConflictSet;

  /** @throws as the constructor of {@link ConflictSet} does. */
  constructor(core: Core, options: DeciderOptions) {
    this.#wasm = core.wasm;
    this.#history = new ConflictSet(core, options);
  }

  /** See {@link ConflictSet}. */
  get floor(): number {
    return this.#history.floor;
  }

  /** See {@link ConflictSet}. */
  get entries(): number {
    return this.#history.entries;
  }

  /** See {@link ConflictSet}. */
  get bytes(): number {
    return this.#history.bytes;
  }

  /**
   * Decides the transactions in order, see {@link ConflictSet}. Each that commits takes the next version from
   * `stamp.firstVersion` and is encoded as a record. Their bytes together must stay below 2 GiB.
   * @param batch transactions as `TransactionPacker.finish` returns them.
   * @throws RangeError, with nothing decided, when a transaction is inconsistent in itself, when the
   *   stamp is (versions that do not grow), or when the batch does not fit into memory.
   */
  decide(batch: readonly Uint8Array[], stamp: BatchStamp): BatchDecision {
    const count = batch.length;
    if (count === 0) return { conflicts: [], records: undefined };
    this.#checkStamp(stamp, count);
    const { exports } = this.#wasm;
    const placed = this.#copyIn(batch);
    if (exports.reserveRecords(placed.at, count) === 0) {
      throw new RangeError("no room for the records in the core's memory");
    }
    const committed = this.#history.decideAt(placed, { first: stamp.firstVersion, step: 1 });
    const { conflicts } = this.#history;
    const records = committed === 0 ? undefined : this.#encode(placed, stamp);
    return { conflicts, records };
  }

  /** See {@link ConflictSet}. */
  reset(floor: number): void {
    this.#history.reset(floor);
  }

  /** See {@link ConflictSet}. */
  verify(): void {
    this.#history.verify();
  }

  #checkStamp(stamp: BatchStamp, count: number): void {
    checkUint53(stamp.firstVersion, 'firstVersion');
    checkUint53(stamp.firstVersion + (count - 1), 'the last version of the batch');
    checkUint53(stamp.prevVersion, 'prevVersion');
    checkUint53(stamp.durableVersion, 'durableVersion');
    checkUint53(stamp.timestampMs, 'timestampMs');
    if (stamp.timestampMs > TIMESTAMP_MS_MAX) throw new RangeError('timestampMs is behind the year 9999');
    const { latest } = this.#history;
    if (stamp.firstVersion <= Math.max(stamp.prevVersion, latest)) {
      throw new RangeError(
        `version ${stamp.firstVersion} is not above ${Math.max(stamp.prevVersion, latest)}`,
      );
    }
  }

  /** Makes a packed batch of the transactions, in the memory of the core. */
  #copyIn(batch: readonly Uint8Array[]): PlacedBatch {
    const tableBytes = 4 * (batch.length + 1);
    let end = tableBytes;
    for (const transaction of batch) end += transaction.length;
    const input = this.#wasm.reserveInput(end);
    const { bytes, view } = this.#wasm;
    let at = tableBytes;
    let entry = input;
    for (const transaction of batch) {
      view.setUint32(entry, at, true);
      bytes.set(transaction, input + at);
      at += transaction.length;
      entry += 4;
    }
    view.setUint32(entry, at, true);
    return { at: input, length: end, count: batch.length };
  }

  #encode(batch: PlacedBatch, stamp: BatchStamp): RecordBatch {
    const wasm = this.#wasm;
    const { firstVersion, prevVersion, durableVersion, timestampMs } = stamp;
    wasm.exports.encode(
      batch.at,
      batch.count,
      this.#history.verdictsAt,
      firstVersion,
      prevVersion,
      durableVersion,
      timestampMs,
    );
    const encoded = wasm.result(Encoded.count);
    const { bytes } = wasm;
    const recordsAt = wasm.result(Encoded.recordsAt);
    const offsetsAt = wasm.result(Encoded.offsetsAt);
    const hashesAt = wasm.result(Encoded.hashesAt);
    return {
      bytes: bytes.slice(recordsAt, recordsAt + wasm.result(Encoded.recordsLength)),
      offsets: new Uint32Array(bytes.slice(offsetsAt, offsetsAt + 4 * encoded).buffer),
      requestIdHashes: new Uint32Array(bytes.slice(hashesAt, hashesAt + 8 * encoded).buffer),
      firstVersion,
      lastVersion: firstVersion + encoded - 1,
      lastTimestampMs: timestampMs,
    };
  }
}
