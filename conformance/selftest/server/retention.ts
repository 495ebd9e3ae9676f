import { isObject } from '../../wire/json.js';
import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';
import { Refusal } from './refusal.js';
import type { Timers } from './timers.js';

const SYNC_MS = 1;
const LIST_PAGE = 10;

/** The retention policies; each change is answered once it is durable. */
export class Retention {
  readonly #behaviour: Behaviour;
  readonly #disk: Disk;
  readonly #timers: Timers;

  constructor(behaviour: Behaviour, disk: Disk, timers: Timers) {
    this.#behaviour = behaviour;
    this.#disk = disk;
    this.#timers = timers;
  }

  /** The version that a body asks to hold. @throws Refusal */
  versionOf(json: unknown): bigint {
    const value = isObject(json) ? json['prevent_truncate'] : undefined;
    if (value === undefined && this.#behaviour.has('policy-without-version-stored')) return 0n;
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value)) throw new Refusal('policy', 'no version');
    const version = BigInt(value as number | bigint);
    if (version < 0n) throw new Refusal('policy', 'a version is not negative');
    return version;
  }

  /** @returns whether the policy is new. @throws Refusal */
  async put(id: string, version: bigint): Promise<boolean> {
    const { policies, policiesAsCreated, truncatedThrough } = this.#disk;
    if (
      truncatedThrough !== undefined &&
      version <= truncatedThrough &&
      this.#behaviour.has('policy-on-truncated-refused')
    )
      throw new Refusal('policy-truncated', 'this version is no longer held');
    const existedBefore = policies.has(id);
    await this.#timers.pause(SYNC_MS);
    const existed = this.#behaviour.has('policy-created-by-several') ? existedBefore : policies.has(id);
    const old = policies.get(id);
    if (!existed) policiesAsCreated.set(id, version);
    policies.set(id, this.#replaced(old, version));
    return this.#behaviour.pick(!existed, {
      'put-always-200': false,
      'put-always-201': true,
      'put-of-deleted-answers-200': !existed && !this.#disk.policiesDeleted.has(id),
    });
  }

  get(id: string): bigint | undefined {
    return this.#disk.policies.get(id);
  }

  list(): (readonly [string, bigint])[] {
    const all = [...this.#disk.policies];
    return this.#behaviour.pick(all, {
      'list-leaves-out-version-zero': all.filter(([, version]) => version),
      'list-cut-to-10': all.slice(0, LIST_PAGE),
      'list-shows-deleted': [...all, ...this.#disk.policiesDeleted],
      'list-shows-versions-as-created': all.map(
        ([id, version]) => [id, this.#disk.policiesAsCreated.get(id) ?? version] as const,
      ),
      'list-leaves-out-the-newest': all.slice(0, Math.max(1, all.length - 1)),
    });
  }

  /** @returns whether there was such a policy */
  async delete(id: string): Promise<boolean> {
    await this.#timers.pause(SYNC_MS);
    const { policies, policiesDeleted } = this.#disk;
    const version = policies.get(id);
    if (version !== undefined) policiesDeleted.set(id, version);
    for (const gone of this.#deletedWith(id)) policies.delete(gone);
    return version !== undefined;
  }

  #replaced(old: bigint | undefined, version: bigint): bigint {
    if (old === undefined) return version;
    return this.#behaviour.pick(version, {
      'policy-only-grows': old > version ? old : version,
      'policy-only-shrinks': old < version ? old : version,
      'policy-keeps-its-first-version': old,
    });
  }

  /** The policies that go when `id` is deleted: that one. */
  #deletedWith(id: string): readonly string[] {
    const ids = [...this.#disk.policies.keys()];
    return this.#behaviour.pick(() => [id], {
      'delete-removes-all': () => ids,
      'delete-by-prefix': () => ids.filter((other) => other.startsWith(id)),
      // What splice(indexOf(id), 1) does when there is no such element.
      'delete-of-none-removes-the-last': () => (ids.includes(id) ? [id] : ids.slice(-1)),
      'delete-does-nothing': () => [],
    })();
  }
}
