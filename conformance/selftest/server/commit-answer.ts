import type { Precondition } from './record.js';

/** What a commit is answered (section 2.3), before it becomes JSON. */
export type CommitAnswer = {
  readonly version: bigint;
  readonly leaderId: string;
  /** The one that the request carried. */
  readonly requestId: string | undefined;
} & (
  | { readonly status: 'committed'; readonly generatedId: string | undefined }
  | { readonly status: 'not_committed'; readonly conflicts: readonly Precondition[] }
);
