import type { ServerResponse } from 'node:http';
import { stringify } from 'lossless-json';
import type { Behaviour } from './behaviour.js';
import { Refusal, type RefusalKind, refusalStatus } from './refusal.js';
import type { Timers } from './timers.js';

const SLOWEST_MS = 25;

const isPlainObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Writes the answers that are not event streams. */
export class Answers {
  readonly #behaviour: Behaviour;
  readonly #timers: Timers;
  readonly #refusalStatus: Readonly<Record<RefusalKind, number>>;

  constructor(behaviour: Behaviour, timers: Timers) {
    this.#behaviour = behaviour;
    this.#timers = timers;
    this.#refusalStatus = refusalStatus(behaviour);
  }

  async json(response: ServerResponse, status: number, value: unknown): Promise<void> {
    const whole = this.#behaviour.has('extra-fields') ? withExtraFields(value) : value;
    const text = stringify(whole, null, this.#behaviour.has('pretty-json') ? 2 : 0) ?? '';
    await this.send(response, status, 'application/json', text);
  }

  async error(response: ServerResponse, error: unknown): Promise<void> {
    const isRefusal = error instanceof Refusal;
    const status = isRefusal ? this.#refusalStatus[error.kind] : 500;
    if (isRefusal && error.kind === 'overloaded') response.setHeader('retry-after', '0');
    const message = error instanceof Error ? error.message : 'unknown';
    if (this.#behaviour.has('errors-without-body')) await this.send(response, status, 'application/json', '');
    else
      await this.json(
        response,
        status,
        this.#behaviour.has('errors-as-list')
          ? [{ code: status, message }]
          : { error: isRefusal ? error.kind : 'internal', detail: message },
      );
  }

  async send(response: ServerResponse, status: number, type: string, text: string): Promise<void> {
    if (this.#behaviour.has('slow-answers')) await this.#timers.pause(Math.random() * SLOWEST_MS);
    const body = Buffer.from(text);
    const isBodiless = status === 204;
    // Counting characters where bytes are meant cuts off the end.
    const sent = this.#behaviour.has('content-length-in-characters') ? body.subarray(0, text.length) : body;
    response.statusCode = status;
    if (!isBodiless) {
      response.setHeader('content-type', type);
      if (!this.#behaviour.has('chunked-answers')) response.setHeader('content-length', sent.length);
    }
    if (this.#behaviour.has('connection-close')) response.setHeader('connection', 'close');
    if (isBodiless) response.end();
    else response.end(sent);
  }
}

function withExtraFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withExtraFields);
  if (!isPlainObject(value)) return value;
  const fields = Object.entries(value).map(([name, field]) => [name, withExtraFields(field)]);
  return { ...Object.fromEntries(fields), x_request: { node: 'a', tries: 1 } };
}
