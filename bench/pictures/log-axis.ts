/** A logarithmic axis from `low` to `high` (above 0), drawn from `from` to `to`. */
export class LogAxis {
  readonly #low: number;
  readonly #scale: number;

  constructor(
    low: number,
    readonly high: number,
    readonly from: number,
    to: number,
  ) {
    this.#low = Math.log10(low);
    this.#scale = (to - from) / (Math.log10(high) - this.#low);
  }

  at(value: number): number {
    return this.from + (Math.log10(value) - this.#low) * this.#scale;
  }

  /** 1, 2 and 5 times the powers of ten on the axis, or the powers alone when there are many. */
  ticks(): readonly number[] {
    const low = 10 ** this.#low;
    const decades = Math.log10(this.high) - this.#low;
    const steps = decades > 2.5 ? [1] : [1, 2, 5];
    const ticks: number[] = [];
    for (let exponent = Math.floor(this.#low); exponent <= Math.log10(this.high); exponent += 1) {
      for (const step of steps) {
        const tick = step * 10 ** exponent;
        if (tick >= low * 0.999 && tick <= this.high * 1.001) ticks.push(tick);
      }
    }
    return ticks;
  }
}

/** The axis that holds all values, between round numbers. */
export function axisAround(values: readonly number[], from: number, to: number): LogAxis {
  return new LogAxis(roundDown(Math.min(...values)), roundUp(Math.max(...values)), from, to);
}

function roundDown(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([5, 2, 1].find((step) => step * power <= value * 1.001) ?? 1) * power;
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5].find((step) => step * power >= value * 0.999) ?? 10) * power;
}
