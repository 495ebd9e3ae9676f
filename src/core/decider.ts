import type { Core } from './core.js';
import type { RecordBatch } from './record-batch.js';
import { checkUint53 } from './version.js';
import type { WasmInstance } from './wasm-instance.js';

/** Why a transaction was not committed. */
export interface Conflict {
  /** The indices of ALL its violated preconditions, ascending. */
  readonly preconditions: readonly number[];
  /**
   * The highest version of any write in the violated ranges; the floor if that is higher and a read
   * was below the floor.
   */
  readonly settledAt: number;
}

export interface BatchDecision {
  /** One per transaction: `undefined` when it was committed, else what was violated. */
  readonly conflicts: readonly (Conflict | undefined)[];
  /** The records of those that were committed; `undefined` when none was. */
  readonly records: RecordBatch | undefined;
}

export interface DeciderOptions {
  /** How many versions of history are kept at least, as long as `conflictBytesMax` allows it. */
  readonly windowVersions: number;
  /**
   * Bound of the memory that holds the history, from 8 MiB to 2 GiB; it is taken in pages of 64 KiB, at
   * least one for each class of lengths of keys in use, of which there are 47. When three quarters of it are
   * filled, or nearly all pages hold something, the oldest versions are forgotten as fast as new ones come:
   * the floor rises. It rises by leaps only when single transactions need much of what is left.
   */
  readonly conflictBytesMax: number;
  /** Reads below it are refused; nothing at or below it is known to have changed. */
  readonly floor: number;
}

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

/** With less, the page that each class of lengths takes would leave little room for history. */
const BYTES_MAX_LOWEST = 2 ** 23;
const BYTES_MAX_HIGHEST = 2 ** 31;
/** Its twin is `TIMESTAMP_MS_END` in assembly/codec/record.ts. */
const TIMESTAMP_MS_MAX = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** The statuses of `decide` in assembly/decide.ts, and where it leaves its results (in units of 4 bytes). */
const Status = { decided: 0, malformed: 1, outOfMemory: 2 } as const;
const Result = {
  committed: 0,
  conflicts: 1,
  recordsAt: 2,
  recordsLength: 3,
  offsetsAt: 4,
  hashesAt: 5,
  conflictsAt: 6,
  malformed: 7,
} as const;

const taken = new WeakSet<Core>();

/**
 * Decides transactions against the history of recent writes and encodes those that commit, one call
 * into Wasm per batch. The history is exact: for every key the version that last changed it, for
 * versions above the floor.
 */
export class Decider {
  readonly #wasm: WasmInstance;

  /**
   * @throws RangeError when an option is out of its range.
   * @throws Error when the core already carries a conflict set: it has room for one.
   */
  constructor(core: Core, options: DeciderOptions) {
    const { windowVersions, conflictBytesMax, floor } = options;
    checkUint53(windowVersions, 'windowVersions');
    checkUint53(floor, 'floor');
    if (!(conflictBytesMax >= BYTES_MAX_LOWEST && conflictBytesMax <= BYTES_MAX_HIGHEST)) {
      throw new RangeError(`conflictBytesMax must be from 8 MiB to 2 GiB, not ${conflictBytesMax}`);
    }
    if (taken.has(core)) throw new Error('this core already carries a conflict set: load another core');
    this.#wasm = core.wasm;
    if (this.#wasm.exports.createConflictSet(windowVersions, Math.floor(conflictBytesMax), floor) === 0) {
      throw new RangeError('no room for a conflict set in the memory of this core');
    }
    taken.add(core);
  }

  /** Preconditions with a version below it are violated. It never falls, except by `reset`. */
  get floor(): number {
    return this.#wasm.exports.conflictFloor();
  }

  /** How many boundaries of changed ranges are held in memory. */
  get entries(): number {
    return this.#wasm.exports.conflictEntries();
  }

  /** Memory taken by the history, never above `conflictBytesMax`. */
  get bytes(): number {
    return this.#wasm.exports.conflictBytes();
  }

