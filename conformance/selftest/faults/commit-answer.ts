import type { Fault } from './fault.js';

/** What it can get wrong in answers to commits. */
export const commitAnswerFaults = [
  {
    name: 'answer-without-status',
    about: 'Answers commits without status.',
    requirements: ['COMMIT-ANSWER-STATUS'],
  },
  {
    name: 'answer-status-in-upper-case',
    about: 'Answers COMMITTED.',
    requirements: ['COMMIT-ANSWER-STATUS'],
  },
  {
    name: 'answer-status-conflict',
    about: 'Answers conflict for not_committed.',
    requirements: ['COMMIT-ANSWER-STATUS'],
  },
  {
    name: 'not-committed-answered-400',
    about: 'Answers 400 to commits whose preconditions do not hold.',
    requirements: ['COMMIT-ANSWER-STATUS', 'COMMIT-LEADER-CHANGED', 'COMMIT-POINT-READ'],
  },
  {
    name: 'not-committed-answered-500',
    about: 'Answers 500 to commits whose preconditions do not hold.',
    requirements: ['COMMIT-ANSWER-STATUS'],
  },
  {
    name: 'answer-version-is-the-latest',
    about: 'Answers the newest version of the log, not that of the transaction.',
    requirements: ['COMMIT-ANSWER-VERSION', 'LOG-ONE-VERSION-EACH'],
  },
  {
    name: 'retry-version-is-the-read-version',
    about: 'Answers the read_version of the request to retry with.',
    requirements: ['COMMIT-ANSWER-RETRY-VERSION'],
  },
  {
    name: 'retry-version-is-of-a-snapshot',
    about: 'Answers a version to retry with that is some transactions old.',
    requirements: ['COMMIT-ANSWER-RETRY-VERSION'],
  },
  {
    name: 'retry-version-is-the-next',
    about: 'Answers the version that the next transaction will have.',
    requirements: ['COMMIT-ANSWER-RETRY-VERSION'],
  },
  {
    name: 'answer-repeats-leader-of-request',
    about: 'Answers the leader of the request to a commit that names another one.',
    requirements: ['COMMIT-ANSWER-LEADER'],
  },
  {
    name: 'rejection-without-leader',
    about: 'Leaves leader_id out of not_committed answers.',
    requirements: ['COMMIT-ANSWER-LEADER'],
  },
  {
    name: 'answer-without-request-id',
    about: 'Does not echo request_id.',
    requirements: ['COMMIT-ANSWER-REQUEST-ID'],
  },
  {
    name: 'rejection-without-request-id',
    about: 'Does not echo request_id in not_committed answers.',
    requirements: ['COMMIT-ANSWER-REQUEST-ID'],
  },
  {
    name: 'answer-echoes-request-id-of-the-one-before',
    about: 'Echoes the request_id of the commit before.',
    requirements: ['COMMIT-ANSWER-REQUEST-ID'],
  },
  {
    name: 'conflicts-left-out',
    about: 'Leaves conflicts out.',
    requirements: ['COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'conflicts-always-empty',
    about: 'Answers empty conflicts.',
    requirements: ['COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'conflicts-as-indexes',
    about: 'Answers the positions of conflicting preconditions.',
    requirements: ['COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'conflicts-as-keys',
    about: 'Answers the keys of conflicting preconditions.',
    requirements: ['COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'conflicts-as-object',
    about: 'Answers conflicts by their positions in an object.',
    requirements: ['COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'conflicts-cut-to-one-key',
    about: 'Answers only a part of a range that was read.',
    requirements: ['COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'conflicts-name-ranges-as-points',
    about: 'Answers a range_read as a point_read of its begin.',
    requirements: ['COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'conflicts-name-the-first-precondition',
    about: 'Always names the first precondition.',
    requirements: ['COMMIT-ANSWER-CONFLICTS-CAUSE'],
  },
  {
    name: 'conflicts-name-the-one-before',
    about: 'Names the precondition before the one that does not hold.',
    requirements: ['COMMIT-ANSWER-CONFLICTS-CAUSE'],
  },
  {
    name: 'conflicts-name-those-that-held',
    about: 'Names the preconditions that held.',
    requirements: ['COMMIT-ANSWER-CONFLICTS-CAUSE', 'COMMIT-ANSWER-CONFLICTS'],
  },
  {
    name: 'rejected-transaction-logged',
    about: 'Answers not_committed, and logs the transaction.',
    requirements: ['COMMIT-REJECTED-NO-EFFECT'],
  },
  {
    name: 'rejected-request-id-indexed',
    about: 'Takes note of request IDs before it checks preconditions: a rejected one is found as committed.',
    requirements: ['COMMIT-REJECTED-NO-EFFECT', 'STATUS-NOT-FOUND'],
  },
  {
    name: 'commit-version-as-text',
    about: 'Answers the version of a commit as text.',
    requirements: ['FIELD-VERSION-INTEGER'],
  },
  {
    name: 'content-length-in-characters',
    about: 'Counts characters in Content-Length: answers with other characters than ASCII are cut.',
    requirements: ['ENCODING-JSON', 'COMMIT-REQUEST-ID-INTACT'],
  },
] as const satisfies readonly Fault[];
