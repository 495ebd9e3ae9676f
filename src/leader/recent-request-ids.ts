const INITIAL_SLOTS = 1024;

/** A set of 64-bit hashes as pairs of lanes, open addressing with linear probing, at most half full. */
class HashSet {
  #lanes = new Uint32Array(2 * INITIAL_SLOTS);
  /** The pair (0, 0) marks a free slot, so that hash is kept apart. */
  #hasZero = false;
  #count = 0;

  get size(): number {
    return this.#count;
  }

  get byteLength(): number {
    return this.#lanes.byteLength;
  }

  has(low: number, high: number): boolean {
    if (low === 0 && high === 0) return this.#hasZero;
    const slot = this.#slotOf(low, high);
    return this.#lanes[slot] === low && this.#lanes[slot + 1] === high;
  }

  add(low: number, high: number): void {
    if (low === 0 && high === 0) {
      this.#hasZero = true;
      return;
    }
    const slot = this.#slotOf(low, high);
    if (this.#lanes[slot] === low && this.#lanes[slot + 1] === high) return;
    this.#lanes[slot] = low;
    this.#lanes[slot + 1] = high;
    this.#count += 1;
    if (this.#count * 4 > this.#lanes.length) this.#grow();
  }

  /** The first lane of the slot that holds the hash, or of the free slot where it belongs. */
  #slotOf(low: number, high: number): number {
    const lanes = this.#lanes;
    const mask = lanes.length - 1;
    let slot = (low << 1) & mask;
    while (lanes[slot] !== 0 || lanes[slot + 1] !== 0) {
      if (lanes[slot] === low && lanes[slot + 1] === high) break;
      slot = (slot + 2) & mask;
    }
    return slot;
  }

  #grow(): void {
    const old = this.#lanes;
    this.#lanes = new Uint32Array(2 * old.length);
    for (let lane = 0; lane < old.length; lane += 2) {
      const low = old[lane]!;
      const high = old[lane + 1]!;
      if (low === 0 && high === 0) continue;
      const slot = this.#slotOf(low, high);
      this.#lanes[slot] = low;
      this.#lanes[slot + 1] = high;
    }
  }
}

/**
 * Hashes of the request IDs of the newest transactions: at least `windowVersions` of them and at most
 * twice as many, in two generations. A hit is a hint that the log must confirm; a miss is certain for
 * every transaction above `coveredFrom`.
 */
export class RecentRequestIds {
  readonly #windowVersions: number;
  #young = new HashSet();
  #old = new HashSet();
  #youngFrom: number;
  #oldFrom: number;

  /** @param version IDs of transactions above it are going to be added. */
  constructor(windowVersions: number, version: number) {
    this.#windowVersions = windowVersions;
    this.#youngFrom = version;
    this.#oldFrom = version;
  }

  /** All IDs that were committed above this version are in the set. */
  get coveredFrom(): number {
    return this.#oldFrom;
  }

  get bytes(): number {
    return this.#young.byteLength + this.#old.byteLength;
  }

  /**
   * @param coveredFrom every ID above this version is added by this call or a later one: one below the transaction's own
   *   version when IDs come in version order.
   */
  add(low: number, high: number, coveredFrom: number): void {
    if (this.#young.size >= this.#windowVersions) {
      this.#old = this.#young;
      this.#oldFrom = this.#youngFrom;
      this.#young = new HashSet();
      this.#youngFrom = coveredFrom;
    }
    this.#young.add(low, high);
  }

  mayHold(low: number, high: number): boolean {
    return this.#young.has(low, high) || this.#old.has(low, high);
  }
}
