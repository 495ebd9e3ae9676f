import type { Behaviour } from './behaviour.js';
import { Refusal } from './refusal.js';

/** The parameters of a request. */
export class Query {
  readonly #parameters: ReadonlyMap<string, string>;
  readonly #behaviour: Behaviour;

  /** @param text what follows the question mark. @throws Refusal */
  constructor(text: string, behaviour: Behaviour) {
    this.#behaviour = behaviour;
    const decode = behaviour.pick(decoded, {
      'query-not-decoded': (part) => part,
      'query-decoded-twice': (part) => decoded(decoded(part)),
      'query-plus-decoded-last': (part) => decoded(part).replaceAll('+', ' '),
      'query-decoded-as-latin1': (part) => unescape(part),
      'query-cut-at-encoded-delimiters': (part) => decoded(part).split(/[&=#]/, 1)[0] ?? '',
    });
    this.#parameters = new Map(
      text
        .split('&')
        .filter((part) => part !== '')
        .map((part) => {
          const [name = '', ...value] = part.split('=');
          return [decode(name), decode(value.join('='))];
        }),
    );
  }

  text(name: string): string | undefined {
    return this.#parameters.get(name);
  }

  /** @throws Refusal where the parameter is not a version */
  version(name: string): bigint | undefined {
    const text = this.#parameters.get(name);
    if (text === undefined) return undefined;
    if (this.#behaviour.has('numbers-parsed-up-to-the-first-letter'))
      return BigInt(Number.parseInt(text, 10) || 0);
    if (!/^\d{1,30}$/.test(text)) throw new Refusal('parameter', `${name} is not a version`);
    return BigInt(text);
  }

  /** @throws Refusal where the parameter is neither true nor false */
  flag(name: string): boolean | undefined {
    const text = this.#parameters.get(name);
    if (text === undefined) return undefined;
    if (this.#behaviour.has('durable-taken-as-true-unless-false')) return text !== 'false';
    if (text !== 'true' && text !== 'false')
      throw new Refusal('parameter', `${name} is neither true nor false`);
    return text === 'true';
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw new Refusal('parameter', 'a parameter is not percent-encoded');
  }
}
