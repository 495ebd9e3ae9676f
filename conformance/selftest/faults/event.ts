import type { Fault } from './fault.js';

/** What it can get wrong in the events of a stream, and in what the log keeps of operations. */
export const eventFaults = [
  {
    name: 'event-without-timestamp',
    about: 'Leaves timestamp out.',
    requirements: ['EVENT-FIELDS'],
  },
  {
    name: 'event-without-prev-version',
    about: 'Leaves prev_version out.',
    requirements: ['EVENT-FIELDS'],
  },
  {
    name: 'event-inside-an-envelope',
    about: 'Puts the transaction into a field of the data.',
    requirements: ['EVENT-FIELDS'],
  },
  {
    name: 'event-operations-as-text',
    about: 'Sends operations as JSON within a string.',
    requirements: ['EVENT-FIELDS', 'EVENT-OPERATIONS'],
  },
  {
    name: 'event-request-id-lower-cased',
    about: 'Sends request_id in lower case.',
    requirements: ['EVENT-REQUEST-ID', 'COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'event-request-id-cut',
    about: 'Sends the first 32 characters of request_id.',
    requirements: ['EVENT-REQUEST-ID'],
  },
  {
    name: 'event-request-id-percent-encoded',
    about: 'Sends request_id percent-encoded.',
    requirements: ['EVENT-REQUEST-ID', 'COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'event-versions-count-from-zero',
    about: 'Sends versions that are one less than those of the answers.',
    requirements: ['EVENT-VERSION', 'STREAM-AFTER', 'COMMIT-ANSWER-VERSION'],
  },
  {
    name: 'prev-version-of-previously-sent',
    about: 'Sends what the stream was sent before as prev_version, or what it asked for.',
    requirements: ['EVENT-PREV-VERSION'],
    on: ['versions-with-gaps'],
  },
  {
    name: 'prev-version-of-first-event-zero',
    about: 'Sends 0 as prev_version of the first event of each stream.',
    requirements: ['EVENT-PREV-VERSION', 'STREAM-AFTER'],
  },
  {
    name: 'prev-version-is-one-less',
    about: 'Sends version less one as prev_version.',
    requirements: ['EVENT-PREV-VERSION', 'STREAM-COMPLETE', 'STREAM-AFTER'],
    on: ['versions-with-gaps'],
  },
  {
    name: 'timestamp-in-milliseconds',
    about: 'Sends timestamp as milliseconds since 1970.',
    requirements: ['EVENT-TIMESTAMP'],
  },
  {
    name: 'timestamp-without-milliseconds',
    about: 'Sends timestamp in seconds.',
    requirements: ['EVENT-TIMESTAMP'],
  },
  {
    name: 'timestamp-with-offset',
    about: 'Sends timestamp in local time with its offset.',
    requirements: ['EVENT-TIMESTAMP'],
  },
  {
    name: 'timestamp-without-zone',
    about: 'Sends timestamp without zone.',
    requirements: ['EVENT-TIMESTAMP'],
  },
  {
    name: 'event-names-current-leader',
    about: 'Names the current leader in events of before.',
    requirements: ['EVENT-LEADER'],
  },
  {
    name: 'operations-sorted-by-type',
    about: 'Applies writes first, then deletes.',
    requirements: ['COMMIT-OPERATIONS-ORDER', 'EVENT-OPERATIONS'],
  },
  {
    name: 'operations-applied-backwards',
    about: 'Applies operations in reverse.',
    requirements: ['COMMIT-OPERATIONS-ORDER', 'EVENT-OPERATIONS'],
  },
  {
    name: 'first-operation-of-each-key-wins',
    about: 'Keeps the first of several operations on a key.',
    requirements: ['COMMIT-OPERATIONS-ORDER', 'EVENT-OPERATIONS'],
  },
  {
    name: 'range-delete-expanded-by-state-before',
    about: 'Expands a range delete by the keys before the transaction: its own writes survive.',
    requirements: ['COMMIT-OPERATIONS-ORDER', 'COMMIT-RANGE-DELETE', 'EVENT-OPERATIONS'],
  },
  {
    name: 'range-delete-includes-its-end',
    about: 'Deletes the end of a range too.',
    requirements: ['COMMIT-RANGE-DELETE', 'EVENT-OPERATIONS'],
  },
  {
    name: 'range-delete-lost-in-log',
    about: 'Leaves range deletes out of the log.',
    requirements: ['COMMIT-RANGE-DELETE', 'EVENT-OPERATIONS'],
  },
  {
    name: 'delete-lost-in-log',
    about: 'Leaves deletes out of the log.',
    requirements: ['COMMIT-DELETE', 'EVENT-OPERATIONS'],
  },
  {
    name: 'values-cut-in-log',
    about: 'Cuts values to 1024 bytes.',
    requirements: ['EVENT-OPERATIONS'],
  },
  {
    name: 'empty-values-become-deletes',
    about: 'Takes an empty value for a delete.',
    requirements: ['EVENT-OPERATIONS'],
  },
  {
    name: 'only-64-operations-logged',
    about: 'Logs the first 64 operations of a transaction.',
    requirements: ['EVENT-OPERATIONS', 'COMMIT-WRITE'],
  },
  {
    name: 'checkpoint-version-in-another-field',
    about: 'Names the version of checkpoints version.',
    requirements: ['CHECKPOINT-FIELDS'],
  },
  {
    name: 'checkpoint-without-leader',
    about: 'Leaves leader_id out of checkpoints.',
    requirements: ['CHECKPOINT-FIELDS'],
  },
  {
    name: 'checkpoint-version-as-text',
    about: 'Sends the version of checkpoints as text.',
    requirements: ['FIELD-VERSION-INTEGER'],
  },
  {
    name: 'checkpoint-leader-empty',
    about: 'Leaves leader_id empty in checkpoints.',
    requirements: ['FIELD-LEADER-STRING'],
  },
  {
    name: 'checkpoint-names-a-node',
    about: 'Names a machine in checkpoints, not the leader.',
    requirements: ['CHECKPOINT-LEADER'],
  },
  {
    name: 'checkpoint-is-the-one-before',
    about: 'Sends a checkpoint when the next one is due.',
    requirements: ['CHECKPOINT-FOLLOWS'],
  },
  {
    name: 'checkpoint-after-each-8-transactions',
    about: 'Sends a checkpoint after 8 transactions.',
    requirements: ['CHECKPOINT-FOLLOWS'],
  },
  {
    name: 'checkpoint-of-accepted',
    about: 'Sends checkpoints of what is only accepted.',
    requirements: ['CHECKPOINT-DURABLE'],
    on: ['slow-durability'],
  },
  {
    name: 'checkpoint-repeated-late',
    about: 'Repeats a checkpoint 30 ms later, whatever was sent meanwhile.',
    requirements: ['CHECKPOINT-GROWS'],
  },
  {
    name: 'checkpoint-of-durable-before-catch-up',
    about: 'Sends the latest checkpoint before the reader has caught up.',
    requirements: ['CHECKPOINT-NOT-AHEAD'],
  },
] as const satisfies readonly Fault[];
