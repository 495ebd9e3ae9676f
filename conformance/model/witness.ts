import { Violation } from '../run/violation.js';

/** A version that the server has shown to be committed. */
export interface Fact {
  readonly version: bigint;
  /** What told it, for messages. */
  readonly by: string;
  /** The requirement that is broken when GET /v1/version is still below the version. */
  readonly whenBehind: string;
  /** The requirement that is broken when a transaction sent later still commits at or below the version. */
  readonly whenAhead: string;
}

/** What was known when a request was sent: its answer is judged against this, not against what came later. */
export interface Knowledge {
  /** The highest version known to be that of a committed transaction. */
  readonly transaction: Fact;
  /** The highest version that the server said to be committed, whether or not a transaction has it. */
  readonly stated: Fact;
  /** The highest version that an answer has told, other than a stream. */
  readonly answered: Fact;
  /** The higher of transaction and stated. */
  readonly committed: Fact;
  /** The highest version that each leader handed out in a not_committed answer. */
  readonly retry: ReadonlyMap<string, bigint>;
  /** How many answers had named a leader. */
  readonly at: number;
}

/** When a leader was first heard of, and when its term was known to be over. */
interface Term {
  readonly heardAt: number;
  readonly overAt: number | undefined;
}

/** Below every version: those of a server need not begin at 0. */
const NOTHING: Fact = {
  version: -(2n ** 128n),
  by: 'nothing',
  whenBehind: 'VERSION-NOT-BEHIND',
  whenAhead: 'LOG-VERSIONS-GROW',
};

/**
 * What the suite knows of versions and leaders at each moment, over all tests and connections. A fact counts
 * for the requests that are sent after it was learnt.
 */
export class Witness {
  #transaction = NOTHING;
  #stated = NOTHING;
  #answered = NOTHING;
  #retry: ReadonlyMap<string, bigint> = new Map();
  readonly #terms = new Map<string, Term>();
  /** Counts the answers that named a leader. */
  #clock = 0;

  knowledge(): Knowledge {
    return {
      transaction: this.#transaction,
      stated: this.#stated,
      answered: this.#answered,
      committed: this.#stated.version > this.#transaction.version ? this.#stated : this.#transaction,
      retry: this.#retry,
      at: this.#clock,
    };
  }

  /** A committed transaction has `version`. */
  learnTransaction(version: bigint, by: string, whenBehind: string): void {
    const fact = { version, by, whenBehind, whenAhead: 'LOG-VERSIONS-GROW' };
    if (version > this.#transaction.version) this.#transaction = fact;
    this.#learnAnswered(fact);
  }

  /** The server says that `version` is committed. */
  learnStated(fact: Fact): void {
    if (fact.version > this.#stated.version) this.#stated = fact;
    this.#learnAnswered(fact);
  }

  #learnAnswered(fact: Fact): void {
    if (fact.whenBehind === 'VERSION-NOT-BEHIND' && fact.version > this.#answered.version)
      this.#answered = fact;
  }

  /** `leader` handed out `version` to read at in a not_committed answer. */
  learnRetryVersion(version: bigint, leader: string): void {
    if (version > (this.#retry.get(leader) ?? NOTHING.version))
      this.#retry = new Map([...this.#retry, [leader, version]]);
  }

  /** Whether any answer named `leader` as the current one. */
  knowsLeader(leader: string): boolean {
    return this.#terms.has(leader);
  }

  /**
   * An answer named `leader` as the current one. A term is over once another leader has answered a request
   * that was sent after `leader` was first heard of.
   * @throws Violation where the term of `leader` was over before the request was sent
   */
  learnLeader(leader: string, known: Knowledge, by: string): void {
    this.#clock += 1;
    const term = this.#terms.get(leader);
    if (term?.overAt !== undefined && term.overAt <= known.at)
      throw new Violation(
        'LEADER-STABLE',
        `${by} names leader ${leader}, although another leader had followed it before the request was sent`,
      );
    for (const [other, { heardAt, overAt }] of this.#terms) {
      if (other !== leader && overAt === undefined && heardAt <= known.at)
        this.#terms.set(other, { heardAt, overAt: this.#clock });
    }
    if (term === undefined) this.#terms.set(leader, { heardAt: this.#clock, overAt: undefined });
  }

  /** @throws Violation where a version that was known before the request was sent is not below `version` */
  checkNewVersion(version: bigint, leader: string, known: Knowledge): void {
    for (const fact of [known.transaction, known.stated]) {
      if (version <= fact.version)
        throw new Violation(
          fact.whenAhead,
          `a transaction committed at version ${version}, although version ${fact.version} was known to be committed (by ${fact.by}) before it was sent: what is read at that version still changed`,
        );
    }
    const retry = known.retry.get(leader);
    if (retry !== undefined && version <= retry)
      throw new Violation(
        'COMMIT-ANSWER-RETRY-VERSION',
        `a transaction committed at version ${version}, although a not_committed answer had handed out version ${retry} to retry with before it was sent: what is read at that version still changed`,
      );
  }
}
