import { asArray, asObject, stringField, versionField } from './decode.js';
import { RefusedError } from './errors.js';
import type { Call, Http, Reply } from './http.js';
import type { RequestOptions, RetentionPolicy } from './types.js';

/** `/v1/retention`: the policies that hold truncation back. All of its requests may safely be sent twice. */
export class Retention {
  readonly #http: Http;

  constructor(http: Http) {
    this.#http = http;
  }

  async set(
    policyId: string,
    preventTruncate: number,
    options: RequestOptions,
  ): Promise<'created' | 'updated'> {
    const body = { prevent_truncate: preventTruncate };
    const { status } = await this.#send('PUT', encodeURIComponent(policyId), options, body);
    return status === 201 ? 'created' : 'updated';
  }

  async get(policyId: string, options: RequestOptions): Promise<number | undefined> {
    try {
      const { body } = await this.#send('GET', encodeURIComponent(policyId), options);
      return versionField(asObject(body, 'retention policy'), 'prevent_truncate');
    } catch (error) {
      if (error instanceof RefusedError && error.status === 404) return undefined;
      throw error;
    }
  }

  async list(options: RequestOptions): Promise<RetentionPolicy[]> {
    const { body } = await this.#send('GET', '', options);
    return asArray(body, 'retention policies').map((element) => {
      const policy = asObject(element, 'retention policy');
      return {
        policyId: stringField(policy, 'policy_id'),
        preventTruncate: versionField(policy, 'prevent_truncate'),
      };
    });
  }

  async delete(policyId: string, options: RequestOptions): Promise<void> {
    await this.#send('DELETE', encodeURIComponent(policyId), options);
  }

  #send(method: Call['method'], name: string, options: RequestOptions, body?: object): Promise<Reply> {
    const call = { method, path: `v1/retention/${name}`, body, signals: [options.signal] };
    return this.#http.retry(() => this.#http.call(call), options);
  }
}
