import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import type { Policies } from '../tests/policies.js';
import { POLICIES } from './interface-steps.js';

type State = bigint | undefined;

/** One policy, as far as the answers so far tell. */
interface Known {
  readonly id: string;
  /** It is in one of these states: more than one after changes at the same time. */
  states: readonly State[];
  /** The step that changed it last. */
  since: number;
  /** What the step under way asks for. */
  wanted: State[];
  /** What of it was done. */
  done: State[];
}

const say = (state: State): string => (state === undefined ? 'absent' : `${state}`);

/** The retention policies of one case. */
export class PolicyModel {
  readonly #t: TestContext;
  readonly #policies: Policies;
  readonly #known: readonly Known[];
  #step = 0;

  constructor(t: TestContext, policies: Policies) {
    this.#t = t;
    this.#policies = policies;
    this.#known = Array.from({ length: POLICIES }, () => ({
      id: t.policyId(),
      states: [undefined],
      since: 0,
      wanted: [],
      done: [],
    }));
  }

  /** @param changes what the step will ask for: the policy, and its new version */
  beginStep(step: number, changes: readonly (readonly [number, State])[]): void {
    this.#step = step;
    for (const known of this.#known) {
      known.wanted = [];
      known.done = [];
    }
    for (const [index, state] of changes) this.#known[index]!.wanted.push(state);
  }

  endStep(): void {
    for (const known of this.#known) {
      if (known.wanted.length > 0) known.since = this.#step;
      if (known.done.length > 0) known.states = known.done;
      known.wanted = [];
    }
  }

  /**
   * The version from which on a policy holds the log, for certain and at least since `step`; undefined where
   * there is none.
   */
  heldSince(step: number, version: bigint): bigint | undefined {
    const holding = this.#known.find(
      ({ states, since, wanted }) =>
        wanted.length === 0 &&
        since < step &&
        states.every((state) => state !== undefined && state <= version),
    );
    return holding?.states[0];
  }

  async set(index: number, version: bigint, mayBeTruncated: () => Promise<boolean>): Promise<void> {
    const known = this.#known[index]!;
    const { status, mayBeRepeated } = await this.#policies.put(known.id, version);
    if (status !== 200 && status !== 201) {
      const isRefusal = status >= 400 && status < 500;
      if (isRefusal && (await mayBeTruncated())) return;
      throw new Violation(
        'RETENTION-CREATE',
        `PUT of a policy at version ${version} is answered with ${status}`,
      );
    }
    known.done.push(version);
    if (known.wanted.length > 1 || mayBeRepeated) return;
    if (known.states.every((state) => state === undefined))
      this.#t.check(
        'RETENTION-CREATE',
        status === 201,
        `PUT of a policy that does not exist is answered with ${status}`,
      );
    if (known.states.every((state) => state !== undefined))
      this.#t.check(
        'RETENTION-UPDATE',
        status === 200,
        `PUT of a policy that exists is answered with ${status}`,
      );
  }

  async delete(index: number): Promise<void> {
    const known = this.#known[index]!;
    const { status, mayBeRepeated } = await this.#policies.delete(known.id);
    const existed =
      known.wanted.length === 1 && !mayBeRepeated && known.states.every((state) => state !== undefined);
    this.#t.check(
      existed ? 'RETENTION-DELETE' : 'RETENTION-DELETE-NONE',
      status === 204 || (!existed && status === 404),
      `DELETE of a policy that ${existed ? 'exists' : 'may not exist'} is answered with ${status}`,
    );
    known.done.push(undefined);
  }

  async get(index: number): Promise<void> {
    const known = this.#known[index]!;
    this.#expect(known, await this.#policies.get(known.id), 'RETENTION-GET', 'GET');
  }

  async list(): Promise<void> {
    const listed = new Map(
      (await this.#policies.list()).map(({ id, preventTruncate }) => [id, preventTruncate]),
    );
    for (const known of this.#known) this.#expect(known, listed.get(known.id), 'RETENTION-LIST', 'the list');
  }

  async removeAll(): Promise<void> {
    for (const { id } of this.#known) await this.#policies.delete(id);
  }

  #expect(known: Known, seen: State, requirement: string, how: string): void {
    const possible = [...known.states, ...known.wanted];
    this.#t.check(
      requirement,
      possible.includes(seen),
      () => `a policy should be ${possible.map(say).join(' or ')}, and ${how} shows it as ${say(seen)}`,
    );
    if (known.wanted.length === 0) known.states = [seen];
  }
}
