import type { Level } from '../catalogue/requirement.js';

/** What HTTP alone cannot do. Tests that need an absent hook are skipped, and say so. */
export interface Hooks {
  /** Kills the server with SIGKILL and starts it again on the same address and data; resolves once it serves. */
  readonly restart?: () => Promise<void>;
  /** Makes the server truncate now what it may; resolves when it has. */
  readonly truncate?: () => Promise<void>;
  /** The server truncates by itself soon after it holds more than this many transactions. */
  readonly truncationKeeps?: number;
  /** The configured largest body of a commit, in bytes. */
  readonly maxCommitBytes?: number;
  /** The configured smallest length of a request_id, in characters. */
  readonly minRequestIdLength?: number;
  /** Within how many milliseconds of silence a keepalive has to come. */
  readonly keepaliveTimeoutMs?: number;
  /** The configured buffer of unconsumed data per subscriber, in bytes. */
  readonly subscriberBufferBytes?: number;
}

export type Depth = 'quick' | 'default' | 'soak';

export interface RunOptions {
  /** Base address, without a slash at the end. */
  readonly url: string;
  readonly hooks: Hooks;
  /** Names of tests, folders of names, or IDs of requirements; `*` stands for anything. Empty: all. */
  readonly only: readonly string[];
  readonly skip: readonly string[];
  readonly sections: readonly string[];
  readonly levels: readonly Level[];
  readonly seed: number;
  /** Cases of each property; undefined: as many as the depth says. */
  readonly runs: number | undefined;
  readonly depth: Depth;
  readonly soakMinutes: number;
  /** How long to wait for an answer or an event before giving up, in milliseconds. */
  readonly patienceMs: number;
  /** Tests that may run at the same time. */
  readonly concurrency: number;
  /** Names of tests or requirements that must fail. */
  readonly knownFailing: readonly string[];
  /** The options as they were typed, for reports. */
  readonly typed?: readonly string[];
  /** Once aborted, no further test begins; the policies of the server are left as they were found. */
  readonly signal?: AbortSignal;
}
