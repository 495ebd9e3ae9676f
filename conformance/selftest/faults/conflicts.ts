import type { Fault } from './fault.js';

/** What it can get wrong in checking preconditions. */
export const conflictFaults = [
  {
    name: 'missing-version-taken-as-latest',
    about: 'Checks preconditions without version at the latest version.',
    requirements: ['COMMIT-READ-VERSION-DEFAULT'],
  },
  {
    name: 'missing-version-taken-as-previous-ones',
    about: 'Checks preconditions without version at the version of another one.',
    requirements: ['COMMIT-READ-VERSION-DEFAULT'],
  },
  {
    name: 'read-version-zero-taken-as-latest',
    about: 'Takes read_version 0 for none, and uses the latest version.',
    requirements: ['COMMIT-READ-VERSION-DEFAULT', 'COMMIT-PRECONDITION-OLD', 'COMMIT-PRECONDITION-VERSION'],
  },
  {
    name: 'precondition-version-ignored',
    about: 'Checks every precondition at read_version.',
    requirements: ['COMMIT-PRECONDITION-VERSION'],
  },
  {
    name: 'precondition-version-zero-ignored',
    about: 'Takes version 0 of a precondition for none.',
    requirements: ['COMMIT-PRECONDITION-VERSION'],
  },
  {
    name: 'read-version-preferred-where-higher',
    about: 'Checks preconditions at read_version where it is higher than their own.',
    requirements: ['COMMIT-PRECONDITION-VERSION'],
  },
  {
    name: 'highest-version-for-all-preconditions',
    about: 'Checks all preconditions at the highest version among them.',
    requirements: ['COMMIT-PRECONDITION-VERSIONS-DIFFER'],
  },
  {
    name: 'first-version-for-all-preconditions',
    about: 'Checks all preconditions at the version of the first.',
    requirements: ['COMMIT-PRECONDITION-VERSIONS-DIFFER'],
  },
  {
    name: 'first-8-preconditions-checked',
    about: 'Checks the first 8 preconditions.',
    requirements: ['COMMIT-PRECONDITIONS-ALL'],
  },
  {
    name: 'first-100-preconditions-checked',
    about: 'Checks the first 100 preconditions.',
    requirements: ['COMMIT-PRECONDITIONS-ALL'],
  },
  {
    name: 'last-precondition-unchecked',
    about: 'Leaves out the last of several preconditions.',
    requirements: ['COMMIT-PRECONDITIONS-ALL'],
  },
  {
    name: 'last-precondition-of-each-key-checked',
    about: 'Keeps preconditions in a map by key.',
    requirements: ['COMMIT-PRECONDITIONS-ALL', 'COMMIT-PRECONDITION-VERSIONS-DIFFER'],
  },
  {
    name: 'range-reads-skipped-beside-point-reads',
    about: 'Checks ranges only where there are no point reads.',
    requirements: ['COMMIT-PRECONDITIONS-ALL'],
  },
  {
    name: 'any-precondition-suffices',
    about: 'Commits where one of several preconditions holds.',
    requirements: ['COMMIT-PRECONDITIONS-ALL'],
  },
  {
    name: 'history-forgets',
    about: 'Keeps 150 changes, and takes older ones for none.',
    requirements: ['COMMIT-PRECONDITION-OLD'],
  },
  {
    name: 'history-lost-at-restart',
    about: 'Keeps its leader_id over a restart, and loses its conflict history.',
    requirements: ['COMMIT-PRECONDITION-OLD'],
  },
  {
    name: 'future-versions-accepted',
    about: 'Takes a precondition at a version that does not exist yet as holding.',
    requirements: ['COMMIT-PRECONDITION-FUTURE'],
  },
  {
    name: 'own-writes-recorded-before-check',
    about: 'Records the writes of a transaction before it checks its preconditions.',
    requirements: ['COMMIT-PRECONDITION-OWN-WRITES', 'COMMIT-RETRY'],
  },
  {
    name: 'changes-at-the-next-version-missed',
    about: 'Misses a change at the version right after the one that was read.',
    requirements: ['COMMIT-POINT-READ'],
  },
  {
    name: 'change-noticed-by-length',
    about: 'Takes a value of the same length for the same value.',
    requirements: ['COMMIT-POINT-READ'],
  },
  {
    name: 'overwrites-not-recorded',
    about: 'Notes that keys come and go, and not that they change.',
    requirements: ['COMMIT-POINT-READ'],
  },
  {
    name: 'creations-not-recorded',
    about: 'Misses that a key came into being.',
    requirements: ['COMMIT-POINT-READ-EXISTENCE'],
  },
  {
    name: 'deleted-keys-forgotten',
    about: 'Forgets the history of a key when it is deleted.',
    requirements: ['COMMIT-POINT-READ-EXISTENCE', 'COMMIT-DELETE'],
  },
  {
    name: 'delete-not-recorded',
    about: 'Does not record deletes for later preconditions.',
    requirements: ['COMMIT-DELETE', 'COMMIT-POINT-READ-EXISTENCE'],
  },
  {
    name: 'phantoms-missed',
    about: 'Lets range reads miss new keys.',
    requirements: ['COMMIT-RANGE-READ'],
  },
  {
    name: 'range-reads-ignore-deletes',
    about: 'Lets range reads miss deletes.',
    requirements: ['COMMIT-RANGE-READ'],
  },
  {
    name: 'range-reads-see-only-creations-and-deletions',
    about: 'Lets range reads miss changed values.',
    requirements: ['COMMIT-RANGE-READ'],
  },
  {
    name: 'range-reads-check-their-bounds-only',
    about: 'Checks the first and the last key of a range.',
    requirements: ['COMMIT-RANGE-READ'],
  },
  {
    name: 'last-key-of-range-missed',
    about: 'Misses the key right before the end of a range.',
    requirements: ['COMMIT-RANGE-READ'],
  },
  {
    name: 'range-begin-exclusive',
    about: 'Leaves the begin of a range out.',
    requirements: ['COMMIT-PRECOND-RANGE-BEGIN-INCLUSIVE'],
  },
  {
    name: 'range-delete-not-recorded',
    about: 'Does not record range deletes for later preconditions.',
    requirements: ['COMMIT-RANGE-DELETE'],
  },
  {
    name: 'range-delete-recorded-at-its-begin',
    about: 'Records a range delete as a delete of its begin.',
    requirements: ['COMMIT-RANGE-DELETE'],
  },
  {
    name: 'point-reads-ignore-range-deletes',
    about: 'Lets point reads miss range deletes.',
    requirements: ['COMMIT-RANGE-DELETE'],
  },
  {
    name: 'range-reads-ignore-range-deletes',
    about: 'Lets range reads miss range deletes.',
    requirements: ['COMMIT-RANGE-DELETE', 'COMMIT-RANGE-READ'],
  },
  {
    name: 'range-deletes-seen-only-inside-range-reads',
    about: 'Misses range deletes that reach beyond the range that was read.',
    requirements: ['COMMIT-RANGE-DELETE', 'COMMIT-RANGE-READ'],
  },
  {
    name: 'range-deletes-seen-only-at-their-begin',
    about: 'Misses range deletes that begin before the range that was read.',
    requirements: ['COMMIT-RANGE-DELETE', 'COMMIT-RANGE-READ'],
  },
  {
    name: 'large-writes-not-recorded',
    about: 'Does not record writes of more than 1024 bytes.',
    requirements: ['COMMIT-WRITE', 'COMMIT-POINT-READ'],
  },
  {
    name: 'only-16-operations-recorded',
    about: 'Records the first 16 operations of a transaction.',
    requirements: ['COMMIT-WRITE'],
  },
  {
    name: 'only-first-operation-recorded',
    about: 'Records the first operation of a transaction.',
    requirements: ['COMMIT-WRITE', 'COMMIT-OPERATIONS-ORDER'],
  },
  {
    name: 'only-last-operation-recorded',
    about: 'Records the last operation of a transaction.',
    requirements: ['COMMIT-WRITE', 'COMMIT-OPERATIONS-ORDER'],
  },
  {
    name: 'rejected-writes-recorded',
    about: 'Records the writes of a rejected transaction: its retry conflicts with itself.',
    requirements: ['COMMIT-RETRY'],
  },
  {
    name: 'changes-at-the-same-version-count',
    about: 'Takes the change that was read for a later one.',
    requirements: ['COMMIT-RETRY'],
  },
  {
    name: 'pause-after-precondition-check',
    about: 'Checks preconditions, waits for something else, and only then accepts.',
    requirements: ['LOG-SERIALIZABLE'],
  },
  {
    name: 'conflicts-within-a-batch-unchecked',
    about: 'Records changes once they are durable: transactions of one batch do not see each other.',
    requirements: ['LOG-SERIALIZABLE'],
  },
  {
    name: 'keys-ordered-as-signed-bytes',
    about: 'Compares keys as signed bytes.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-as-utf16',
    about: 'Compares keys as text in UTF-16.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-as-base64-text',
    about: 'Compares keys in base64.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-as-c-strings',
    about: 'Compares keys up to their first zero byte.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-by-length-first',
    about: 'Compares the lengths of keys first.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-by-locale',
    about: 'Compares keys as a dictionary does.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-by-words',
    about: 'Compares four bytes at a time as numbers, least significant byte first.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-by-first-16-bytes',
    about: 'Compares the first 16 bytes of keys.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
  {
    name: 'keys-ordered-without-case',
    about: 'Compares keys without regard to case.',
    requirements: ['LOG-KEY-ORDER-BYTES'],
  },
] as const satisfies readonly Fault[];
