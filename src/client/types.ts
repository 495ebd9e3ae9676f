/** A key or a value: bytes, or a string that stands for its UTF-8 form. */
export type Bytes = Uint8Array | string;

/** A position in the log, 0 to 2^53 - 1, and the leader that answers for it. */
export interface VersionInfo {
  readonly version: number;
  readonly leaderId: string;
}

/** Holds if the existence and content of `key` has not changed since `version`. */
export interface PointRead<Key = Bytes> {
  readonly type: 'point_read';
  readonly key: Key;
  /** Default: the `readVersion` of the request. */
  readonly version?: number;
}

/** Holds if nothing in [begin, end) has changed since `version`. */
export interface RangeRead<Key = Bytes> {
  readonly type: 'range_read';
  /** Inclusive. */
  readonly begin: Key;
  /** Exclusive; has to be greater than `begin`. */
  readonly end: Key;
  /** Default: the `readVersion` of the request. */
  readonly version?: number;
}

export type Precondition = PointRead | RangeRead;

export type Operation<Data = Bytes> =
  | { readonly type: 'write'; readonly key: Data; readonly value: Data }
  | { readonly type: 'delete'; readonly key: Data }
  | { readonly type: 'range_delete'; readonly begin: Data; readonly end: Data };

/** A precondition that did not hold, as the server names it. */
export type Conflict = Required<PointRead<Uint8Array>> | Required<RangeRead<Uint8Array>>;

export interface CommitRequest {
  /** The leader expected to decide; any other answers `not_committed`. */
  readonly leaderId: string;
  /** A version known to be committed; what the preconditions are checked against. */
  readonly readVersion: number;
  readonly preconditions?: readonly Precondition[];
  /** Applied in order. */
  readonly operations: readonly Operation[];
  /** Default: a fresh UUID. One of your own must be unique for ever, also across failed attempts. */
  readonly requestId?: string;
}

export interface CommitOptions {
  /** Ends everything, also the question for an outcome. */
  readonly signal?: AbortSignal;
  /** Ends only the wait for the reply to the commit; its outcome is then asked with `GET /v1/status`. */
  readonly replySignal?: AbortSignal;
  /**
   * How often to send a request that the server refuses before accepting it (`unavailable`, `overloaded`).
   * Each attempt has a request ID of its own, so a request with a `requestId` from the caller is sent once.
   * Default 10.
   */
  readonly attempts?: number;
}

export interface Committed extends VersionInfo {
  readonly status: 'committed';
  readonly requestId: string;
  /** `reply`: the commit was answered. `status`: no reply came, and the outcome was asked for. */
  readonly via: 'reply' | 'status';
}

export interface NotCommitted extends VersionInfo {
  readonly status: 'not_committed';
  readonly requestId: string;
  /** The preconditions that did not hold. */
  readonly conflicts: readonly Conflict[];
}

/**
 * `version` is where the transaction took effect or, if not committed, a more recent version to retry with.
 */
export type CommitResult = Committed | NotCommitted;

/** The final outcome of an earlier commit. */
export type RequestStatus =
  | ({ readonly status: 'committed' } & VersionInfo)
  | { readonly status: 'id_not_found' }
  | { readonly status: 'log_truncated' };

/** For requests that change nothing when they are sent twice. */
export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** How often to send the request when no answer comes or the server cannot give one now. Default 10. */
  readonly attempts?: number;
}

export interface RetentionPolicy {
  readonly policyId: string;
  /** The log is not truncated at this version or any higher one. */
  readonly preventTruncate: number;
}

export interface TransactionEvent extends VersionInfo {
  readonly type: 'transaction';
  /** The version of the transaction before this one. */
  readonly prevVersion: number;
  readonly requestId: string;
  /** ISO 8601, UTC, milliseconds: when the leader accepted the transaction. */
  readonly timestamp: string;
  readonly operations: readonly Operation<Uint8Array>[];
}

/** Everything received up to `committedVersion` is durable. */
export interface CheckpointEvent {
  readonly type: 'checkpoint';
  readonly committedVersion: number;
  readonly leaderId: string;
}

/** Take back every transaction received with a version above `after`: it may never have been committed. */
export interface DiscardEvent {
  readonly type: 'discard';
  readonly after: number;
}

export type SubscriptionEvent = TransactionEvent | CheckpointEvent | DiscardEvent;

export interface SubscribeOptions {
  /** The version after which to start. Default: the latest committed version. */
  readonly after?: number;
  /**
   * `false`: also transactions that are accepted but not yet durable, with checkpoints and discards. Default
   * `true`.
   */
  readonly durable?: boolean;
  readonly signal?: AbortSignal;
  /** Silence after which the connection is taken for dead, milliseconds. Default 60000: four keepalives. */
  readonly idleTimeoutMs?: number;
}
