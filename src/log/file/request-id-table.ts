/** u32 lanes of a slot: hash low, hash high, record offset / 8. */
export const LANES = 3;
/** The smallest table. */
export const SLOTS_MIN = 512;
/** Two would do to be done before the next growth; more gets rid of the old slots sooner. */
const SLOTS_MOVED_PER_RECORD = 8;
/** Slots that one piece of `hashesIn` comes from. */
const SLOTS_PER_PIECE = 1 << 16;

/**
 * Where the records with a given request-ID hash stand: an open-addressing hash table with linear probing.
 * Offset 0 marks an empty slot (no record stands at the start of a segment). At most half of the slots are
 * taken, so a lookup is one or two steps, and the lanes can be written to disk as they are and looked up there.
 *
 * Growing doubles the slots and moves a few old ones with every record added, so that no single call takes long.
 */
export class RequestIdTable {
  #count = 0;
  #slots = new Uint32Array(SLOTS_MIN * LANES);
  #mask = SLOTS_MIN - 1;
  /** The slots before the last growth, of which the first `#moved` are in `#slots` by now. */
  #old = new Uint32Array(0);
  #moved = 0;

  /** Records in the table. */
  get count(): number {
    return this.#count;
  }

  /** @param offset where the record starts in its segment: a multiple of 8, above 0, below 2^35. */
  add(low: number, high: number, offset: number): void {
    if ((this.#count + 1) * 2 > this.#mask + 1) this.#grow();
    this.#put(low, high, offset / 8);
    this.#count += 1;
    if (this.#old.length > 0) this.#move(SLOTS_MOVED_PER_RECORD);
  }

  /** Offsets of all records with this hash, each once. */
  offsets(low: number, high: number): number[] {
    const found: number[] = [];
    probeRound(this.#slots, low, high, found);
    if (this.#old.length === 0) return found;
    const inOld: number[] = [];
    probeRound(this.#old, low, high, inOld);
    return [...new Set([...found, ...inOld])];
  }

  /** The hashes of all records, two lanes each, in pieces; records may be added between two of them. */
  *hashes(): Iterable<Uint32Array> {
    // Both arrays as they are now hold every record of now, whatever is moved in the meantime.
    const [slots, old, moved] = [this.#slots, this.#old, this.#moved];
    yield* hashesIn(slots, 0);
    yield* hashesIn(old, moved);
  }

  /**
   * Moves up to `slots` of the slots that growth has left behind.
   * @returns whether all are where they belong, so that `lanes` may be taken.
   */
  settle(slots: number): boolean {
    if (this.#old.length > 0) this.#move(slots);
    return this.#old.length === 0;
  }

  /** All slots; their number is a power of two. Only when `settle` has answered true. */
  get lanes(): Uint32Array {
    if (this.#old.length > 0) throw new Error('the table has not settled');
    return this.#slots;
  }

  #grow(): void {
    // Moved they are by now, at the pace of SLOTS_MOVED_PER_RECORD; correctness does not rest on it.
    this.#move(this.#old.length / LANES);
    const slots = (this.#mask + 1) * 2;
    this.#old = this.#slots;
    this.#moved = 0;
    this.#slots = new Uint32Array(slots * LANES);
    this.#mask = slots - 1;
  }

  #move(slots: number): void {
    const old = this.#old;
    const total = old.length / LANES;
    const end = Math.min(this.#moved + slots, total);
    for (let slot = this.#moved; slot < end; slot += 1) {
      const lane = slot * LANES;
      const offset = old[lane + 2]!;
      if (offset !== 0) this.#put(old[lane]!, old[lane + 1]!, offset);
    }
    this.#moved = end;
    if (end === total) this.#old = new Uint32Array(0);
  }

  #put(low: number, high: number, offsetInEights: number): void {
    const slots = this.#slots;
    let slot = low & this.#mask;
    while (slots[slot * LANES + 2] !== 0) slot = (slot + 1) & this.#mask;
    slots[slot * LANES] = low;
    slots[slot * LANES + 1] = high;
    slots[slot * LANES + 2] = offsetInEights;
  }
}

/**
 * Collects in `found` the offsets under this hash, slot by slot from `slot` up to the first empty one.
 * @returns whether an empty slot was found before `end`: nothing more stands behind it.
 */
export function probe(
  slots: Uint32Array,
  slot: number,
  end: number,
  low: number,
  high: number,
  found: number[],
): boolean {
  for (let lane = slot * LANES; lane < end * LANES; lane += LANES) {
    const offset = slots[lane + 2]!;
    if (offset === 0) return true;
    if (slots[lane] === low && slots[lane + 1] === high) found.push(offset * 8);
  }
  return false;
}

/** The hashes in the taken slots from slot `from` on, two lanes each. */
export function* hashesIn(slots: Uint32Array, from: number): Iterable<Uint32Array> {
  const total = slots.length / LANES;
  for (let start = from; start < total; start += SLOTS_PER_PIECE) {
    const end = Math.min(start + SLOTS_PER_PIECE, total);
    const piece = new Uint32Array((end - start) * 2);
    let filled = 0;
    for (let lane = start * LANES; lane < end * LANES; lane += LANES) {
      if (slots[lane + 2] === 0) continue;
      piece[filled] = slots[lane]!;
      piece[filled + 1] = slots[lane + 1]!;
      filled += 2;
    }
    yield piece.subarray(0, filled);
  }
}

/** Probes from the home slot of a hash, around the end of the table if need be. */
function probeRound(slots: Uint32Array, low: number, high: number, found: number[]): void {
  const total = slots.length / LANES;
  const home = low & (total - 1);
  if (!probe(slots, home, total, low, high, found)) probe(slots, 0, home, low, high, found);
}
