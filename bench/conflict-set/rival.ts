import BTree from 'sorted-btree';
import { OperationKind, PACKED_HEADER_BYTES, PreconditionKind } from '../../src/core/packed-transaction.js';
import type { Clock } from '../clock.js';
import type { Contender, Timing } from './contender.js';

/** Entries that are looked at for forgetting, for each write. */
const SWEEP_PER_WRITE = 6;

/**
 * What one would write in JavaScript: a sorted map from each boundary to the version that last changed what
 * lies from there to the next one, over the B+tree of `sorted-btree`.
 */
export class Rival implements Contender {
  verdicts = new Uint8Array(0);
  readonly #changes = new BTree.default<string, number>([['', 0]], (a, b) => (a < b ? -1 : a > b ? 1 : 0));
  #batch: readonly Transaction[] = [];
  #cursor = '';

  constructor(
    readonly window: number,
    readonly clock: Clock,
  ) {}

  /** Strings with one character for each byte order as bytes do: the fastest form of a key here. */
  prepare(batch: Uint8Array): void {
    this.#batch = unpack(batch);
  }

  decide(version: number): Timing {
    const start = this.clock();
    const verdicts = new Uint8Array(this.#batch.length);
    for (const [index, { snapshot, read, write }] of this.#batch.entries()) {
      if (read !== undefined && this.#isChanged(read, snapshot)) continue;
      verdicts[index] = 1;
      if (write !== undefined) this.#write(write, version);
    }
    this.#forget(version - this.window);
    this.verdicts = verdicts;
    const total = (this.clock() - start) * 1e6;
    return { total, structure: total };
  }

  #isChanged({ begin, end }: Span, snapshot: number): boolean {
    const changes = this.#changes;
    if (changes.getPairOrNextLower(begin)![1] > snapshot) return true;
    const found = changes.forRange(begin, end, false, (_key, version) => {
      return version > snapshot ? { break: true } : undefined;
    });
    return typeof found !== 'number';
  }

  #write({ begin, end }: Span, version: number): void {
    const changes = this.#changes;
    const [, behind] = changes.getPairOrNextLower(end)!;
    // Mostly there are none, or few: `deleteRange` is slower for them.
    for (let key = changes.nextHigherKey(begin); key !== undefined && key < end; ) {
      changes.delete(key);
      key = changes.nextHigherKey(begin);
    }
    changes.set(begin, version);
    changes.set(end, behind, false);
  }

  /** Removes boundaries between which and before which everything is old, a part of the map at a time. */
  #forget(oldest: number): void {
    let left = SWEEP_PER_WRITE * this.#batch.length;
    let before = this.#changes.nextLowerPair(this.#cursor)?.[1] ?? 0;
    const overtaken: string[] = [];
    let last = '';
    this.#changes.forRange(this.#cursor, '\uffff', true, (key, version) => {
      last = key;
      if (key !== '' && version <= oldest && before <= oldest) overtaken.push(key);
      before = version;
      left -= 1;
      return left > 0 ? undefined : { break: true };
    });
    for (const key of overtaken) this.#changes.delete(key);
    this.#cursor = left > 0 ? '' : last;
  }
}

interface Span {
  readonly begin: string;
  readonly end: string;
}

interface Transaction {
  readonly snapshot: number;
  readonly read?: Span;
  readonly write?: Span;
}

/** Reads a packed batch whose transactions have at most one read and one write. */
function unpack(batch: Uint8Array): readonly Transaction[] {
  const bytes = Buffer.from(batch.buffer, batch.byteOffset, batch.length);
  let at = 0;
  const key = (): string => {
    const from = at + 4;
    at = from + bytes.readUInt32LE(at);
    return bytes.toString('latin1', from, at);
  };
  const span = (isPoint: boolean): Span => {
    const begin = key();
    return { begin, end: isPoint ? `${begin}\0` : key() };
  };
  return Array.from({ length: bytes.readUInt32LE(0) / 4 - 1 }, (_, index): Transaction => {
    const start = bytes.readUInt32LE(4 * index);
    at = start + PACKED_HEADER_BYTES;
    let snapshot = 0;
    let read: Span | undefined;
    if (bytes.readUInt32LE(start) === 1) {
      const isPoint = bytes[at] === PreconditionKind.pointRead;
      snapshot = bytes.readUInt32LE(at + 1);
      at += 9;
      read = span(isPoint);
    }
    if (bytes.readUInt32LE(start + 4) === 0) return { snapshot, ...(read && { read }) };
    const isPoint = bytes[at] === OperationKind.delete;
    at += 1;
    return { snapshot, write: span(isPoint), ...(read && { read }) };
  });
}
