/** Transactions that wait for a free connection, first come, first served: when each of them came, milliseconds. */
export class WaitingLine {
  readonly #arrivedMs: Float64Array;
  #first = 0;
  #length = 0;

  /** @param places most that can wait */
  constructor(places: number) {
    this.#arrivedMs = new Float64Array(places);
  }

  get length(): number {
    return this.#length;
  }

  join(nowMs: number): void {
    this.#arrivedMs[(this.#first + this.#length) % this.#arrivedMs.length] = nowMs;
    this.#length += 1;
  }

  /** When the one who is next came. */
  leave(): number {
    const arrivedMs = this.#arrivedMs[this.#first]!;
    this.#first = (this.#first + 1) % this.#arrivedMs.length;
    this.#length -= 1;
    return arrivedMs;
  }
}
