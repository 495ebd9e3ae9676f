import { type Fault, malformed } from './problem.js';

/**
 * The parameters of a request's query, read strictly: each at most once, each of its form. A plus sign is a plus
 * sign, not a space: a query is not a form.
 */
export class Query {
  readonly #parameters: readonly { readonly name: string; readonly value: string | undefined }[];
  readonly #faults: Fault[] = [];

  constructor(querystring: string) {
    this.#parameters = querystring.split('&').map((parameter) => {
      const [name = '', ...value] = parameter.split('=');
      return { name: decoded(name) ?? '', value: decoded(value.join('=')) };
    });
  }

  /** An integer from 0 to 2^53 - 1. */
  version(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(value)) this.fault(name, 'must be an integer from 0 to 9007199254740991');
    return value;
  }

  boolean(name: string): boolean | undefined {
    const text = this.text(name);
    if (text !== undefined && text !== 'true' && text !== 'false') this.fault(name, 'must be true or false');
    return text === undefined ? undefined : text === 'true';
  }

  text(name: string): string | undefined {
    const [first, ...others] = this.#parameters.filter((parameter) => parameter.name === name);
    if (others.length > 0) this.fault(name, 'must be given once');
    if (first !== undefined && first.value === undefined) this.fault(name, 'must be percent-encoded UTF-8');
    return first?.value;
  }

  /** Notes that a parameter without which there is no answer is missing, and gives a stand-in. */
  required<T>(name: string, value: T | undefined, standIn: T): T {
    if (value === undefined) this.fault(name, 'is required');
    return value ?? standIn;
  }

  /** @throws Problem `malformed-request` when any parameter read so far was bad. */
  check(): void {
    if (this.#faults.length > 0) throw malformed(this.#faults);
  }

  /** Notes what is wrong with a parameter. */
  fault(name: string, detail: string): void {
    this.#faults.push({ parameter: name, detail });
  }
}

/** @returns undefined when the text is not percent-encoded UTF-8. */
export function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
