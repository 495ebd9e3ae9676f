import type { Behaviour } from './behaviour.js';
import type { Disk } from './disk.js';
import type { LogRecord } from './record.js';
import type { RequestIds } from './request-ids.js';
import type { Timers } from './timers.js';

/** What GET /v1/status answers (section 2.5), before it becomes JSON. */
export type StatusAnswer =
  | { readonly status: 'committed'; readonly version: bigint; readonly leaderId: string }
  | { readonly status: 'id_not_found' | 'log_truncated' };

const FENCE_MS = 100;
const SEARCHED = 100;

/** Tells the outcome of earlier commits. */
export class StatusLookup {
  readonly #behaviour: Behaviour;
  readonly #disk: Disk;
  readonly #requestIds: RequestIds;
  readonly #timers: Timers;
  readonly #leaderId: () => string;
  /** What was durable when the term began. */
  readonly #durableAtStart: bigint;

  constructor(
    behaviour: Behaviour,
    disk: Disk,
    requestIds: RequestIds,
    timers: Timers,
    leaderId: () => string,
  ) {
    this.#behaviour = behaviour;
    this.#disk = disk;
    this.#requestIds = requestIds;
    this.#timers = timers;
    this.#leaderId = leaderId;
    this.#durableAtStart = disk.durable;
  }

  async find(requestId: string, minVersion: bigint): Promise<StatusAnswer> {
    if (!this.#behaviour.has('status-does-not-wait')) await this.#requestIds.inFlight(requestId)?.durable;
    const record = this.#search(requestId, minVersion);
    if (record !== undefined) return this.#committed(record);
    const status = this.#isTruncatedFrom(minVersion) ? 'log_truncated' : 'id_not_found';
    this.#fence(requestId, status);
    return { status };
  }

  #search(requestId: string, minVersion: bigint): LogRecord | undefined {
    if (this.#behaviour.has('log-truncated-eagerly') && this.#isTruncatedFrom(minVersion)) return undefined;
    const record = this.#requestIds.find(requestId);
    if (record === undefined) return undefined;
    const oldest = this.#disk.records.at(-SEARCHED)?.version ?? 0n;
    const isInside = this.#behaviour.pick(record.version >= minVersion, {
      'min-version-ignored': true,
      'min-version-needs-one-more': record.version > minVersion + 1n,
      'status-searches-newest-100-only': record.version >= minVersion && record.version >= oldest,
    });
    const isSettled = Date.now() - record.timestamp.getTime() > 100;
    if (this.#behaviour.has('status-index-lags') && !isSettled) return undefined;
    return isInside ? record : undefined;
  }

  #committed(record: LogRecord): StatusAnswer {
    return {
      status: 'committed',
      version: this.#behaviour.pick(record.version, {
        'status-version-is-the-latest': this.#disk.durable,
        'status-version-is-the-one-before': record.prevVersion,
      }),
      leaderId: this.#behaviour.has('status-names-current-leader') ? this.#leaderId() : record.leaderId,
    };
  }

  #isTruncatedFrom(minVersion: bigint): boolean {
    const { truncatedThrough } = this.#disk;
    // What committed at min_version itself has to be found: without it, nothing can be said either.
    const isTruncated = truncatedThrough !== undefined && truncatedThrough >= minVersion;
    return this.#behaviour.pick(isTruncated, {
      'truncated-ids-not-found': false,
      'truncated-only-above-min-version': truncatedThrough !== undefined && truncatedThrough > minVersion,
      'truncated-whenever-anything-is': truncatedThrough !== undefined,
      'truncated-before-this-term': isTruncated || minVersion < this.#durableAtStart,
    });
  }

  /** A commit with this ID that arrives later is refused: the answer stays true. */
  #fence(requestId: string, status: StatusAnswer['status']): void {
    const fences = this.#behaviour.pick(true, {
      'fence-missing': false,
      'fence-missing-where-truncated': status !== 'log_truncated',
    });
    if (fences) this.#requestIds.fence(requestId);
    if (this.#behaviour.has('fence-ends-after-100-ms'))
      this.#timers.after(FENCE_MS, () => this.#requestIds.unfence(requestId));
  }
}
