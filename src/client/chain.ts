/** What the chain needs to know of a transaction. */
export interface Link {
  readonly version: number;
  readonly prevVersion: number;
  readonly leaderId: string;
}

/**
 * The chain of transactions that one subscriber has received: which one has to come next, from where to
 * resume, and which ones have to be taken back. Pure bookkeeping, without a connection.
 *
 * It relies on this: a version number never names two different transactions, whatever happens to the leader.
 */
export class Chain {
  readonly #durable: boolean;
  /** The last transaction known to be durable, or where the caller began. */
  #settled: number;
  /** Whether `#settled` is the version of a transaction, which the next one has to name. */
  #settledIsLink = false;
  /** Transactions received after it, ascending; always empty when only durable ones are sent. */
  #pending: number[] = [];
  /** What is said on this connection: everything up to this version is durable. */
  #watermark = 0;
  /** Who leads, as far as this connection has told. */
  #leaderId: string | undefined;
  #leaderIsCertain = false;

  /**
   * @param after the version after which the first transaction is expected; need not be that of a transaction
   * @param durable whether only durable transactions are sent
   */
  constructor(after: number, durable: boolean) {
    this.#settled = after;
    this.#durable = durable;
  }

  /** Where to resume: everything received up to here is durable. */
  get position(): number {
    return this.#settled;
  }

  /** The transaction received last, or where to begin. */
  get tip(): number {
    return this.#pending.at(-1) ?? this.#settled;
  }

  /** Takes the next transaction. False when it does not follow the last one: then nothing has changed. */
  append({ version, prevVersion, leaderId }: Link): boolean {
    const { tip } = this;
    const tipIsLink = this.#pending.length > 0 || this.#settledIsLink;
    if (version <= prevVersion || version <= tip) return false;
    if (tipIsLink ? prevVersion !== tip : prevVersion > tip) return false;
    if (this.#durable || version <= this.#watermark) {
      this.#settled = version;
      this.#settledIsLink = true;
    } else {
      this.#pending.push(version);
    }
    // Only a guess: in the history that a new subscriber reads, earlier leaders appear as well.
    if (!this.#leaderIsCertain) this.#leaderId = leaderId;
    return true;
  }

  /**
   * Takes a checkpoint. False when it comes from a new leader that need not have what is pending here: then
   * nothing has changed, and the connection has to be given up. A new leader whose last transaction is the
   * one received last has everything before it as well.
   */
  checkpoint(committedVersion: number, leaderId: string): boolean {
    const leaderChanged = this.#leaderId !== undefined && this.#leaderId !== leaderId;
    if (leaderChanged && this.#pending.length > 0 && committedVersion !== this.tip) return false;
    this.#leaderId = leaderId;
    this.#leaderIsCertain = true;
    // Not beyond what has been received, even if the server's watermark already is: `position` must skip
    // nothing.
    this.#watermark = Math.max(this.#watermark, committedVersion);
    const above = this.#pending.findIndex((version) => version > committedVersion);
    const settled = this.#pending.splice(0, above === -1 ? this.#pending.length : above);
    const last = settled.at(-1);
    if (last !== undefined) {
      this.#settled = last;
      this.#settledIsLink = true;
    }
    return true;
  }

  /** The connection is gone: takes back what is not known to be durable. True when there was any. */
  rewind(): boolean {
    const discards = this.#pending.length > 0;
    this.#pending = [];
    this.#watermark = 0;
    this.#leaderId = undefined;
    this.#leaderIsCertain = false;
    return discards;
  }
}
