/** The generator splitmix64, in two halves of 32 bits each: BigInt would take longer than what is measured. */
export class SplitMix {
  #high = 0;
  #low = 0;
  /** The halves of the number drawn last, unsigned. */
  high = 0;
  low = 0;

  constructor(seed: number) {
    this.restart(seed);
  }

  /** @param seed an integer below 2^53. */
  restart(seed: number): void {
    this.#high = Math.floor(seed / 2 ** 32) >>> 0;
    this.#low = seed >>> 0;
  }

  /** The same as drawing `count` numbers, below 2^21, and forgetting them. */
  skip(count: number): void {
    const low = this.#low + count * 0x7f4a_7c15;
    const high = this.#high + count * 0x9e37_79b9 + Math.floor(low / 2 ** 32);
    this.#low = low % 2 ** 32;
    this.#high = high % 2 ** 32;
  }

  /** Draws the next number into `high` and `low`. */
  next(): void {
    const low = this.#low + 0x7f4a_7c15;
    this.#high = (this.#high + 0x9e37_79b9 + (low > 0xffff_ffff ? 1 : 0)) >>> 0;
    this.#low = low >>> 0;
    this.high = this.#high;
    this.low = this.#low;
    this.#shiftXor(30);
    this.#multiply(0xbf58_476d, 0x1ce4_e5b9);
    this.#shiftXor(27);
    this.#multiply(0x94d0_49bb, 0x1331_11eb);
    this.#shiftXor(31);
  }

  /** Draws the next number modulo `end`, which is below 2^26. */
  below(end: number): number {
    this.next();
    return ((this.high % end) * (2 ** 32 % end) + this.low) % end;
  }

  #shiftXor(bits: number): void {
    const low = (this.low >>> bits) | (this.high << (32 - bits));
    this.low = (this.low ^ low) >>> 0;
    this.high = (this.high ^ (this.high >>> bits)) >>> 0;
  }

  #multiply(high: number, low: number): void {
    const a = this.low >>> 16;
    const b = this.low & 0xffff;
    const c = low >>> 16;
    const d = low & 0xffff;
    const middle = a * d + Math.floor((b * d) / 0x10000);
    const second = b * c + (middle % 0x10000);
    // a * d and the rest stay below 2^53, so the carry is exact.
    const carry = a * c + Math.floor(middle / 0x10000) + Math.floor(second / 0x10000);
    const cross = Math.imul(this.high, low) + Math.imul(this.low, high);
    this.low = Math.imul(this.low, low) >>> 0;
    this.high = (cross + (carry % 2 ** 32)) >>> 0;
  }
}
