import type { LogEvent, LogView } from '../model/log-view.js';
import type { Witness } from '../model/witness.js';
import { Violation } from '../run/violation.js';

/**
 * The rules that hold within one stream (section 6.4): versions grow, each transaction names the one before
 * it, nothing at or below a checkpoint follows it. Each durable transaction goes into the view of the log.
 */
export class Chain {
  readonly #after: bigint | undefined;
  readonly #durable: boolean;
  readonly #durableGiven: boolean;
  readonly #committedAtOpening: bigint;
  readonly #view: LogView;
  readonly #witness: Witness;
  #last: LogEvent | undefined;
  /** The last one at or below a checkpoint. */
  #lastDurable: LogEvent | undefined;
  #checkpoint: bigint | undefined;
  /** Received with durable=false, above the last checkpoint. */
  #accepted: LogEvent[] = [];
  #unprovenStart: bigint | undefined;

  /** @param committedAtOpening the highest version known to be committed when the stream was asked for */
  constructor(
    query: { readonly after?: bigint; readonly durable?: boolean },
    committedAtOpening: bigint,
    view: LogView,
    witness: Witness,
  ) {
    this.#after = query.after;
    this.#durable = query.durable ?? true;
    this.#durableGiven = query.durable !== undefined;
    this.#committedAtOpening = committedAtOpening;
    this.#view = view;
    this.#witness = witness;
  }

  /** The version of the last transaction; undefined before the first. */
  get last(): bigint | undefined {
    return this.#last?.version;
  }

  /** The version of the last checkpoint; undefined before the first. */
  get checkpoint(): bigint | undefined {
    return this.#checkpoint;
  }

  /**
   * The prev_version of the first transaction, where it is above `after` and nothing tells whether a
   * transaction has that version: either the log begins there, or there is a gap.
   */
  get unprovenStart(): bigint | undefined {
    return this.#unprovenStart;
  }

  /** @throws Violation */
  transaction(event: LogEvent): void {
    if (event.prevVersion >= event.version)
      throw new Violation(
        'EVENT-PREV-VERSION',
        `version ${event.version} names prev_version ${event.prevVersion}, which is not below it`,
      );
    if (this.#checkpoint !== undefined && event.version <= this.#checkpoint)
      throw new Violation(
        'CHECKPOINT-NOT-AHEAD',
        `version ${event.version} was sent after a checkpoint at ${this.#checkpoint}: a client that resumes there misses it`,
      );
    if (this.#last === undefined) this.#checkFirst(event);
    else this.#checkNext(event, this.#last);
    this.#last = event;
    if (!this.#durable) {
      this.#accepted.push(event);
      return;
    }
    this.#view.add(event);
    this.#witness.learnTransaction(event.version, 'a durable stream', 'STREAM-DURABLE-ONLY');
  }

  /** @throws Violation */
  checkpointAt(version: bigint, leaderId: string): void {
    if (this.#durable)
      throw new Violation(
        this.#durableGiven ? 'STREAM-DURABLE-NO-CHECKPOINT' : 'STREAM-DURABLE-DEFAULT',
        `a checkpoint at ${version} was sent ${this.#durableGiven ? 'with durable=true' : 'although durable was left out'}`,
      );
    if (this.#checkpoint !== undefined && version < this.#checkpoint)
      throw new Violation(
        'CHECKPOINT-GROWS',
        `a checkpoint at ${version} followed one at ${this.#checkpoint}`,
      );
    this.#checkpoint = version;
    const by = 'a checkpoint';
    this.#witness.learnStated({
      version,
      by,
      whenBehind: 'CHECKPOINT-DURABLE',
      whenAhead: 'CHECKPOINT-DURABLE',
    });
    // What another leader accepted counts once a transaction of this one has come, whose chain leads over it.
    const isChained = this.#last?.leaderId === leaderId;
    const isCovered = (event: LogEvent): boolean => event.version <= version;
    const isDurable = (event: LogEvent): boolean =>
      isCovered(event) && (isChained || event.leaderId === leaderId);
    for (const event of this.#accepted.filter(isDurable)) {
      this.#view.add(event);
      this.#witness.learnTransaction(event.version, by, 'CHECKPOINT-DURABLE');
    }
    this.#lastDurable = this.#accepted.findLast(isDurable) ?? this.#lastDurable;
    this.#accepted = this.#accepted.filter((event) => !isCovered(event));
  }

  #checkFirst(event: LogEvent): void {
    if (this.#after === undefined) {
      if (event.version <= this.#committedAtOpening)
        throw new Violation(
          'STREAM-AFTER-DEFAULT',
          `a stream without after began with version ${event.version}, although ${this.#committedAtOpening} was committed before it was asked for`,
        );
      return;
    }
    if (event.version <= this.#after)
      throw new Violation(
        'STREAM-AFTER',
        `a stream after=${this.#after} began with version ${event.version}`,
      );
    const known = this.#view.get(this.#after);
    if (
      event.prevVersion > this.#after &&
      this.#after < this.#view.start &&
      !this.#view.has(event.prevVersion)
    ) {
      this.#unprovenStart = event.prevVersion;
      return;
    }
    if (event.prevVersion > this.#after || (known !== undefined && event.prevVersion !== this.#after))
      throw new Violation(
        'STREAM-AFTER',
        `a stream after=${this.#after} began with version ${event.version}, whose prev_version is ${event.prevVersion}: ${
          event.prevVersion > this.#after ? 'a gap' : `version ${this.#after} is its predecessor`
        }`,
      );
  }

  #checkNext(event: LogEvent, last: LogEvent): void {
    if (event.prevVersion === last.version) return;
    // A new leader goes on from what was durable: what was only accepted is to be discarded.
    if (!this.#durable && event.leaderId !== last.leaderId && this.#resumes(event)) {
      this.#accepted = this.#accepted.filter(({ version }) => version <= event.prevVersion);
      return;
    }
    if (event.version <= last.version)
      throw new Violation(
        'STREAM-COMPLETE',
        `version ${event.version} was sent after version ${last.version}`,
      );
    throw new Violation(
      event.prevVersion > last.version ? 'STREAM-COMPLETE' : 'EVENT-PREV-VERSION',
      `version ${event.version} with prev_version ${event.prevVersion} was sent after version ${last.version}${
        event.prevVersion > last.version ? ': a gap' : ''
      }`,
    );
  }

  #resumes(event: LogEvent): boolean {
    if (this.#accepted.some(({ version }) => version === event.prevVersion)) return true;
    if (this.#lastDurable !== undefined) return event.prevVersion === this.#lastDurable.version;
    return event.prevVersion <= (this.#checkpoint ?? this.#after ?? this.#committedAtOpening);
  }
}
