/** Bounds the bytes of all bodies that are being received at one time. */
export class BodyBudget {
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes taken now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes room for more bytes of a body.
   * @param held what this body has taken before: when nobody else holds anything, it always gets more.
   * @returns false, with nothing taken, when there is no room.
   */
  take(bytes: number, held: number): boolean {
    if (this.#bytes > held && this.#bytes + bytes > this.#bytesMax) return false;
    this.#bytes += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}