  /**
   * Decides the transactions in order: later ones see the writes of earlier ones. Each that commits
   * takes the next version from `stamp.firstVersion` and is encoded as a record. The outcome does not
   * depend on how transactions are divided into batches (with keys above 28 KiB and no room left it may: they
   * need pages in a row), but their bytes together must stay below 2 GiB.
   * @param batch transactions as `TransactionPacker.finish` returns them.
   * @throws RangeError, with nothing decided, when a transaction is inconsistent in itself, when the
   *   stamp is (versions that do not grow), or when the batch does not fit into memory.
   */
  decide(batch: readonly Uint8Array[], stamp: BatchStamp): BatchDecision {
    const count = batch.length;
    if (count === 0) return { conflicts: [], records: undefined };
    this.#checkStamp(stamp, count);
    const wasm = this.#wasm;
    const input = this.#copyIn(batch);
    const { firstVersion, prevVersion, durableVersion, timestampMs } = stamp;
    const status = wasm.exports.decide(input, count, firstVersion, prevVersion, durableVersion, timestampMs);
    if (status === Status.malformed) {
      throw new RangeError(`transaction ${wasm.result(Result.malformed)} of the batch is inconsistent`);
    }
    if (status === Status.outOfMemory) throw new RangeError("no room for the records in the core's memory");
    return { conflicts: this.#conflicts(count), records: this.#records(stamp) };
  }

  /**
   * Starts a new term: empty history, reads below `floor` are refused.
   * @throws RangeError when the floor is not an integer from 0 to 2^53 - 1.
   */
  reset(floor: number): void {
    checkUint53(floor, 'floor');
    this.#wasm.exports.resetConflictSet(floor);
  }

  /**
   * Walks the whole history and checks that its structure is sound. For tests.
   * @throws Error that carries the number of the broken rule (see `assembly/conflict/verify.ts`).
   */
  verify(): void {
    const fault = this.#wasm.exports.conflictFault();
    if (fault !== 0) throw new Error(`the conflict set is broken: rule ${fault}`);
  }

  #checkStamp(stamp: BatchStamp, count: number): void {
    checkUint53(stamp.firstVersion, 'firstVersion');
    checkUint53(stamp.firstVersion + (count - 1), 'the last version of the batch');
    checkUint53(stamp.prevVersion, 'prevVersion');
    checkUint53(stamp.durableVersion, 'durableVersion');
    checkUint53(stamp.timestampMs, 'timestampMs');
    if (stamp.timestampMs > TIMESTAMP_MS_MAX) throw new RangeError('timestampMs is behind the year 9999');
    const latest = this.#wasm.exports.conflictLatest();
    if (stamp.firstVersion <= Math.max(stamp.prevVersion, latest)) {
      throw new RangeError(
        `version ${stamp.firstVersion} is not above ${Math.max(stamp.prevVersion, latest)}`,
      );
    }
  }

  /** A table of `count` + 1 offsets (where each transaction starts, and the end), then the transactions. */
  #copyIn(batch: readonly Uint8Array[]): number {
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
    return input;
  }

  #conflicts(count: number): readonly (Conflict | undefined)[] {
    const wasm = this.#wasm;
    const conflicts = new Array<Conflict | undefined>(count).fill(undefined);
    const { view } = wasm;
    let at = wasm.result(Result.conflictsAt);
    for (let left = wasm.result(Result.conflicts); left > 0; left -= 1) {
      // f64 settledAt, u32 transaction, u32 number of violated preconditions, then their indices
      const settledAt = view.getFloat64(at, true);
      const transaction = view.getUint32(at + 8, true);
      const violated = view.getUint32(at + 12, true);
      at += 16;
      const preconditions: number[] = [];
      for (let index = 0; index < violated; index += 1, at += 4) preconditions.push(view.getUint32(at, true));
      conflicts[transaction] = { preconditions, settledAt };
    }
    return conflicts;
  }

  #records(stamp: BatchStamp): RecordBatch | undefined {
    const wasm = this.#wasm;
    const committed = wasm.result(Result.committed);
    if (committed === 0) return undefined;
    const { bytes } = wasm;
    const recordsAt = wasm.result(Result.recordsAt);
    const offsetsAt = wasm.result(Result.offsetsAt);
    const hashesAt = wasm.result(Result.hashesAt);
    return {
      bytes: bytes.slice(recordsAt, recordsAt + wasm.result(Result.recordsLength)),
      offsets: new Uint32Array(bytes.slice(offsetsAt, offsetsAt + 4 * committed).buffer),
      requestIdHashes: new Uint32Array(bytes.slice(hashesAt, hashesAt + 8 * committed).buffer),
      firstVersion: stamp.firstVersion,
      lastVersion: stamp.firstVersion + committed - 1,
      lastTimestampMs: stamp.timestampMs,
    };
  }
}
