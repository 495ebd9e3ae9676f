import type { IncomingMessage, ServerResponse } from 'node:http';
import { stringify } from 'lossless-json';
import { parseJson } from '../../wire/json.js';
import type { Answers } from './answers.js';
import type { Behaviour } from './behaviour.js';
import { Refusal } from './refusal.js';
import { readBody } from './request-body.js';
import type { Retention } from './retention.js';

const LARGEST_BODY = 10_000;

/** The resources below /v1/retention/ (section 4.5). */
export class RetentionRoute {
  readonly #behaviour: Behaviour;
  readonly #retention: Retention;
  readonly #answers: Answers;

  constructor(behaviour: Behaviour, retention: Retention, answers: Answers) {
    this.#behaviour = behaviour;
    this.#retention = retention;
    this.#answers = answers;
  }

  /** @param segment what stands in the path after `/v1/retention/`. @throws Refusal */
  async answer(segment: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (segment === '') return this.#list(request, response);
    const id = this.#policyId(segment);
    switch (request.method) {
      case 'PUT':
        return this.#put(id, request, response);
      case 'GET':
        return this.#get(id, response);
      case 'DELETE':
        return this.#delete(id, response);
      default:
        throw new Refusal('method', 'GET, PUT and DELETE are answered here');
    }
  }

  #policyId(segment: string): string {
    let id: string;
    try {
      id = decodeURIComponent(segment);
    } catch {
      throw new Refusal('policy', 'the policy_id is not percent-encoded');
    }
    if (segment.includes('/')) throw new Refusal('not-found', 'no such path');
    if (this.#behaviour.has('policy-ids-restricted') && !/^[\w.~-]{1,128}$/.test(id))
      throw new Refusal('policy', 'the policy_id has characters that this server does not take');
    return this.#behaviour.pick(id, {
      'policy-id-lower-cased': id.toLowerCase(),
      'policy-id-not-decoded': segment,
      'policy-id-cut-at-dot': id.split('.', 1)[0] || id,
      'policy-id-decoded-twice': decodeURIComponentLeniently(id),
      'policy-id-cut-to-32-characters': id.slice(0, 32),
    });
  }

  async #put(id: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request, LARGEST_BODY, this.#behaviour);
    const version = this.#retention.versionOf(this.#parsed(body.toString('utf8')));
    const isNew = await this.#retention.put(id, version);
    await this.#answers.json(response, isNew ? 201 : 200, { prevent_truncate: version });
  }

  #parsed(text: string): unknown {
    try {
      return parseJson(text);
    } catch {
      throw new Refusal('policy', 'the body is not JSON');
    }
  }

  async #get(id: string, response: ServerResponse): Promise<void> {
    const version = this.#retention.get(id);
    if (version !== undefined) {
      const json = this.#behaviour.pick<unknown>(
        { prevent_truncate: version },
        {
          'policy-as-bare-number': version,
          'policy-version-as-text': { prevent_truncate: `${version}` },
          'policy-inside-a-list': [{ policy_id: id, prevent_truncate: version }],
          'policy-version-in-another-field': { version },
        },
      );
      return this.#answers.json(response, 200, json);
    }
    if (this.#behaviour.has('missing-policy-answered-as-zero'))
      return this.#answers.json(response, 200, { prevent_truncate: 0 });
    if (this.#behaviour.has('missing-policy-answered-200')) return this.#answers.json(response, 200, null);
    if (this.#behaviour.has('missing-policy-answered-204'))
      return this.#answers.send(response, 204, 'application/json', '');
    throw new Refusal('not-found', 'no such policy');
  }

  async #list(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET') throw new Refusal('method', 'GET is answered here');
    const policies = this.#retention
      .list()
      .map(([policy_id, prevent_truncate]) => ({ policy_id, prevent_truncate }));
    if (this.#behaviour.has('list-as-json-lines'))
      return this.#answers.send(
        response,
        200,
        'application/json',
        policies.map((one) => `${stringify(one)}\n`).join(''),
      );
    const json = this.#behaviour.pick<unknown>(policies, {
      'list-as-map': Object.fromEntries(this.#retention.list()),
      'list-inside-an-object': { policies },
      'list-with-ids-only': policies.map(({ policy_id }) => policy_id),
      'list-with-encoded-ids': policies.map((one) => ({
        ...one,
        policy_id: encodeURIComponent(one.policy_id),
      })),
    });
    return this.#answers.json(response, 200, json);
  }

  async #delete(id: string, response: ServerResponse): Promise<void> {
    const existed = await this.#retention.delete(id);
    const missing = this.#behaviour.pick(204, {
      'delete-missing-404': 404,
      'delete-of-none-answered-500': 500,
    });
    if (!existed && missing === 404) throw new Refusal('not-found', 'no such policy');
    if (!existed && missing === 500) throw new TypeError('cannot delete this');
    if (this.#behaviour.has('delete-answered-200')) return this.#answers.json(response, 200, {});
    return this.#answers.send(response, 204, 'application/json', '');
  }
}

function decodeURIComponentLeniently(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
