import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable, jsonOf } from '../api/decode.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { type HttpAnswer, NoAnswer } from '../wire/http.js';
import { asInteger, isObject, toJson } from '../wire/json.js';

/** The answer to a PUT or DELETE. */
export interface Changed {
  readonly status: number;
  readonly answer: HttpAnswer;
  /** The server was unavailable before it answered so: it may have done already what it was asked for. */
  readonly mayBeRepeated: boolean;
}

export interface Policy {
  readonly id: string;
  readonly preventTruncate: bigint;
}

const LIST = '/v1/retention/';
const path = (id: string): string => LIST + encodeURIComponent(id);
const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json' };

/** The retention policies of the server, as one test uses them (section 4.5). */
export class Policies {
  readonly #t: TestContext;
  /** Whatever this test may have created. */
  readonly #ids = new Set<string>();

  constructor(t: TestContext) {
    this.#t = t;
  }

  /** Sets a policy and expects an answer with one of `expected`, 201 or 200. @throws Violation */
  async set(id: string, version: bigint, expected: 200 | 201): Promise<void> {
    const { status, mayBeRepeated } = await this.put(id, version);
    const isExpected = status === expected || (mayBeRepeated && status === 200);
    this.#t.check(
      expected === 201 ? 'RETENTION-CREATE' : 'RETENTION-UPDATE',
      isExpected,
      `PUT of ${expected === 201 ? 'a new' : 'an existing'} policy ${id} with ${version} answered ${status}, not ${expected}`,
    );
  }

  /** @throws NoAnswer */
  put(id: string, version: bigint): Promise<Changed> {
    return this.putBody(id, `{"prevent_truncate":${version}}`);
  }

  /** @throws NoAnswer */
  putBody(id: string, body: string): Promise<Changed> {
    this.#ids.add(id);
    this.#t.run.policies.add(id);
    return this.#change('PUT', path(id), body);
  }

  /** Updates a policy by a path that is written in another way. @throws NoAnswer */
  putPath(pathOfPolicy: string, version: bigint): Promise<Changed> {
    return this.#change('PUT', pathOfPolicy, `{"prevent_truncate":${version}}`);
  }

  /** @throws NoAnswer */
  delete(id: string): Promise<Changed> {
    return this.#change('DELETE', path(id), undefined);
  }

  /** Deletes a policy that exists, or existed. @throws Violation */
  async remove(id: string): Promise<void> {
    const { status, mayBeRepeated, answer } = await this.delete(id);
    this.#t.check(
      'RETENTION-DELETE',
      status === 204 || (mayBeRepeated && status === 404),
      `DELETE of policy ${id} answered ${status}, not 204`,
    );
    this.#t.check('RETENTION-DELETE', answer.body.length === 0 || status !== 204, 'an answer 204 has a body');
  }

  /** The version that a policy is set to; undefined where GET answers that there is none. @throws Violation */
  get(id: string): Promise<bigint | undefined> {
    return this.getPath(path(id));
  }

  /** @throws Violation */
  async getPath(pathOfPolicy: string): Promise<bigint | undefined> {
    const what = `GET ${pathOfPolicy}`;
    const answer = await this.#read(pathOfPolicy);
    if (answer.status === 404 || answer.status === 410) return undefined;
    if (answer.status !== 200) throw new Violation('RETENTION-GET', `${what} answered ${answer.status}`);
    const json = jsonOf(answer, what);
    const version = isObject(json) ? asInteger(json['prevent_truncate']) : undefined;
    if (version === undefined)
      throw new Violation(
        'RETENTION-GET',
        `${what} answered ${toJson(json).slice(0, 200)}: no integer prevent_truncate`,
      );
    return version;
  }

  /** @throws Violation */
  async expect(id: string, version: bigint, requirement = 'RETENTION-GET'): Promise<void> {
    const found = await this.get(id);
    this.#t.check(
      requirement,
      found === version,
      `policy ${id} was set to ${version}, and GET answers ${found ?? '404'}`,
    );
  }

  /** @throws Violation */
  async expectNone(id: string, why: string, requirement = 'RETENTION-GET-NONE'): Promise<void> {
    const found = await this.get(id);
    this.#t.check(
      requirement,
      found === undefined,
      `GET of policy ${id}, ${why}, answers ${found} instead of 404`,
    );
  }

  /** Every policy of the server, those of others included. @throws Violation */
  async list(): Promise<readonly Policy[]> {
    const what = `GET ${LIST}`;
    const answer = await this.#read(LIST);
    if (answer.status !== 200) throw new Violation('RETENTION-LIST', `${what} answered ${answer.status}`);
    const json = jsonOf(answer, what);
    if (!Array.isArray(json))
      throw new Violation('RETENTION-LIST', `${what} answered ${toJson(json).slice(0, 200)}, not an array`);
    const policies = json.map((one: unknown): Policy => {
      const id = isObject(one) ? one['policy_id'] : undefined;
      const preventTruncate = isObject(one) ? asInteger(one['prevent_truncate']) : undefined;
      if (typeof id !== 'string' || preventTruncate === undefined)
        throw new Violation(
          'RETENTION-LIST',
          `${what} lists ${toJson(one).slice(0, 200)}: no policy_id that is a string, or no integer prevent_truncate`,
        );
      return { id, preventTruncate };
    });
    const ids = new Set(policies.map(({ id }) => id));
    this.#t.check(
      'RETENTION-LIST',
      ids.size === policies.length,
      () => `${what} lists a policy twice: ${toJson(json)}`,
    );
    return policies;
  }

  /** Compares the list with what is set, or not set, by this test. @throws Violation */
  async expectListed(
    expected: ReadonlyMap<string, bigint | undefined>,
    requirement = 'RETENTION-LIST',
  ): Promise<void> {
    const listed = new Map((await this.list()).map(({ id, preventTruncate }) => [id, preventTruncate]));
    for (const [id, version] of expected) {
      this.#t.check(
        requirement,
        listed.get(id) === version,
        `policy ${id} is ${version === undefined ? 'deleted' : `set to ${version}`}, and the list says ${listed.get(id) ?? 'nothing of it'}`,
      );
    }
  }

  /** Deletes whatever this test may have created; what cannot be deleted now is at the end of the run. */
  async clear(): Promise<void> {
    await Promise.allSettled([...this.#ids].map((id) => this.delete(id)));
  }

  async #read(pathToRead: string): Promise<HttpAnswer> {
    return await this.#t.until(`an answer to GET ${pathToRead}`, 'RETENTION-GET', async () => {
      const answer = await this.#t.api.raw('GET', pathToRead);
      return isUnavailable(answer.status) ? undefined : answer;
    });
  }

  async #change(method: string, pathOfPolicy: string, body: string | undefined): Promise<Changed> {
    const deadline = performance.now() + this.#t.options.patienceMs;
    let mayBeRepeated = false;
    for (let silences = 0; ; ) {
      try {
        const answer = await this.#t.api.raw(method, pathOfPolicy, {
          // A connection that was used before may just have been closed by the server.
          freshConnection: true,
          ...(body === undefined ? {} : { body, headers: JSON_HEADERS }),
        });
        if (!isUnavailable(answer.status)) return { status: answer.status, answer, mayBeRepeated };
        if (performance.now() > deadline)
          this.#t.giveUp(`${method} ${pathOfPolicy} is answered ${answer.status}`);
      } catch (error) {
        silences += 1;
        if (!(error instanceof NoAnswer) || silences > 2) throw error;
      }
      mayBeRepeated = true;
      await sleep(50);
    }
  }
}

/** Lets a test use policies that are gone when it ends: what they hold back, other tests may want to go. */
export async function withPolicies(
  t: TestContext,
  work: (policies: Policies) => Promise<void>,
): Promise<void> {
  const policies = new Policies(t);
  try {
    await work(policies);
  } finally {
    await policies.clear();
  }
}
