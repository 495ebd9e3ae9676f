import type { Random } from './random.js';

/** Reaches the disk as a whole or not at all. */
const SECTOR_BYTES = 512;
/** Stands for the length where sectors are told by their numbers. */
const LENGTH = -1;

/** What a sync has to bring to the disk: the content when it began, which sectors of it, and whether its length. */
export interface Unsynced {
  readonly content: Uint8Array;
  readonly sectors: ReadonlyMap<number, number>;
}

/** A file on a simulated disk: as processes see it, and what of it a power cut leaves. */
export class SimulatedInode {
  #cached: Uint8Array;
  #stored: Uint8Array;
  /** Sectors, and `LENGTH`, that the next sync has to write, each with the number of the change that made it so. */
  readonly #dirty = new Map<number, number>();
  #changes = 0;

  constructor(content: Uint8Array) {
    this.#cached = content.slice();
    this.#stored = content.slice();
  }

  get length(): number {
    return this.#cached.length;
  }

  read(from: number, to: number): Uint8Array {
    return this.#cached.subarray(from, to);
  }

  write(bytes: Uint8Array, position: number): void {
    const end = position + bytes.length;
    if (bytes.length > 0 && end > this.#cached.length) this.resize(end);
    this.#cached.set(bytes, position);
    this.#touch(position, end);
  }

  resize(length: number): void {
    if (length === this.length) return;
    const resized = new Uint8Array(length);
    resized.set(this.#cached.subarray(0, length));
    this.#touch(Math.min(length, this.length), Math.max(length, this.length));
    this.#dirty.set(LENGTH, this.#changes);
    this.#cached = resized;
  }

  unsynced(): Unsynced {
    return { content: this.#cached.slice(), sectors: new Map(this.#dirty) };
  }

  /** A sync has done its work. What was changed since it began stays unsynced. */
  store({ content, sectors }: Unsynced): void {
    this.#copy(content, new Set(sectors.keys()));
    this.#forget(sectors);
  }

  /** A sync has failed: some of its work is done, and what is not is no longer known to be missing. */
  storeSomeAndForget({ content, sectors }: Unsynced, random: Random): void {
    this.#copy(content, new Set([...sectors.keys()].filter(() => random.chance(0.5))));
    this.#forget(sectors);
  }

  /** The power is gone. */
  loseUnsynced(random: Random): void {
    this.#copy(this.#cached, new Set([...this.#dirty.keys()].filter(() => random.chance(0.5))));
    this.#cached = this.#stored.slice();
    this.#dirty.clear();
  }

  #copy(content: Uint8Array, sectors: ReadonlySet<number>): void {
    const length = sectors.has(LENGTH) ? content.length : this.#stored.length;
    const stored = new Uint8Array(length);
    stored.set(this.#stored.subarray(0, length));
    for (const sector of sectors) {
      const start = sector * SECTOR_BYTES;
      if (sector !== LENGTH && start < length)
        stored.set(content.subarray(start, Math.min(start + SECTOR_BYTES, length)), start);
    }
    this.#stored = stored;
  }

  #forget(sectors: ReadonlyMap<number, number>): void {
    for (const [sector, change] of sectors) {
      if (this.#dirty.get(sector) === change) this.#dirty.delete(sector);
    }
  }

  #touch(from: number, to: number): void {
    this.#changes += 1;
    for (let sector = Math.floor(from / SECTOR_BYTES); sector * SECTOR_BYTES < to; sector += 1) {
      this.#dirty.set(sector, this.#changes);
    }
  }
}
