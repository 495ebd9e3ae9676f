import type { Contender, Timing } from './contender.js';

/** Nanoseconds per transaction that the skip list of FoundationDB's resolver takes. */
export interface Reference {
  readonly total: number;
  /** The read check and the merging of writes alone. */
  readonly structure: number;
}

export interface Batch {
  readonly packed: Uint8Array;
  /** At which all of it commits. */
  readonly version: number;
}

/** How many batches fill the set, and how many are then timed. */
export interface Extent {
  readonly filled: number;
  readonly timed: number;
}

/** A stream of batches, the same in every run. */
export interface Workload {
  readonly name: string;
  /** How many versions are kept. */
  readonly window: number;
  /** Transactions in a batch. */
  readonly perBatch: number;
  readonly whole: Extent;
  /** Enough of it for a rival that takes long: the last batches that fill the set and the first ones that are timed. */
  readonly part: Extent;
  readonly foundationDb: Reference;
  /** The batches of an extent. A batch is good until the next one is asked for. */
  batches(extent: Extent): Iterable<Batch>;
  /** Of the batches that are timed: what must commit, and what the checksum of the decisions must be. */
  readonly right: { readonly committed: number; readonly checksum?: bigint };
}

export interface Run {
  /** Per transaction. */
  readonly timing: Timing;
  /** Of each batch that was timed, how many transactions committed. */
  readonly committed: readonly number[];
  readonly checksum: bigint;
}

/** Runs an extent of a workload. */
export function run(contender: Contender, workload: Workload, extent: Extent): Run {
  const sum = { total: 0, structure: 0 };
  const committed: number[] = [];
  const checksum = new Checksum();
  let left = extent.filled;
  for (const { packed, version } of workload.batches(extent)) {
    contender.prepare(packed);
    const { total, structure } = contender.decide(version);
    left -= 1;
    if (left >= 0) continue;
    sum.total += total;
    sum.structure += structure;
    committed.push(checksum.addBatch(contender.verdicts));
  }
  const transactions = workload.perBatch * extent.timed;
  const timing = { total: sum.total / transactions, structure: sum.structure / transactions };
  return { timing, committed, checksum: checksum.value };
}

/** @throws Error when a run of the whole workload decided wrongly. */
export function checkWhole({ name, right }: Workload, { committed, checksum }: Run): void {
  const count = committed.reduce((sum, each) => sum + each, 0);
  if (count === right.committed && (right.checksum ?? checksum) === checksum) return;
  throw new Error(
    `${name}: ${count} committed, not ${right.committed}, or checksum ${checksum.toString(16)}`,
  );
}

/** @throws Error when a run of a part of the workload decided otherwise than one of the whole. */
export function checkPart({ name }: Workload, part: Run, whole: Run): void {
  const wrong = part.committed.findIndex((count, batch) => count !== whole.committed[batch]);
  if (wrong !== -1) throw new Error(`${name}: the rival decides batch ${wrong} otherwise`);
}

/** Of the numbers t of committed transactions: h = (h ^ t) * 1099511628211 modulo 2^64, in halves of 32 bits. */
class Checksum {
  #high = Number(1469598103934665603n >> 32n);
  #low = Number(1469598103934665603n & 0xffff_ffffn);

  /** @returns how many transactions of the batch committed. */
  addBatch(verdicts: Uint8Array): number {
    let committed = 0;
    for (let transaction = 0; transaction < verdicts.length; transaction += 1) {
      if (verdicts[transaction] === 0) continue;
      committed += 1;
      this.#add(transaction);
    }
    return committed;
  }

  /** 1099511628211 is 2^40 + 435. */
  #add(transaction: number): void {
    const low = (this.#low ^ transaction) >>> 0;
    const product = low * 435;
    const carry = Math.floor(product / 2 ** 32);
    this.#high = (Math.imul(this.#high, 435) + carry + (low << 8)) >>> 0;
    this.#low = product >>> 0;
  }

  get value(): bigint {
    return (BigInt(this.#high) << 32n) | BigInt(this.#low);
  }
}
