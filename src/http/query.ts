import { type Fault, malformed } from './problem.js';

/** The parameters of a request's query, read strictly: each at most once, each of its form. */
export class Query {
  readonly #parameters: URLSearchParams;
  readonly #faults: Fault[] = [];

  constructor(querystring: string) {
    this.#parameters = new URLSearchParams(querystring);
  }

  /** An integer from 0 to 2^53 - 1. */
  version(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) this.#fault(name, 'must be an integer from 0 to 9007199254740991');
    return value;
  }

  boolean(name: string): boolean | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== 'true' && text !== 'false') this.#fault(name, 'must be true or false');
    return text === undefined ? undefined : text === 'true';
  }

  text(name: string): string | undefined {
    const values = this.#parameters.getAll(name);
    if (values.length > 1) this.#fault(name, 'must be given once');
    return values[0];
  }

  /** Notes that a parameter without which there is no answer is missing, and gives a stand-in. */
  required<T>(name: string, value: T | undefined, standIn: T): T {
    if (value === undefined) this.#fault(name, 'is required');
    return value ?? standIn;
  }

  /** @throws Problem `malformed-request` when any parameter read so far was bad. */
  check(): void {
    if (this.#faults.length > 0) throw malformed(this.#faults);
  }

  #fault(name: string, detail: string): void {
    this.#faults.push({ parameter: name, detail });
  }
}
