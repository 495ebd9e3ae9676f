/** A validated commit request, as the HTTP side hands it over. */
export interface CommitRequest {
  /** Names this request in the answers of the port that it came through. */
  readonly tag: number;
  readonly requestId: string;
  /** The leader that the client expects. */
  readonly leaderId: string;
  readonly readVersion: number;
  /** The highest of `readVersion` and the versions of all preconditions. */
  readonly highestVersion: number;
  /** Preconditions, operations and request ID in packed form (see `core/transaction-packer.ts`). */
  readonly transaction: Uint8Array;
}

/** Why a commit was refused. None of these wrote anything, except `outcome-unknown`, which cannot say. */
export type Refusal =
  | { readonly kind: 'request-id-reused' }
  /** A version lies above every version accepted in this term. */
  | { readonly kind: 'version-ahead-of-log'; readonly acceptedVersion: number }
  /** A bound on commits in flight is reached. */
  | { readonly kind: 'overloaded' }
  /** There is no open term, or the server is stopping. */
  | { readonly kind: 'unavailable' }
  /** Accepted, but the term ended before it was durable. */
  | { readonly kind: 'outcome-unknown' };

export type CommitOutcome =
  | { readonly kind: 'committed'; readonly version: number; readonly leaderId: string }
  | {
      readonly kind: 'not-committed';
      /** Positions of the violated preconditions, ascending. */
      readonly conflicts: readonly number[];
      /** A durable version at least as new as every write that caused a conflict. */
      readonly version: number;
      readonly leaderId: string;
    }
  | { readonly kind: 'refused'; readonly refusal: Refusal };

export interface CommitAnswer {
  readonly tag: number;
  readonly outcome: CommitOutcome;
}

/** Where commits come in. Every submitted request is answered exactly once, in any order. */
export interface CommitPort {
  submit(requests: readonly CommitRequest[]): void;
}

/** The final status of an earlier request, or `unavailable` while no term is open. */
export type RequestStatus =
  | { readonly status: 'committed'; readonly version: number; readonly leaderId: string }
  | { readonly status: 'id_not_found' }
  | { readonly status: 'log_truncated' }
  | { readonly status: 'unavailable' };
