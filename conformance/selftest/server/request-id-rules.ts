import type { Behaviour } from './behaviour.js';
import type { Limits } from './limits.js';
import { Refusal } from './refusal.js';

const characters = (text: string): number => [...text].length;

/** Checks the request_id of a commit, and says what is kept of it. */
export class RequestIdRules {
  readonly #behaviour: Behaviour;
  readonly #limits: Limits;
  readonly #lengthOf: (text: string) => number;
  readonly #kept: (text: string) => string;

  constructor(behaviour: Behaviour, limits: Limits) {
    this.#behaviour = behaviour;
    this.#limits = limits;
    this.#lengthOf = behaviour.pick(characters, {
      'request-id-length-in-bytes': (text) => Buffer.byteLength(text),
      'request-id-length-off-by-one-short': (text) => characters(text) + 1,
      'request-id-length-off-by-one-long': (text) => characters(text) - 1,
      'request-id-length-unchecked': () => Number.POSITIVE_INFINITY,
    });
    this.#kept = behaviour.pick((text: string) => text, {
      'request-id-trimmed': (text) => text.trim(),
      'request-id-cut-to-64-characters': (text) => text.slice(0, 64),
      'request-id-normalized': (text) => text.normalize('NFC'),
      'request-id-as-ascii': (text) => text.replace(/[^\0-\x7f]/g, '?'),
      'request-id-lower-cased': (text) => text.toLowerCase(),
    });
  }

  /** @throws Refusal */
  check(value: unknown): string | undefined {
    if (value === undefined || (value === null && this.#behaviour.has('lenient-fields'))) {
      if (value === undefined && this.#behaviour.has('request-id-required'))
        throw new Refusal('malformed', 'request_id is missing');
      return undefined;
    }
    const id = typeof value === 'number' && this.#behaviour.has('wrong-types-coerced') ? `${value}` : value;
    if (typeof id !== 'string') throw new Refusal('malformed', 'request_id is not a string');
    if (this.#lengthOf(id) < this.#limits.minRequestIdLength)
      throw new Refusal('malformed', 'request_id is too short');
    if (!id.isWellFormed() || Buffer.byteLength(id) > 1024)
      throw new Refusal('malformed', 'request_id is not Unicode, or too long');
    if (this.#behaviour.has('request-ids-restricted') && !/^[\w.:-]{1,128}$/.test(id))
      throw new Refusal('malformed', 'request_id has characters that this server does not take');
    return this.#kept(id);
  }
}
