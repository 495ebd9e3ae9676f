import type { Precondition } from '../model/transaction.js';

/** The answer to a commit (section 2.3). */
export type CommitAnswer =
  | {
      readonly kind: 'committed';
      readonly httpStatus: number;
      readonly version: bigint;
      readonly leaderId: string;
      readonly requestId: string | undefined;
    }
  | {
      readonly kind: 'not_committed';
      readonly httpStatus: number;
      /** The preconditions that the answer lists, as they were sent, in the order of the answer. */
      readonly conflicts: readonly Precondition[];
      readonly version: bigint;
      readonly leaderId: string;
    }
  /** A 4xx that is no outcome. */
  | { readonly kind: 'refused'; readonly httpStatus: number; readonly body: string }
  /** 408, 429, 502, 503 or 504, or no answer at all: the outcome is unknown. */
  | { readonly kind: 'unavailable'; readonly httpStatus: number | undefined; readonly why: string };

export type Committed = Extract<CommitAnswer, { kind: 'committed' }>;
export type NotCommitted = Extract<CommitAnswer, { kind: 'not_committed' }>;

/** The answer to a status lookup (section 2.5). */
export type StatusAnswer =
  | { readonly kind: 'committed'; readonly version: bigint; readonly leaderId: string }
  | { readonly kind: 'id_not_found' }
  | { readonly kind: 'log_truncated' };

export interface VersionAnswer {
  readonly version: bigint;
  readonly leaderId: string;
}
