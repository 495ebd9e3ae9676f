import type { Bytes } from './bytes.js';

export type Operation =
  | { readonly type: 'write'; readonly key: Bytes; readonly value: Bytes }
  | { readonly type: 'delete'; readonly key: Bytes }
  | { readonly type: 'range_delete'; readonly begin: Bytes; readonly end: Bytes };

export type Precondition =
  | { readonly type: 'point_read'; readonly version: bigint | undefined; readonly key: Bytes }
  | {
      readonly type: 'range_read';
      readonly version: bigint | undefined;
      readonly begin: Bytes;
      readonly end: Bytes;
    };

/** The body of POST /v1/commit, decoded. */
export interface CommitRequest {
  readonly requestId: string | undefined;
  readonly leaderId: string;
  readonly readVersion: bigint;
  readonly preconditions: readonly Precondition[];
  readonly operations: readonly Operation[];
}

/** One transaction of the log. */
export interface LogRecord {
  readonly requestId: string;
  readonly version: bigint;
  readonly prevVersion: bigint;
  readonly timestamp: Date;
  readonly leaderId: string;
  readonly operations: readonly Operation[];
}
