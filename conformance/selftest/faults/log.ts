import type { Fault } from './fault.js';

/** What it can get wrong about the log as a whole, its leaders, and encodings. */
export const logFaults = [
  {
    name: 'pause-after-version-choice',
    about: 'Chooses a version, waits for something else, and only then takes it.',
    requirements: ['LOG-ONE-VERSION-EACH'],
  },
  {
    name: 'batch-retried-after-timeout',
    about: 'Writes a batch again that it takes for lost: a transaction is in the log twice.',
    requirements: ['LOG-ONE-VERSION-EACH'],
  },
  {
    name: 'versions-from-two-counters',
    about: 'Hands out versions from two counters in turn.',
    requirements: ['LOG-VERSIONS-GROW'],
  },
  {
    name: 'version-counter-saved-now-and-then',
    about: 'Goes on from a counter that was saved a while ago after a restart.',
    requirements: ['LOG-VERSIONS-NOT-REUSED'],
  },
  {
    name: 'synced-now-and-then',
    about: 'Writes to disk once a second, and answers before: a kill loses commits.',
    requirements: ['LOG-DURABLE', 'VERSION-DURABLE'],
  },
  {
    name: 'answered-before-durable',
    about: 'Answers a commit as soon as it is accepted.',
    requirements: ['LOG-DURABLE', 'COMMIT-VISIBLE', 'VERSION-NOT-BEHIND'],
    on: ['slow-durability'],
  },
  {
    name: 'last-of-a-large-batch-not-written',
    about: 'Drops the last transaction of a large batch.',
    requirements: ['LOG-DURABLE', 'STREAM-COMPLETE'],
  },
  {
    name: 'recovery-drops-last-record',
    about: 'Takes the last transaction for torn when it recovers.',
    requirements: ['LOG-DURABLE', 'VERSION-DURABLE'],
  },
  {
    name: 'recovery-drops-empty-transactions',
    about: 'Drops transactions without operations when it recovers.',
    requirements: ['LOG-DURABLE'],
  },
  {
    name: 'recovery-loses-empty-values',
    about: 'Drops writes of the empty value when it recovers.',
    requirements: ['LOG-DURABLE'],
  },
  {
    name: 'recovery-keeps-first-operation',
    about: 'Recovers the first operation of each transaction.',
    requirements: ['LOG-DURABLE'],
  },
  {
    name: 'recovery-keeps-last-operation-of-each-key',
    about:
      'Keeps the last operation of each key of a transaction, where its first one stood, when it recovers.',
    requirements: ['LOG-DURABLE'],
  },
  {
    name: 'recovery-loses-range-deletes',
    about: 'Drops the range deletes of transactions when it recovers.',
    requirements: ['LOG-DURABLE'],
  },
  {
    name: 'recovery-loses-large-transactions',
    about: 'Drops transactions of more than 20,000 characters when it recovers.',
    requirements: ['LOG-DURABLE'],
  },
  {
    name: 'recovery-chains-by-counting',
    about: 'Takes each version less one for the one before when it recovers.',
    requirements: ['EVENT-PREV-VERSION', 'LOG-DURABLE'],
    on: ['versions-with-gaps'],
  },
  {
    name: 'events-in-base64url',
    about: 'Sends keys and values in base64url.',
    requirements: ['ENCODING-BASE64'],
  },
  {
    name: 'events-in-base64-without-padding',
    about: 'Sends keys and values without padding.',
    requirements: ['ENCODING-BASE64'],
  },
  {
    name: 'events-in-base64-of-mime-lines',
    about: 'Breaks long base64 into lines.',
    requirements: ['ENCODING-BASE64'],
  },
  {
    name: 'events-through-utf8',
    about: 'Keeps keys and values as text: bytes that are not UTF-8 are lost.',
    requirements: ['ENCODING-BASE64', 'EVENT-OPERATIONS'],
  },
  {
    name: 'list-as-json-lines',
    about: 'Lists policies as one JSON object per line.',
    requirements: ['ENCODING-JSON', 'RETENTION-LIST'],
  },
  {
    name: 'status-as-text',
    about: 'Answers a status as plain text.',
    requirements: ['ENCODING-JSON'],
  },
  {
    name: 'leader-is-a-number',
    about: 'Names leaders by numbers.',
    requirements: ['FIELD-LEADER-STRING'],
  },
  {
    name: 'version-leader-empty',
    about: 'Leaves leader_id empty in GET /v1/version.',
    requirements: ['FIELD-LEADER-STRING'],
  },
  {
    name: 'leader-named-after-node',
    about: 'Names the leader after its machine: it comes back.',
    requirements: ['LEADER-STABLE'],
  },
  {
    name: 'version-asks-two-workers',
    about: 'Answers GET /v1/version from two workers with names of their own.',
    requirements: ['LEADER-STABLE', 'VERSION-LEADER'],
  },
  {
    name: 'leaders-of-before-accepted',
    about: 'Accepts any leader that there ever was.',
    requirements: ['LEADER-FENCED-AFTER-RESTART'],
  },
  {
    name: 'metrics-below-v1',
    about: 'Serves the metrics at /v1/metrics.',
    requirements: ['PATHS-PREFIXED', 'METRICS-FORMAT'],
  },
  {
    name: 'ok-below-v1',
    about: 'Serves the health check at /v1/ok.',
    requirements: ['PATHS-PREFIXED', 'OK-ANSWERS'],
  },
  {
    name: 'version-below-v2',
    about: 'Serves the version at /v2/version.',
    requirements: ['PATHS-PREFIXED', 'VERSION-FIELDS'],
  },
  {
    name: 'retention-without-prefix',
    about: 'Serves the policies at /retention/.',
    requirements: ['PATHS-PREFIXED', 'RETENTION-CREATE', 'RETENTION-LIST'],
  },
  {
    name: 'versions-read-as-doubles',
    about: 'Reads versions as doubles, which round them above 2^53.',
    requirements: ['COMMIT-PRECONDITION-VERSION', 'COMMIT-READ-VERSION-DEFAULT', 'LOG-SERIALIZABLE'],
    on: ['versions-above-2-53'],
  },
] as const satisfies readonly Fault[];
