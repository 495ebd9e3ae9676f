import type { TermStart } from '../log/log.js';
import type { PendingCommit } from './in-flight.js';
import { Settlements } from './settlements.js';

/** The time during which one leader leads: its versions, watermarks and clock. */
export class Term {
  /** The highest version accepted, or the last surviving one while this term has accepted none. */
  acceptedVersion: number;
  /** The highest version known to be on stable storage. */
  durableVersion: number;
  /** The version that the next transaction takes. */
  nextVersion: number;
  /** Commits, and refusals that depend on them, by the version they wait for. */
  readonly settlements: Settlements<PendingCommit>;
  #lastTimestampMs: number;

  constructor(
    readonly leaderId: string,
    start: TermStart,
  ) {
    this.acceptedVersion = start.lastVersion;
    this.durableVersion = start.lastVersion;
    this.nextVersion = start.versionCeiling + 1;
    this.#lastTimestampMs = start.lastTimestampMs;
    this.settlements = new Settlements(this.nextVersion);
  }

  /** Never lower than before, whatever the wall clock does. */
  timestampMs(nowMs: number): number {
    this.#lastTimestampMs = Math.max(this.#lastTimestampMs, nowMs);
    return this.#lastTimestampMs;
  }
}
