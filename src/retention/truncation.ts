import type { Log, SegmentSummary } from '../log/log.js';

/** What truncation must leave. A limit that is undefined is not set. Times in milliseconds. */
export interface TruncationLimits {
  /** Decision R6: what may go is beyond all of these that are set; with none set nothing goes. */
  readonly retainMs: number | undefined;
  readonly retainVersions: number | undefined;
  readonly retainBytes: number | undefined;
  /** How long, and for how many versions, request IDs stay findable (specification 8). */
  readonly requestIdRetainMs: number;
  readonly requestIdRetainVersions: number;
}

/**
 * How many of the oldest segments may be removed now.
 *
 * @param segments oldest first; the last one is being written and always stays.
 * @param lowestHold the lowest `prevent_truncate` of all policies, or infinity.
 */
export function removableSegments(
  segments: readonly SegmentSummary[],
  limits: TruncationLimits,
  lowestHold: number,
  nowMs: number,
): number {
  const { retainMs, retainVersions, retainBytes } = limits;
  if (retainMs === undefined && retainVersions === undefined && retainBytes === undefined) return 0;
  const transactions = (segment: SegmentSummary) => segment.lastVersion - segment.firstVersion + 1;
  const ageMsMin = Math.max(retainMs ?? 0, limits.requestIdRetainMs);
  const versionsMin = Math.max(retainVersions ?? 0, limits.requestIdRetainVersions);
  let bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
  let versions = segments.reduce((sum, segment) => sum + transactions(segment), 0);
  let count = 0;
  for (const segment of segments.slice(0, -1)) {
    versions -= transactions(segment);
    const removable =
      segment.sealed &&
      segment.lastVersion < lowestHold &&
      versions >= versionsMin &&
      segment.lastTimestampMs <= nowMs - ageMsMin &&
      (retainBytes === undefined || bytes > retainBytes);
    if (!removable) break;
    bytes -= segment.bytes;
    count += 1;
  }
  return count;
}

export interface TruncationObserver {
  truncated(segments: number, truncatedThrough: number): void;
  truncationFailed(error: unknown): void;
}

/** Considers truncation at a regular interval. */
export class TruncationWorker {
  readonly #log: Log;
  readonly #lowestHold: () => number;
  readonly #limits: TruncationLimits;
  readonly #observer: TruncationObserver;
  readonly #now: () => number;
  /** The log removes what an earlier truncation left behind as soon as it is called again. */
  #unfinished = false;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;

  constructor(
    log: Log,
    lowestHold: () => number,
    limits: TruncationLimits,
    observer: TruncationObserver,
    now: () => number = Date.now,
  ) {
    this.#log = log;
    this.#lowestHold = lowestHold;
    this.#limits = limits;
    this.#observer = observer;
    this.#now = now;
  }

  /** @param intervalMs milliseconds from the start of one consideration to the next. */
  start(intervalMs: number): void {
    this.#timer = setInterval(() => {
      this.#running ??= this.consider().finally(() => {
        this.#running = undefined;
      });
    }, intervalMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  /** Removes what may go now. Holds are read in the same turn in which the log moves its boundary. */
  async consider(): Promise<void> {
    const count = removableSegments(this.#log.segments(), this.#limits, this.#lowestHold(), this.#now());
    if (count === 0 && !this.#unfinished) return;
    const truncation = this.#log.truncate(count);
    if (count > 0) this.#observer.truncated(count, this.#log.truncatedThrough);
    try {
      await truncation;
      this.#unfinished = false;
    } catch (error) {
      this.#unfinished = true;
      this.#observer.truncationFailed(error);
    }
  }
}
