import { setTimeout as sleep } from 'node:timers/promises';
import type { Stream } from '../api/stream.js';
import type { KeySpace } from '../model/key-space.js';
import { write } from '../model/transaction.js';
import type { Run, TestContext } from '../run/test-context.js';
import { Incomplete, Violation } from '../run/violation.js';
import { blame } from './blame.js';
import { openStream } from './log-follower.js';
import { Policies } from './policies.js';
import { untilRecorded } from './until-recorded.js';

/** What it takes until the server has truncated what was the newest transaction before. */
interface Effort {
  readonly commits: number;
  readonly ms: number;
}

const WIDTH = 16;
const SMALLEST_BATCH = 24;
const FILLER_BYTES = 700;
const LONGEST_MS = 40_000;
/** How often a stream may end before its first event until that is taken for the answer. */
const EMPTY_STREAMS = 12;
/** Where truncation does not come although nothing is known to hold it, so much more is tried than it took before. */
const MARGIN = 1.5;

/** Measured once for each server; an error where its log could not be truncated at all. */
const efforts = new WeakMap<Run, Effort | Incomplete>();

/** Whether a transaction comes before the stream ends. @throws Violation */
async function begins(stream: Stream, after: bigint): Promise<boolean> {
  for (;;) {
    const item = await stream.next(`the transaction after ${after}`, 'STREAM-AFTER-HELD');
    if (item.kind === 'transaction' || item.kind === 'end') return item.kind === 'transaction';
  }
}

/**
 * Whether the log above `after` is held. A transaction above it has to be committed.
 * @throws Violation where the answer is neither 410 nor a stream that begins there without a gap
 */
export async function isTruncated(t: TestContext, after: bigint, durable = true): Promise<boolean> {
  for (let tries = 0; tries < EMPTY_STREAMS; tries += 1) {
    const stream = await openStream(t, { after, durable });
    if ('refused' in stream) {
      if (stream.refused === 410) return true;
      throw new Violation(
        'STREAM-AFTER-TRUNCATED',
        `after=${after}, which was a committed version, is answered with ${stream.refused}, neither with a stream nor with 410`,
      );
    }
    const hasBegun = await blame('STREAM-AFTER-TRUNCATED', ['STREAM-AFTER'], () => begins(stream, after));
    stream.close();
    if (hasBegun) return false;
    await sleep(10);
  }
  throw new Violation(
    'STREAM-AFTER-TRUNCATED',
    `after=${after} is answered with a stream that ends before its first event, ${EMPTY_STREAMS} times in a row`,
  );
}

/** Where the part of `versions` that is held begins, as far as a quick search tells. */
export async function edgeOf(t: TestContext, versions: readonly bigint[]): Promise<number> {
  let [low, high] = [0, versions.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (await isTruncated(t, versions[middle]!)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Fills the log until the server truncates it. */
export class Pressure {
  /** The versions of what it committed, in order. */
  readonly versions: bigint[] = [];
  readonly #t: TestContext;
  readonly #space: KeySpace;
  readonly #batch: number;
  #effort: Effort = { commits: 0, ms: 0 };

  private constructor(t: TestContext) {
    this.#t = t;
    this.#space = t.space();
    this.#batch = Math.max(SMALLEST_BATCH, Math.ceil((t.hooks.truncationKeeps ?? 0) / 4));
  }

  /**
   * Removes what this run may have left to hold the log, and learns what it takes to have it truncated.
   * @throws Incomplete where it cannot be truncated
   */
  static async on(t: TestContext): Promise<Pressure> {
    for (const id of t.run.policies) await new Policies(t).delete(id);
    t.run.policies.clear();
    const pressure = new Pressure(t);
    const effort = efforts.get(t.run);
    if (effort instanceof Incomplete) throw effort;
    if (effort === undefined) await pressure.#measure();
    else pressure.#effort = effort;
    return pressure;
  }

  /** How many commits it took to have one truncated. */
  get distance(): number {
    return this.#effort.commits;
  }

  /** The version of the newest transaction of this pressure. */
  get last(): bigint {
    return this.versions.at(-1) ?? 0n;
  }

  /** Commits transactions, and has the log truncated where the server does it on demand. */
  async press(count = this.#batch): Promise<void> {
    const t = this.#t;
    const added: bigint[] = [];
    await untilRecorded(t, this.last);
    await t.each(Array.from({ length: count }), WIDTH, async (_, index) => {
      const key = this.#space.key(`filler ${index % WIDTH}`);
      const { version } = await t.write(
        [write(key, `${index} `.padEnd(FILLER_BYTES, 'filler '))],
        this.#space,
      );
      added.push(version);
    });
    this.versions.push(...added.sort((a, b) => (a < b ? -1 : 1)));
    await untilRecorded(t, this.last);
    await t.hooks.truncate?.();
  }

  /** Presses longer than it took to have a transaction truncated that was the newest at the beginning. */
  async pressFar(watch: () => Promise<void> = async () => undefined): Promise<void> {
    const started = performance.now();
    const { commits, ms } = this.#effort;
    for (
      let done = 0;
      done < commits * MARGIN || performance.now() - started < ms * MARGIN;
      done += this.#batch
    ) {
      await this.press();
      await watch();
    }
  }

  /** Presses until `after=version` gets 410; false where that does not happen. */
  async truncatePast(version: bigint): Promise<boolean> {
    const started = performance.now();
    const { commits, ms } = this.#effort;
    const isKnown = commits > 0;
    let lastAdvance = { pressed: 0, at: started, oldestHeld: this.versions[0] };
    for (let pressed = 0; ; pressed += this.#batch) {
      await this.press();
      if (await isTruncated(this.#t, version)) return true;
      const now = performance.now();
      if (now - started > LONGEST_MS) return false;
      const isEnough =
        isKnown && pressed - lastAdvance.pressed > commits * 4 && now - lastAdvance.at > ms * 4 + 1000;
      if (!isEnough) continue;
      // A server that is behind with its truncation is given the same time again while it goes on.
      const oldestHeld = this.versions[await edgeOf(this.#t, this.versions)];
      if (oldestHeld === lastAdvance.oldestHeld) return false;
      lastAdvance = { pressed, at: now, oldestHeld };
    }
  }

  async #measure(): Promise<void> {
    const t = this.#t;
    const started = performance.now();
    await this.press(1);
    const isDone = await this.truncatePast(this.last);
    const effort = isDone
      ? { commits: this.versions.length, ms: performance.now() - started }
      : new Incomplete(
          `the server did not truncate its log while ${this.versions.length} transactions were committed${await this.#holders()}`,
        );
    efforts.set(t.run, effort);
    if (effort instanceof Incomplete) throw effort;
    this.#effort = effort;
  }

  async #holders(): Promise<string> {
    const policies = await new Policies(this.#t).list();
    const shown = policies.slice(0, 8).map(({ id, preventTruncate }) => `${id} at ${preventTruncate}`);
    return shown.length === 0 ? '' : `; there are policies that may hold it: ${shown.join(', ')}`;
  }
}
