import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';
import type { LogRecord } from './record.js';
import type { Subscriber } from './subscriber.js';

/** Tells the subscribers that have caught up what is accepted and what has become durable. */
export class Feed {
  readonly #behaviour: Behaviour;
  readonly #disk: Disk;
  readonly #pending: () => readonly LogRecord[];
  readonly #live = new Set<Subscriber>();
  readonly #all = new Set<Subscriber>();
  #turn: Promise<void> = Promise.resolve();

  /** @param pending what is accepted and not durable */
  constructor(behaviour: Behaviour, disk: Disk, pending: () => readonly LogRecord[]) {
    this.#behaviour = behaviour;
    this.#disk = disk;
    this.#pending = pending;
  }

  /** The latest durable version. */
  get durable(): bigint {
    return this.#disk.durable;
  }

  opened(subscriber: Subscriber): void {
    this.#all.add(subscriber);
  }

  join(subscriber: Subscriber): void {
    this.#live.add(subscriber);
  }

  closed(subscriber: Subscriber): void {
    this.#all.delete(subscriber);
    this.#live.delete(subscriber);
  }

  get subscribers(): ReadonlySet<Subscriber> {
    return this.#all;
  }

  /** Up to `limit` transactions after `after`; undefined when the next one is no longer held. */
  read(after: bigint, limit: number, durable: boolean): readonly LogRecord[] | undefined {
    const { truncatedThrough, records } = this.#disk;
    if (
      truncatedThrough !== undefined &&
      after < truncatedThrough &&
      !this.#behaviour.has('truncated-after-skipped')
    )
      return undefined;
    const page = recordsAfter(records, after, limit);
    if (durable || page.length === limit) return page;
    const accepted = this.#pending().filter(({ version }) => version > after);
    return [...page, ...accepted].slice(0, limit);
  }

  accepted(record: LogRecord): void {
    for (const subscriber of this.#live) subscriber.accepted(record);
  }

  /** @returns a promise where the commits have to wait until everybody was told */
  madeDurable(batch: readonly LogRecord[]): Promise<void> | undefined {
    if (this.#behaviour.has('readers-wait-for-slow-readers')) {
      this.#turn = this.#turn.then(() => this.#tellInTurn(batch));
      return undefined;
    }
    for (const subscriber of this.#live) subscriber.madeDurable(batch);
    if (!this.#behaviour.has('commits-wait-for-slow-readers')) return undefined;
    return Promise.all([...this.#live].map((subscriber) => subscriber.drained())).then(() => undefined);
  }

  /** Tells one reader after the other, each of them once the one before has taken what it was sent. */
  async #tellInTurn(batch: readonly LogRecord[]): Promise<void> {
    for (const subscriber of this.#live) {
      subscriber.madeDurable(batch);
      await subscriber.drained();
    }
  }
}

/** Versions grow, so that the first transaction after `after` can be searched for by halves. */
function recordsAfter(records: readonly LogRecord[], after: bigint, limit: number): readonly LogRecord[] {
  let [low, high] = [0, records.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (records[middle]!.version <= after) low = middle + 1;
    else high = middle;
  }
  return records.slice(low, low + limit);
}
