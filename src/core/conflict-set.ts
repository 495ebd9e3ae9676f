import type { Core } from './core.js';
import { checkUint53 } from './version.js';
import type { WasmInstance } from './wasm-instance.js';

export interface ConflictSetOptions {
  /** How many versions of history are kept at least, as long as `conflictBytesMax` allows it; at most 2^30. */
  readonly windowVersions: number;
  /**
   * Bound of the memory that holds the history, from 8 MiB to 2 GiB; it is taken in pages of 64 KiB, at
   * least one for each class of lengths of keys in use, of which there are 47, and for each kind of node. When
   * three quarters of it are filled, or nearly all pages hold something, the oldest versions are forgotten as
   * fast as new ones come: the floor rises. It rises by leaps only when single transactions need much of
   * what is left.
   */
  readonly conflictBytesMax: number;
  /** Reads below it are refused; nothing at or below it is known to have changed. */
  readonly floor: number;
}

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

/** The versions of what commits in a batch. */
export interface BatchVersions {
  /** That of the first one. */
  readonly first: number;
  /** Each that follows is so much above: 1, or 0 when the whole batch commits at one version. */
  readonly step: 0 | 1;
}

/** A packed batch in the memory of the core: its address, its bytes and the number of its transactions. */
export interface PlacedBatch {
  readonly at: number;
  readonly length: number;
  readonly count: number;
}

/** Versions in the history are told apart by their lower 32 bits: see assembly/conflict/tick.ts. */
export const WINDOW_VERSIONS_MAX = 2 ** 30;
/** With less, the page that each class of lengths takes would leave little room for history. */
const BYTES_MAX_LOWEST = 2 ** 23;
const BYTES_MAX_HIGHEST = 2 ** 31;
/** What a verdict says; the twin is in assembly/decide.ts. */
export const COMMITTED = 1;
/** Of `verify`: its twin is in assembly/conflict/verify.ts. */
const UNCHECKED = 13;
/** The statuses of `decide` in assembly/decide.ts, and where it leaves its results (in units of 4 bytes). */
const Status = { done: 0, malformed: 1, outOfMemory: 2 } as const;
const Result = { committed: 0, verdictsAt: 1, conflicts: 2, conflictsAt: 3, malformed: 4 } as const;

const taken = new WeakSet<Core>();

/**
 * The history of recent writes, and the one place where reads are held against it. It is exact: for
 * every key the version that last changed it, for versions above the floor.
 */
export class ConflictSet {
  readonly #wasm: WasmInstance;
  #count = 0;

  /**
   * @throws RangeError when an option is out of its range.
   * @throws Error when the core already carries a conflict set: it has room for one.
   */
  constructor(core: Core, options: ConflictSetOptions) {
    const { windowVersions, conflictBytesMax, floor } = options;
    checkUint53(windowVersions, 'windowVersions');
    if (windowVersions > WINDOW_VERSIONS_MAX) {
      throw new RangeError(`windowVersions must be at most ${WINDOW_VERSIONS_MAX}, not ${windowVersions}`);
    }
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

  /** The version of the newest transaction that was committed, or where the history began. */
  get latest(): number {
    return this.#wasm.exports.conflictLatest();
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
   * Decides a packed batch (see `packed-transaction.ts`) in order: later transactions see the writes of
   * earlier ones that commit. The outcome does not depend on how transactions are divided into batches
   * (with keys above 28 KiB and no room left it may: they need pages in a row).
   * @returns how many were committed; which ones say `verdicts` and `conflicts`, until the next call.
   * @throws RangeError, with nothing decided, when a transaction is inconsistent in itself, when a
   *   version of the batch could be below the newest one or above 2^53 - 1, or when there is no room for it.
   */
  decide(batch: Uint8Array, versions: BatchVersions): number {
    return this.decideAt(this.copyIn(batch), versions);
  }

  /**
   * Copies a packed batch into the memory of the core, where it is good until the core is used for anything else.
   * @throws RangeError when there is no room, or when the table of the batch leads outside.
   */
  copyIn(batch: Uint8Array): PlacedBatch {
    const at = this.#wasm.reserveInput(batch.length);
    this.#wasm.bytes.set(batch, at);
    const { length } = batch;
    const count = length < 4 ? 0 : Math.max(0, Math.floor(this.#wasm.view.getUint32(at, true) / 4) - 1);
    if (4 * (count + 1) > length) throw new RangeError('the table of the batch leads outside');
    return { at, length, count };
  }

  /** The same as `decide` for a batch that is already in the memory of the core. */
  decideAt({ at, length, count }: PlacedBatch, versions: BatchVersions): number {
    const { first, step } = versions;
    this.#count = 0;
    if (count === 0) return 0;
    checkUint53(first + step * (count - 1), 'the last version of the batch');
    const { exports } = this.#wasm;
    if (!(first >= exports.conflictLatest())) {
      throw new RangeError(`version ${first} is not above ${exports.conflictLatest()}`);
    }
    const status = exports.decide(at, length, count, first, step);
    if (status === Status.malformed) {
      throw new RangeError(`transaction ${this.#wasm.result(Result.malformed)} of the batch is inconsistent`);
    }
    if (status === Status.outOfMemory) throw new RangeError("no room for the batch in the core's memory");
    this.#count = count;
    return this.#wasm.result(Result.committed);
  }

  /** One byte for each transaction of the batch decided last: COMMITTED or 0. Good until the next call. */
  get verdicts(): Uint8Array {
    const at = this.verdictsAt;
    return this.#wasm.bytes.subarray(at, at + this.#count);
  }

  /** Where they are in the memory of the core. */
  get verdictsAt(): number {
    return this.#wasm.result(Result.verdictsAt);
  }

  /** What was violated, for each transaction of the batch decided last: `undefined` when it was committed. */
  get conflicts(): readonly (Conflict | undefined)[] {
    const wasm = this.#wasm;
    const conflicts = new Array<Conflict | undefined>(this.#count).fill(undefined);
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
   * @throws RangeError when there is no room in memory to check it.
   */
  verify(): void {
    const fault = this.#wasm.exports.conflictFault();
    if (fault === UNCHECKED) throw new RangeError('no room in memory to check the conflict set');
    if (fault !== 0) throw new Error(`the conflict set is broken: rule ${fault}`);
  }
}
