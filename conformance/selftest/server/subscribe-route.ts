import type { ServerResponse } from 'node:http';
import type { Disk } from './disk.js';
import type { Leader } from './leader.js';
import type { Query } from './query.js';
import { Refusal } from './refusal.js';
import { Subscriber, type SubscriberParts } from './subscriber.js';

const REFUSED_BEYOND = 60;

/** GET /v1/subscribe, from the parameters to the stream. */
export class SubscribeRoute {
  readonly #parts: SubscriberParts;
  readonly #disk: Disk;
  readonly #leader: () => Leader;
  readonly #snapshot: () => bigint;

  /** @param snapshot what a copy of the log knows of it */
  constructor(parts: SubscriberParts, disk: Disk, leader: () => Leader, snapshot: () => bigint) {
    this.#parts = parts;
    this.#disk = disk;
    this.#leader = leader;
    this.#snapshot = snapshot;
  }

  /** @throws Refusal */
  async run(query: Query, response: ServerResponse): Promise<void> {
    const { behaviour } = this.#parts;
    const after = this.#start(query.version('after'));
    const durable = behaviour.pick(query.flag('durable') ?? true, {
      'durable-default-false': query.flag('durable') ?? false,
      'durable-parameter-ignored': true,
    });
    this.#refuseWhatIsNotThere(after);
    const type = behaviour.pick('text/event-stream', {
      'stream-typed-as-text': 'text/plain; charset=utf-8',
      'stream-typed-as-json': 'application/x-ndjson',
      'stream-type-with-charset': 'text/event-stream; charset=utf-8',
    });
    response.writeHead(behaviour.has('stream-answered-206') ? 206 : 200, {
      'content-type': type,
      'cache-control': 'no-store',
    });
    await new Subscriber(this.#parts, response, after, durable).run();
  }

  #start(after: bigint | undefined): bigint {
    const { behaviour } = this.#parts;
    const { durable, emptyVersion, records } = this.#disk;
    const latest = behaviour.pick(durable, {
      'after-default-is-the-beginning': this.#disk.truncatedThrough ?? emptyVersion,
      'after-default-repeats-the-latest': records.at(-1)?.prevVersion ?? durable,
    });
    if (after === undefined) return latest;
    return behaviour.pick(after, {
      'reader-of-before-put-behind-first-of-term': this.#isEndOfBefore(after)
        ? this.#leader().firstVersion
        : after,
      'after-zero-taken-as-missing': after || latest,
      'after-inclusive': after - 1n,
      'after-skips-the-next': after + 1n,
      'after-ignored': latest,
    });
  }

  /** Whether `after` is where the log ended when this term began. */
  #isEndOfBefore(after: bigint): boolean {
    return this.#disk.leaders.length > 1 && after === this.#leader().durableAtStart;
  }

  #refuseWhatIsNotThere(after: bigint): void {
    const { behaviour } = this.#parts;
    const { truncatedThrough, records } = this.#disk;
    const isGone = truncatedThrough !== undefined && after < truncatedThrough;
    const oldest = records[0]?.version;
    const oldestOfMany = records.at(-REFUSED_BEYOND)?.version;
    const refused = behaviour.pick(isGone, {
      'after-itself-has-to-be-held': truncatedThrough !== undefined && oldest !== undefined && after < oldest,
      'truncated-after-skipped': false,
      'truncated-after-off-by-one': truncatedThrough !== undefined && after + 1n < truncatedThrough,
      'after-far-behind-refused': oldestOfMany !== undefined && after < oldestOfMany,
    });
    if (refused) throw new Refusal('truncated', 'after is no longer held');
    const end = behaviour.has('streams-read-from-a-copy') ? this.#snapshot() : this.#leader().lastAccepted;
    const isRefused = behaviour.pick(after > end, {
      'after-ahead-of-log-waits': false,
      'after-skips-the-next': after > end + 1n,
      'reader-of-before-put-behind-first-of-term': after > end && after !== this.#leader().firstVersion,
    });
    if (isRefused) throw new Refusal('after-ahead-of-log', 'the log has not reached this version');
  }
}
