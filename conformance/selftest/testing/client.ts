import { isObject, type JsonObject } from '../../wire/json.js';

export interface Answer {
  readonly status: number;
  readonly json: JsonObject;
}

/** An event of a stream: its name, and what its data says. */
export type Event = readonly [name: string, data: JsonObject];

const objectOf = (text: string): JsonObject => {
  const json: unknown = text === '' ? {} : JSON.parse(text);
  return isObject(json) ? json : { list: json };
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export const write = (key: string, value: string): JsonObject => ({
  type: 'write',
  key: base64(key),
  value: base64(value),
});

export const pointRead = (key: string): JsonObject => ({ type: 'point_read', key: base64(key) });

/** A client of its own, that shares nothing with the suite: the suite is not to be judged by itself. */
export class TestClient {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  async ask(method: string, path: string, body?: JsonObject): Promise<Answer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: objectOf(await response.text()) };
  }

  async version(): Promise<JsonObject> {
    return (await this.ask('GET', '/v1/version')).json;
  }

  /** Commits at the current version, unless `request` says otherwise. */
  async commit(request: JsonObject): Promise<Answer> {
    const { version, leader_id } = await this.version();
    return this.ask('POST', '/v1/commit', { leader_id, read_version: version, ...request });
  }

  async status(requestId: string, minVersion: number): Promise<unknown> {
    const query = `request_id=${encodeURIComponent(requestId)}&min_version=${minVersion}`;
    return (await this.ask('GET', `/v1/status?${query}`)).json['status'];
  }

  /** The first `count` events of a stream. */
  async events(query: string, count: number): Promise<Event[]> {
    const stop = new AbortController();
    const response = await fetch(`${this.#url}/v1/subscribe?${query}`, { signal: stop.signal });
    const events: Event[] = [];
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, name, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? [];
        if (name !== undefined && data !== undefined) events.push([name, objectOf(data)]);
      }
      if (events.length >= count) break;
    }
    stop.abort();
    return events.slice(0, count);
  }
}
