import type { Behaviour } from './behaviour.js';
import type { Bytes } from './bytes.js';
import type { Change } from './changes.js';
import type { KeyOrder } from './key-order.js';
import type { Precondition } from './record.js';

type ChangeAt = Change & { readonly version: bigint };

/** How many changes a history keeps that forgets old ones. */
const FORGETS_BEYOND = 150;

/** Keys that begin alike share a bucket. */
const bucket = (key: Bytes): Bytes => key.slice(0, 12);

/** Everything that was changed in this term, in version order. */
export class ConflictHistory {
  readonly #behaviour: Behaviour;
  readonly #order: KeyOrder;
  /** What changed up to here is not known: older reads are refused. */
  readonly #floor: bigint;
  #changes: ChangeAt[] = [];

  /** @param floor the version that was durable when the term began */
  constructor(behaviour: Behaviour, order: KeyOrder, floor: bigint) {
    this.#behaviour = behaviour;
    this.#order = order;
    this.#floor = behaviour.has('history-lost-at-restart') ? 0n : floor;
  }

  record(version: bigint, changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === 'deleted' && this.#behaviour.has('deleted-keys-forgotten'))
        this.#changes = this.#changes.filter(
          (known) => known.kind === 'range-deleted' || known.key !== change.key,
        );
      else this.#changes.push({ ...change, version });
    }
    if (this.#behaviour.has('history-forgets')) this.#changes = this.#changes.slice(-FORGETS_BEYOND);
  }

  /** Whether anything that `precondition` reads has changed after `since`, or may have. */
  isBroken(precondition: Precondition, since: bigint): boolean {
    if (since < this.#floor) return true;
    const reads = this.#readerOf(precondition);
    const isLater = this.#behaviour.pick((change: ChangeAt): boolean => change.version > since, {
      'changes-at-the-next-version-missed': (change) => change.version > since + 1n,
      'changes-at-the-same-version-count': (change) => change.version >= since,
    });
    for (let index = this.#changes.length - 1; index >= 0; index -= 1) {
      const change = this.#changes[index]!;
      if (!isLater(change)) return false;
      if (reads(change)) return true;
    }
    return false;
  }

  #readerOf(precondition: Precondition): (change: ChangeAt) => boolean {
    if (precondition.type === 'point_read') {
      const ignoresRanges = this.#behaviour.has('point-reads-ignore-range-deletes');
      return (change) =>
        change.kind === 'range-deleted'
          ? !ignoresRanges && this.#contains(change.begin, precondition.key, change.end)
          : this.#sameKey(change.key, precondition.key);
    }
    const { begin, end } = precondition;
    const readsKey = this.#readerOfRange(begin, end);
    const overlaps = this.#behaviour.pick(
      (change: { begin: Bytes; end: Bytes }): boolean =>
        this.#order(begin, change.end) < 0 && this.#order(change.begin, end) < 0,
      {
        'range-deletes-seen-only-inside-range-reads': (change) =>
          this.#order(begin, change.begin) <= 0 && this.#order(change.end, end) <= 0,
        'range-deletes-seen-only-at-their-begin': (change) => readsKey(change.begin),
        'range-reads-ignore-range-deletes': () => false,
      },
    );
    const counts = this.#behaviour.pick((_change: ChangeAt): boolean => true, {
      'phantoms-missed': ({ kind }) => kind !== 'created',
      'range-reads-ignore-deletes': ({ kind }) => kind !== 'deleted',
      'range-reads-see-only-creations-and-deletions': ({ kind }) => kind !== 'overwritten',
    });
    return (change) =>
      counts(change) && (change.kind === 'range-deleted' ? overlaps(change) : readsKey(change.key));
  }

  #readerOfRange(begin: Bytes, end: Bytes): (key: Bytes) => boolean {
    return this.#behaviour.pick((key: Bytes): boolean => this.#contains(begin, key, end), {
      'range-begin-exclusive': (key) => this.#order(begin, key) < 0 && this.#order(key, end) < 0,
      'ranges-treated-as-closed': (key) => this.#order(begin, key) <= 0 && this.#order(key, end) <= 0,
      'range-reads-check-their-bounds-only': (key) => key === begin || key === end,
      'last-key-of-range-missed': (key) => this.#contains(begin, key, end) && `${key}\0` !== end,
      'conflicts-by-prefix-bucket': (key) => bucket(begin) <= bucket(key) && bucket(key) <= bucket(end),
    });
  }

  #contains(begin: Bytes, key: Bytes, end: Bytes): boolean {
    return this.#order(begin, key) <= 0 && this.#order(key, end) < 0;
  }

  #sameKey(a: Bytes, b: Bytes): boolean {
    return this.#behaviour.has('conflicts-by-prefix-bucket')
      ? bucket(a) === bucket(b)
      : this.#order(a, b) === 0;
  }
}
