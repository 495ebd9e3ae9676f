import type { Behaviour } from './behaviour.js';
import type { ConflictHistory } from './conflict-history.js';
import type { CommitRequest, Precondition } from './record.js';

const keyOf = (precondition: Precondition): string =>
  precondition.type === 'point_read' ? precondition.key : precondition.begin;

/** The last of the preconditions of each key, as a map by key leaves them. */
const byKey = (preconditions: readonly Precondition[]): Precondition[] => [
  ...new Map(preconditions.map((one) => [keyOf(one), one])).values(),
];

const pointReadsIfAny = (preconditions: readonly Precondition[]): readonly Precondition[] => {
  const points = preconditions.filter(({ type }) => type === 'point_read');
  return points.length > 0 ? points : preconditions;
};

const highest = (versions: readonly bigint[]): bigint => versions.reduce((a, b) => (a > b ? a : b));

/** Decides whether preconditions hold. */
export class PreconditionCheck {
  readonly #behaviour: Behaviour;

  constructor(behaviour: Behaviour) {
    this.#behaviour = behaviour;
  }

  /** The version at which `precondition` is to be checked. @param latest the newest version of the log */
  versionOf(precondition: Precondition, request: CommitRequest, latest: bigint): bigint {
    const { version } = precondition;
    const { readVersion, preconditions } = request;
    const normal = version ?? readVersion;
    const versions = (): bigint[] => preconditions.map((one) => one.version ?? readVersion);
    return this.#behaviour.pick(() => normal, {
      'precondition-version-ignored': () => readVersion,
      'precondition-version-zero-ignored': () => version || readVersion,
      'read-version-preferred-where-higher': () => highest([normal, readVersion]),
      'read-version-zero-taken-as-latest': () => (version ?? readVersion) || latest,
      'missing-version-taken-as-latest': () => version ?? latest,
      'missing-version-taken-as-previous-ones': () =>
        version ?? preconditions.find((one) => one.version !== undefined)?.version ?? readVersion,
      'highest-version-for-all-preconditions': () => highest(versions()),
      'first-version-for-all-preconditions': () => versions()[0] ?? normal,
    })();
  }

  /** The preconditions that do not hold, in the order of the request. */
  broken(request: CommitRequest, history: ConflictHistory, latest: bigint): readonly Precondition[] {
    const { preconditions } = request;
    const checked = this.#behaviour.pick(preconditions, {
      'first-8-preconditions-checked': preconditions.slice(0, 8),
      'first-100-preconditions-checked': preconditions.slice(0, 100),
      'last-precondition-of-each-key-checked': byKey(preconditions),
      'range-reads-skipped-beside-point-reads': pointReadsIfAny(preconditions),
      'last-precondition-unchecked': preconditions.slice(0, Math.max(1, preconditions.length - 1)),
    });
    const broken = checked.filter((one) => history.isBroken(one, this.versionOf(one, request, latest)));
    if (this.#behaviour.has('any-precondition-suffices') && broken.length < preconditions.length) return [];
    return broken.length > 0 ? broken : this.#rejectedInVain(request, history);
  }

  /** What a server that decides on the safe side rejects although it holds. */
  #rejectedInVain(request: CommitRequest, history: ConflictHistory): readonly Precondition[] {
    const { preconditions, readVersion } = request;
    const everything: Precondition = {
      type: 'range_read',
      version: undefined,
      begin: '',
      end: '\xff'.repeat(64),
    };
    return this.#behaviour.pick((): readonly Precondition[] => [], {
      'conflicts-at-random': () => (Math.random() < 0.2 ? preconditions.slice(0, 1) : []),
      'conflicts-by-whole-database': () =>
        preconditions.filter((one) => history.isBroken(everything, one.version ?? readVersion)),
    })();
  }
}
