import type { Fault } from './fault.js';

/** What it can get wrong in GET /v1/subscribe. */
export const streamFaults = [
  {
    name: 'stream-typed-as-text',
    about: 'Sends streams as text/plain.',
    requirements: ['STREAM-CONTENT-TYPE'],
  },
  {
    name: 'stream-typed-as-json',
    about: 'Sends streams as JSON lines.',
    requirements: ['STREAM-CONTENT-TYPE'],
  },
  {
    name: 'stream-answered-206',
    about: 'Answers 206 to subscribers.',
    requirements: ['STREAM-CONTENT-TYPE'],
  },
  {
    name: 'sse-only-first-data-line-marked',
    about: 'Sends JSON in several lines, of which only the first begins with data.',
    requirements: ['STREAM-SSE', 'EVENT-FIELDS'],
  },
  {
    name: 'sse-in-latin1',
    about: 'Sends streams in Latin-1.',
    requirements: ['STREAM-SSE', 'EVENT-REQUEST-ID', 'COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'sse-events-not-separated',
    about: 'Leaves out the empty line after each event.',
    requirements: ['STREAM-SSE', 'EVENT-FIELDS'],
  },
  {
    name: 'sse-id-sent',
    about: 'Sends the version as the id of each event.',
    requirements: ['STREAM-NO-ID'],
  },
  {
    name: 'after-inclusive',
    about: 'Begins with the transaction at after.',
    requirements: ['STREAM-AFTER'],
  },
  {
    name: 'after-skips-the-next',
    about: 'Leaves out the transaction right above after.',
    requirements: ['STREAM-AFTER'],
  },
  {
    name: 'after-ignored',
    about: 'Begins every stream at the latest version.',
    requirements: ['STREAM-AFTER'],
  },
  {
    name: 'after-zero-taken-as-missing',
    about: 'Takes after=0 for no after.',
    requirements: ['STREAM-AFTER-ZERO'],
  },
  {
    name: 'after-default-is-the-beginning',
    about: 'Begins streams without after at the beginning of the log.',
    requirements: ['STREAM-AFTER-DEFAULT'],
  },
  {
    name: 'after-default-repeats-the-latest',
    about: 'Begins streams without after with the latest transaction.',
    requirements: ['STREAM-AFTER-DEFAULT'],
  },
  {
    name: 'truncated-after-skipped',
    about: 'Begins with what is held where after is truncated.',
    requirements: ['STREAM-AFTER-TRUNCATED'],
  },
  {
    name: 'truncated-after-off-by-one',
    about: 'Answers 410 only from one transaction below the boundary.',
    requirements: ['STREAM-AFTER-TRUNCATED'],
  },
  {
    name: 'truncated-answered-404',
    about: 'Answers 404 where after is truncated.',
    requirements: ['STREAM-AFTER-TRUNCATED'],
  },
  {
    name: 'after-far-behind-refused',
    about: 'Answers 410 to what is more than 60 transactions old, although it is held.',
    requirements: ['RETENTION-HONOURED', 'STREAM-AFTER-HELD', 'STREAM-AFTER-TRUNCATED'],
  },
  {
    name: 'streams-read-from-a-copy',
    about: 'Reads from a copy of the log, and refuses an after that the copy has not reached.',
    requirements: ['STREAM-AFTER-HELD', 'COMMIT-VISIBLE'],
  },
  {
    name: 'durable-default-false',
    about: 'Takes false for the default of durable.',
    requirements: ['STREAM-DURABLE-DEFAULT'],
  },
  {
    name: 'durable-stream-sends-accepted',
    about: 'Sends accepted transactions to streams with durable=true.',
    requirements: ['STREAM-DURABLE-ONLY'],
    on: ['slow-durability'],
  },
  {
    name: 'checkpoints-on-durable-streams',
    about: 'Sends checkpoints with durable=true.',
    requirements: ['STREAM-DURABLE-NO-CHECKPOINT'],
  },
  {
    name: 'durable-parameter-ignored',
    about: 'Treats durable=false as true.',
    requirements: ['STREAM-ACCEPTED', 'CHECKPOINT-FOLLOWS'],
  },
  {
    name: 'checkpoints-never-sent',
    about: 'Sends no checkpoints.',
    requirements: ['STREAM-ACCEPTED', 'CHECKPOINT-FOLLOWS'],
  },
  {
    name: 'durable-taken-as-true-unless-false',
    about: 'Takes any durable but false for true.',
    requirements: ['STREAM-PARAMETERS'],
  },
  {
    name: 'last-event-held-back',
    about: 'Sends a transaction when the next one comes.',
    requirements: ['STREAM-LIVE'],
  },
  {
    name: 'accepted-streamed-before-checked',
    about: 'Streams transactions as accepted before it checks them.',
    requirements: ['STREAM-ACCEPTED-COMMITS', 'STREAM-COMPLETE', 'STREAM-SAME-LOG'],
  },
  {
    name: 'catch-up-from-memory-of-this-term',
    about: 'Knows only the transactions since its start when a reader catches up.',
    requirements: ['LOG-DURABLE', 'STREAM-RESUME'],
  },
  {
    name: 'reader-of-before-put-behind-first-of-term',
    about:
      'Puts a reader that goes on after the last transaction of before a restart behind the first one of after it.',
    requirements: ['STREAM-RESUME'],
  },
  {
    name: 'seam-repeats',
    about: 'Sends twice what commits while a reader catches up.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'seam-loses',
    about: 'Loses what commits between catching up and going live.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'catch-up-stops-at-its-first-end',
    about: 'Catches up to where the log ended when the reader came, and loses what came since.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'page-boundary-skips',
    about: 'Leaves out the first transaction of each page but the first.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'page-boundary-repeats',
    about: 'Repeats the last transaction of each page.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'pages-by-version-arithmetic',
    about: 'Takes 16 version numbers for a page: a larger gap ends the catch-up.',
    requirements: ['STREAM-COMPLETE', 'STREAM-AFTER'],
    on: ['versions-with-gaps'],
  },
  {
    name: 'empty-transactions-left-out-of-catch-up',
    about: 'Leaves transactions without operations out of the catch-up.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'live-batch-in-reverse',
    about: 'Sends the transactions of a batch in reverse.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'live-batch-cut-to-4',
    about: 'Sends the first 4 transactions of a batch.',
    requirements: ['STREAM-COMPLETE'],
  },
  {
    name: 'batch-written-in-another-order',
    about: 'Writes the transactions of a batch in another order than it streams them.',
    requirements: ['STREAM-SAME-LOG'],
  },
  {
    name: 'catch-up-shows-last-write-only',
    about: 'Compacts the log: transactions that were overwritten are left out of the catch-up.',
    requirements: ['STREAM-SAME-LOG', 'STREAM-COMPLETE', 'STREAM-AFTER'],
  },
  {
    name: 'slow-reader-loses-events',
    about: 'Drops events for readers whose buffer is full.',
    requirements: ['STREAM-SLOW-READER'],
  },
  {
    name: 'slow-reader-never-closed',
    about: 'Buffers without end for readers that do not read.',
    requirements: ['STREAM-SLOW-READER-CLOSED'],
  },
  {
    name: 'commits-wait-for-slow-readers',
    about: 'Answers commits once every reader has taken them.',
    requirements: ['STREAM-SLOW-READER-ALONE'],
  },
  {
    name: 'readers-wait-for-slow-readers',
    about: 'Sends to one reader after the other, at the speed of the slowest.',
    requirements: ['STREAM-SLOW-READER-ALONE'],
  },
  {
    name: 'keepalive-never-sent',
    about: 'Sends no keepalives.',
    requirements: ['KEEPALIVE-SENT'],
  },
  {
    name: 'keepalive-sent-once',
    about: 'Sends one keepalive.',
    requirements: ['KEEPALIVE-SENT'],
  },
  {
    name: 'keepalive-after-the-first-event-only',
    about: 'Sends keepalives only once there was a transaction.',
    requirements: ['KEEPALIVE-SENT'],
  },
  {
    name: 'keepalive-as-event',
    about: 'Sends keepalives as events.',
    requirements: ['KEEPALIVE-COMMENT'],
  },
  {
    name: 'keepalive-without-colon',
    about: 'Sends keepalives as a field of that name.',
    requirements: ['KEEPALIVE-COMMENT', 'KEEPALIVE-SENT'],
  },
] as const satisfies readonly Fault[];
