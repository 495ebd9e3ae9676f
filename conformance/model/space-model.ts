import type { Bytes } from '../wire/bytes.js';
import { effectiveVersion, type Operation, type Precondition } from './transaction.js';

/** A change of one key that a precondition missed. */
export interface MissedChange {
  readonly precondition: Precondition;
  readonly key: Bytes;
  readonly version: bigint;
}

/**
 * The keys of one key space that is written by this run only, replayed in version order: which keys exist,
 * with which content, and at which versions each of them really changed. A transaction whose net effect on a
 * key is none does not change it.
 */
export class SpaceModel {
  readonly #state = new Map<Bytes, Bytes>();
  readonly #changes = new Map<Bytes, bigint[]>();

  get state(): ReadonlyMap<Bytes, Bytes> {
    return this.#state;
  }

  /** The content of every key that `operations` touch, after them; undefined where the key is gone. */
  effect(operations: readonly Operation[]): Map<Bytes, Bytes | undefined> {
    const effect = new Map<Bytes, Bytes | undefined>();
    for (const operation of operations) {
      if (operation.type === 'write') effect.set(operation.key, operation.value);
      else if (operation.type === 'delete') effect.set(operation.key, undefined);
      else {
        const inside = (key: Bytes): boolean => key >= operation.begin && key < operation.end;
        for (const key of this.#state.keys()) if (inside(key)) effect.set(key, undefined);
        for (const key of effect.keys()) if (inside(key)) effect.set(key, undefined);
      }
    }
    return effect;
  }

  /** Applies a transaction. Versions must grow from call to call. Returns the keys that changed. */
  apply(version: bigint, operations: readonly Operation[]): readonly Bytes[] {
    const changed: Bytes[] = [];
    for (const [key, value] of this.effect(operations)) {
      if (this.#state.get(key) === value) continue;
      if (value === undefined) this.#state.delete(key);
      else this.#state.set(key, value);
      const versions = this.#changes.get(key);
      if (versions === undefined) this.#changes.set(key, [version]);
      else versions.push(version);
      changed.push(key);
    }
    return changed;
  }

  /**
   * The first change above the version of a precondition and up to `until` that `preconditions` miss;
   * undefined when all of them hold.
   */
  missed(
    preconditions: readonly Precondition[],
    readVersion: bigint,
    until?: bigint,
  ): MissedChange | undefined {
    for (const precondition of preconditions) {
      const since = effectiveVersion(precondition, readVersion);
      const change = (key: Bytes, versions: readonly bigint[]): MissedChange | undefined => {
        const version = versions.find((one) => one > since && (until === undefined || one <= until));
        return version === undefined ? undefined : { precondition, key, version };
      };
      if (precondition.type === 'point_read') {
        const found = change(precondition.key, this.#changes.get(precondition.key) ?? []);
        if (found !== undefined) return found;
        continue;
      }
      for (const [key, versions] of this.#changes) {
        if (key < precondition.begin || key >= precondition.end) continue;
        const found = change(key, versions);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}
