import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';
import type { RequestIds } from './request-ids.js';

const lowest = (versions: readonly bigint[]): bigint | undefined =>
  versions.length === 0 ? undefined : versions.reduce((a, b) => (a < b ? a : b));

const highest = (versions: readonly bigint[]): bigint | undefined =>
  versions.length === 0 ? undefined : versions.reduce((a, b) => (a > b ? a : b));

/** Truncates the log as far as the retention policies let it. */
export class Truncation {
  readonly #behaviour: Behaviour;
  readonly #disk: Disk;
  readonly #requestIds: RequestIds;

  constructor(behaviour: Behaviour, disk: Disk, requestIds: RequestIds) {
    this.#behaviour = behaviour;
    this.#disk = disk;
    this.#requestIds = requestIds;
  }

  /** Keeps the newest `keeps` transactions, and all that a policy holds. */
  run(keeps: number): void {
    const { records } = this.#disk;
    if (records.length <= keeps) return;
    const held = this.#heldFrom();
    const candidates = records.slice(0, records.length - keeps);
    const isHeld = this.#behaviour.pick((version: bigint): boolean => held !== undefined && version >= held, {
      'policy-off-by-one': (version) => held !== undefined && version > held,
    });
    const firstHeld = candidates.findIndex(({ version }) => isHeld(version));
    this.#requestIds.forget(this.#disk.truncate(firstHeld === -1 ? candidates.length : firstHeld));
  }

  /** From this version on nothing may be truncated. */
  #heldFrom(): bigint | undefined {
    const { policies, policiesDeleted, policiesAsCreated } = this.#disk;
    const versions = [...policies.values()];
    return this.#behaviour.pick(() => lowest(versions), {
      'highest-policy-wins': () => highest(versions),
      'newest-policy-wins': () => versions.at(-1),
      'policy-of-version-zero-ignored': () => lowest(versions.filter((version) => version)),
      'policies-ignored': () => undefined,
      'policies-hold-at-their-first-version': () =>
        lowest([...policiesAsCreated].filter(([id]) => policies.has(id)).map(([, version]) => version)),
      'deleted-policies-hold-on': () => lowest([...versions, ...policiesDeleted.values()]),
    })();
  }
}
