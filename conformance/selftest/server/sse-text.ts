import { stringify } from 'lossless-json';
import type { Behaviour } from './behaviour.js';
import type { Json } from './event-json.js';

/** Writes events and comments in the format of event streams. */
export class SseText {
  readonly #behaviour: Behaviour;
  readonly #newline: string;
  readonly #colon: string;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
    this.#newline = behaviour.pick('\n', { 'sse-crlf': '\r\n', 'sse-cr': '\r' });
    this.#colon = behaviour.has('sse-without-space') ? ':' : ': ';
  }

  /** What a stream begins with. */
  get start(): string {
    if (this.#behaviour.has('sse-byte-order-mark')) return `\ufeff${this.#lines([': hello'])}`;
    if (this.#behaviour.has('sse-comments-and-retry'))
      return this.#lines([':', ': hello', 'retry: 2000', '']);
    return '';
  }

  get keepalive(): string {
    return this.#behaviour.pick(this.#lines([`:${this.#colon.slice(1)}keepalive`, '']), {
      'keepalive-as-event': this.#lines(['event: keepalive', 'data: {}', '']),
      'keepalive-without-colon': this.#lines(['keepalive', '']),
    });
  }

  event(name: string, json: Json): Buffer {
    const fields = [this.#field('event', name), ...this.#data(json)];
    const lines = this.#behaviour.has('sse-data-first') ? [...fields.slice(1), fields[0]!] : fields;
    if (this.#behaviour.has('sse-id-sent'))
      lines.push(this.#field('id', `${json['version'] ?? json['committed_version']}`));
    if (this.#behaviour.has('sse-comments-and-retry'))
      lines.splice(1, 0, ': note', 'retry: 3000', 'unknown: field');
    if (!this.#behaviour.has('sse-events-not-separated')) lines.push('');
    return Buffer.from(this.#lines(lines), this.#behaviour.has('sse-in-latin1') ? 'latin1' : 'utf8');
  }

  #data(json: Json): string[] {
    if (this.#behaviour.has('sse-data-in-many-lines'))
      return stringify(json, null, 1)!
        .split('\n')
        .map((line) => this.#field('data', line));
    if (this.#behaviour.has('sse-only-first-data-line-marked'))
      return this.#field('data', stringify(json, null, 1)!).split('\n');
    return [this.#field('data', stringify(json)!)];
  }

  #field(name: string, value: string): string {
    return `${name}${this.#colon}${value}`;
  }

  #lines(lines: readonly string[]): string {
    return lines.map((line) => `${line}${this.#newline}`).join('');
  }
}
