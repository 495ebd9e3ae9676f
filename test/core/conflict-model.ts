/** The conflict set as a list of writes, oldest first: every read is compared with each of them. */

export type Bytes = Uint8Array;

export type Read =
  | { readonly kind: 'point'; readonly version: number; readonly key: Bytes }
  | { readonly kind: 'range'; readonly version: number; readonly begin: Bytes; readonly end: Bytes };

export type Write =
  | { readonly kind: 'write'; readonly key: Bytes; readonly value: Bytes }
  | { readonly kind: 'delete'; readonly key: Bytes }
  | { readonly kind: 'rangeDelete'; readonly begin: Bytes; readonly end: Bytes };

export interface Transaction {
  readonly reads: readonly Read[];
  readonly writes: readonly Write[];
}

export interface ModelConflict {
  readonly preconditions: readonly number[];
  readonly settledAt: number;
}

interface Range {
  readonly begin: Bytes;
  readonly end: Bytes;
}

export class ConflictModel {
  floor: number;
  readonly #changes: (Range & { readonly version: number })[] = [];

  constructor(
    readonly windowVersions: number,
    floor: number,
  ) {
    this.floor = floor;
  }

  /** What the transaction violates, or `undefined`: then it is merged at `version`. */
  decide(transaction: Transaction, version: number): ModelConflict | undefined {
    const preconditions: number[] = [];
    let settledAt = 0;
    for (const [index, read] of transaction.reads.entries()) {
      const range = read.kind === 'point' ? only(read.key) : read;
      const last = this.#lastChange(range, Math.max(read.version, this.floor));
      if (last <= read.version) continue;
      preconditions.push(index);
      settledAt = Math.max(settledAt, last);
    }
    if (preconditions.length > 0) return { preconditions, settledAt };
    for (const write of transaction.writes) {
      const { begin, end } = write.kind === 'rangeDelete' ? write : only(write.key);
      this.#changes.push({ version, begin, end });
    }
    this.raiseFloor(version - this.windowVersions);
    return undefined;
  }

  /** The higher of `version` and that of the newest change that overlaps the range. */
  #lastChange(range: Range, version: number): number {
    for (let index = this.#changes.length - 1; index >= 0; index -= 1) {
      const change = this.#changes[index]!;
      if (change.version <= version) return version;
      if (overlap(change, range)) return change.version;
    }
    return version;
  }

  /** Forgets the past, as a conflict set short of memory does. */
  raiseFloor(floor: number): void {
    if (floor <= this.floor) return;
    this.floor = floor;
    const kept = this.#changes.findIndex((change) => change.version > floor);
    this.#changes.splice(0, kept === -1 ? this.#changes.length : kept);
  }
}

/** The range that holds one key. */
function only(key: Bytes): Range {
  return { begin: key, end: Buffer.concat([key, Buffer.of(0)]) };
}

/** A range of byte strings that begins before its end is never empty: it holds its beginning. */
function overlap(a: Range, b: Range): boolean {
  return Buffer.compare(a.begin, b.end) < 0 && Buffer.compare(b.begin, a.end) < 0;
}
