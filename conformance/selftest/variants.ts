interface Variant {
  readonly name: string;
  /** What the server does otherwise, and may. */
  readonly about: string;
}

const ALL = [
  // Outcomes and errors.
  { name: 'not-committed-409', about: 'Answers not_committed with 409.' },
  { name: 'not-committed-412', about: 'Answers not_committed with 412.' },
  { name: 'not-committed-422', about: 'Answers not_committed with 422.' },
  { name: 'errors-without-body', about: 'Answers errors without body.' },
  { name: 'errors-as-list', about: 'Answers errors as an array of objects.' },
  { name: 'other-error-codes', about: 'Answers 409, 416 or 422 where the specification names no status.' },
  { name: 'overloaded-now-and-then', about: 'Answers 503 to one commit in thirty.' },
  {
    name: 'version-ahead-of-log-not-committed',
    about: 'Answers not_committed where a precondition names a future version.',
  },
  {
    name: 'reused-request-id-answered-again',
    about: 'Answers a reused request_id with the outcome of the first time.',
  },
  { name: 'generated-request-id-echoed', about: 'Answers the request_id that it generated.' },
  // Conservative rejections.
  { name: 'conflicts-at-random', about: 'Rejects one commit with preconditions in five without need.' },
  { name: 'conflicts-by-whole-database', about: 'Takes any change of anything for a conflict.' },
  { name: 'conflicts-by-prefix-bucket', about: 'Takes keys with the same first 12 bytes for one.' },
  { name: 'ranges-treated-as-closed', about: 'Takes the end of a range for a part of it.' },
  { name: 'first-conflict-only', about: 'Names only the first conflict.' },
  { name: 'all-preconditions-as-conflicts', about: 'Names all preconditions as conflicts.' },
  { name: 'conflicts-as-sent', about: 'Names conflicts without the version that the request left out.' },
  { name: 'rejected-without-waiting', about: 'Answers a rejection before what caused it is durable.' },
  { name: 'no-op-writes-change-nothing', about: 'Takes what leaves the content as it is for no change.' },
  // Versions, leaders, and time.
  { name: 'versions-with-gaps', about: 'Leaves gaps of up to 1000 between versions.' },
  { name: 'versions-above-2-53', about: 'Begins its versions above what a double can hold.' },
  { name: 'versions-from-a-clock', about: 'Takes its versions from a clock.' },
  {
    name: 'leader-changes',
    about: 'Has a new leader every two seconds, with empty conflicts for commits to the old one.',
  },
  { name: 'unusual-leader-ids', about: 'Has long leader IDs with spaces, quotes and letters outside ASCII.' },
  { name: 'slow-durability', about: 'Takes 150 ms until a transaction is durable.' },
  { name: 'uneven-durability', about: 'Takes between 0 and 40 ms until a transaction is durable.' },
  { name: 'slow-answers', about: 'Answers up to 25 ms late, out of order.' },
  { name: 'timestamp-of-delivery', about: 'Sends the time of delivery as timestamp.' },
  // What commits may look like.
  { name: 'empty-transaction-refused', about: 'Refuses transactions without operations.' },
  { name: 'empty-key-refused', about: 'Refuses empty keys.' },
  {
    name: 'empty-range-delete-accepted',
    about: 'Accepts range deletes whose end is not greater than their begin.',
  },
  { name: 'request-ids-restricted', about: 'Takes request IDs of letters, digits and a few signs only.' },
  {
    name: 'lenient-fields',
    about: 'Takes null for a missing field, and ignores the last bits of base64 that stand for nothing.',
  },
  { name: 'other-limits', about: 'Has other limits.' },
  // How answers and streams look.
  { name: 'extra-fields', about: 'Adds fields of its own to every object.' },
  { name: 'pretty-json', about: 'Indents its JSON.' },
  { name: 'chunked-answers', about: 'Answers without Content-Length.' },
  { name: 'connection-close', about: 'Closes the connection after every answer.' },
  { name: 'ok-as-json', about: 'Answers the health check with JSON.' },
  { name: 'ok-empty', about: 'Answers the health check with an empty body.' },
  { name: 'rich-metrics', about: 'Has metrics in every form that the format allows.' },
  { name: 'stream-type-with-charset', about: 'Names the charset of streams.' },
  { name: 'sse-crlf', about: 'Ends lines of streams by CR LF.' },
  { name: 'sse-cr', about: 'Ends lines of streams by CR.' },
  { name: 'sse-without-space', about: 'Sends no space after the colon.' },
  { name: 'sse-data-first', about: 'Sends data before event.' },
  { name: 'sse-data-in-many-lines', about: 'Spreads the data of an event over many lines.' },
  { name: 'sse-comments-and-retry', about: 'Sends comments, retry and an unknown field.' },
  { name: 'sse-byte-order-mark', about: 'Begins streams with a byte order mark.' },
  { name: 'tiny-packets', about: 'Sends streams in tiny packets.' },
  { name: 'keepalive-often', about: 'Sends keepalives all the time.' },
  { name: 'frequent-checkpoints', about: 'Sends the same checkpoint again and again.' },
  { name: 'accepted-sent-when-durable', about: 'Sends accepted transactions only once they are durable.' },
  { name: 'operations-compacted', about: 'Leaves out operations that later ones overwrite.' },
  { name: 'range-delete-as-deletes', about: 'Shows a range delete as deletes of the keys that there were.' },
  { name: 'operations-of-another-shape', about: 'Shows operations in a shape of its own.' },
  { name: 'streams-closed-now-and-then', about: 'Closes streams now and then.' },
  {
    name: 'after-ahead-of-log-waits',
    about: 'Lets a stream wait for an after that the log has not reached.',
  },
  // Status, retention, truncation.
  {
    name: 'after-itself-has-to-be-held',
    about: 'Answers 410 unless the transaction at after is still held.',
  },
  {
    name: 'log-truncated-eagerly',
    about: 'Answers log_truncated whenever something after min_version is truncated.',
  },
  { name: 'min-version-ignored', about: 'Finds commits below min_version too.' },
  { name: 'truncation-by-itself', about: 'Truncates by itself what is beyond 200 transactions.' },
  { name: 'truncation-all-the-time', about: 'Truncates all the time what is beyond 50 transactions.' },
  { name: 'delete-missing-404', about: 'Answers 404 to DELETE of a policy that does not exist.' },
  { name: 'policy-on-truncated-refused', about: 'Refuses a policy at a version that is truncated.' },
  { name: 'policy-ids-restricted', about: 'Takes policy IDs of letters, digits and a few signs only.' },
  {
    name: 'truncated-only-above-min-version',
    about: 'Answers id_not_found where the transaction at min_version itself is the last that was truncated.',
  },
] as const satisfies readonly Variant[];

export type VariantName = (typeof ALL)[number]['name'];

/** Servers that differ from the plain one, and conform as well: no test may fail on them. */
export const VARIANTS: readonly (Variant & { readonly name: VariantName })[] = ALL;
