import { must, open, type Requirement, should } from './requirement.js';

/** Sections 2.2, 2.3, 4.2, and the parts of 7 and 8 about commits. */
export const commitRequirements: readonly Requirement[] = [
  // The request.
  must('COMMIT-REQUEST-ID-OPTIONAL', '2.2', 'A commit without request_id is accepted.'),
  must(
    'COMMIT-REQUEST-ID-GENERATED',
    '2.2',
    'A commit without request_id gets a UUID of its own from the server, which its event carries.',
  ),
  must('COMMIT-REQUEST-ID-INTACT', '2.2', 'A request_id that is accepted is kept character by character.'),
  must(
    'COMMIT-REQUEST-ID-REUSED',
    '2.2',
    'A request_id that was used before never commits a second transaction.',
  ),
  must('COMMIT-LEADER-REQUIRED', '2.2', 'A commit without leader_id is malformed.'),
  must(
    'COMMIT-LEADER-CHANGED',
    '2.2',
    'A commit that names another leader than the current one is rejected.',
  ),
  must('COMMIT-READ-VERSION-REQUIRED', '2.2', 'A commit without read_version is malformed.'),
  must('COMMIT-READ-VERSION-DEFAULT', '2.2', 'A precondition without version is checked at read_version.'),
  must('COMMIT-PRECONDITIONS-OPTIONAL', '2.2', 'A commit without preconditions is accepted.'),
  must(
    'COMMIT-PRECONDITIONS-ALL',
    '2.2',
    'All preconditions must hold, however many there are and wherever the one that does not hold stands.',
  ),
  must(
    'COMMIT-PRECONDITION-VERSION',
    '2.2',
    'A precondition that names a version is checked at that version, not at read_version.',
  ),
  must(
    'COMMIT-PRECONDITION-VERSIONS-DIFFER',
    '2.2',
    'Preconditions of one commit may name different versions; each is checked at its own.',
  ),
  must(
    'COMMIT-PRECONDITION-OLD',
    '2.2',
    'However long ago a change was, a precondition at a version before it does not hold.',
  ),
  must(
    'COMMIT-PRECONDITION-FUTURE',
    '2.2',
    'A precondition at a version that the log has not reached is not taken as holding.',
  ),
  must(
    'COMMIT-PRECONDITION-OWN-WRITES',
    '2.2',
    'A transaction may write what it reads: its own operations do not break its preconditions.',
  ),
  must('COMMIT-POINT-READ', '2.2', 'A point_read does not hold once the content of its key has changed.'),
  must(
    'COMMIT-POINT-READ-EXISTENCE',
    '2.2',
    'A point_read does not hold once its key has come into being or has been deleted.',
  ),
  must(
    'COMMIT-RANGE-READ',
    '2.2',
    'A range_read does not hold once any key in its range has changed, come into being or been deleted.',
  ),
  must('COMMIT-PRECOND-RANGE-BEGIN-INCLUSIVE', '2.2', 'The begin of a range_read belongs to the range.'),
  should(
    'COMMIT-PRECOND-RANGE-END-EXCLUSIVE',
    '2.2',
    'The end of a range_read does not belong to the range: a change there need not cause a rejection.',
  ),
  must(
    'COMMIT-PRECOND-RANGE-EMPTY',
    '2.2',
    'A range_read whose end is not greater than its begin, by raw bytes, is malformed; one whose end is greater is not.',
  ),
  must('COMMIT-OPERATIONS-REQUIRED', '2.2', 'A commit without operations is malformed.'),
  must('COMMIT-OPERATIONS-ORDER', '2.2', 'Operations apply in order; later ones overwrite earlier ones.'),
  must(
    'COMMIT-WRITE',
    '2.2',
    'write sets a key: preconditions that read it earlier break, and its event shows it.',
  ),
  must(
    'COMMIT-DELETE',
    '2.2',
    'delete removes a key: preconditions that read it earlier break, and its event shows it.',
  ),
  must(
    'COMMIT-RANGE-DELETE',
    '2.2',
    'range_delete removes every key from begin up to, not including, end: preconditions that read them earlier break, and its event shows it.',
  ),
  open('COMMIT-RANGE-DELETE-EMPTY', '2.2', 'A range_delete whose end is not greater than its begin.'),
  open('COMMIT-EMPTY', '2.2', 'Empty operations, an empty key, an empty value.'),
  open(
    'COMMIT-NO-OP-CHANGE',
    '2.2',
    'Whether writing the value that a key has, or deleting what does not exist, counts as a change.',
  ),
  open(
    'COMMIT-FIELDS-LENIENT',
    '2.2',
    'Unknown extra fields, null for an optional field, a number such as 5.0 as a version, base64 with bits set that stand for nothing, body media types.',
  ),
  open(
    'COMMIT-REQUEST-ID-UNUSUAL',
    '2.2',
    'Which unusual request_ids (very long, control characters, outside ASCII) are accepted.',
  ),
  // The answer.
  must(
    'COMMIT-ANSWER-STATUS',
    '2.3',
    'status is committed or not_committed; committed comes with a 2xx answer, not_committed with 2xx, 409 or 412.',
  ),
  must(
    'COMMIT-ANSWER-VERSION',
    '2.3',
    'version of a committed answer is the version at which the log has the transaction.',
  ),
  must(
    'COMMIT-ANSWER-RETRY-VERSION',
    '2.3',
    'version of a not_committed answer is at least the highest version that the client knew to be committed.',
  ),
  must(
    'COMMIT-ANSWER-LEADER',
    '2.3',
    'leader_id of an answer is the leader at its version: a client can go on with it.',
  ),
  must('COMMIT-ANSWER-REQUEST-ID', '2.3', 'request_id of an answer is the one that the request carried.'),
  must(
    'COMMIT-ANSWER-CONFLICTS',
    '2.3',
    'A not_committed answer has conflicts, an array of preconditions of the request in the same shape; it may be empty only when the leader changed.',
  ),
  must('COMMIT-ANSWER-CONFLICTS-CAUSE', '2.3', 'conflicts names the precondition that was not satisfied.'),
  open(
    'COMMIT-ANSWER-CONFLICTS-ALL',
    '2.3',
    'Whether all unsatisfied preconditions are listed, and with which version.',
  ),
  open(
    'COMMIT-ANSWER-GENERATED-ID',
    '2.3',
    'Whether the answer names a request_id that the server generated.',
  ),
  // Behaviour.
  must(
    'COMMIT-RETRY',
    '4.2',
    'A client that retries with the more recent version commits in the end, when nobody else writes.',
  ),
  must(
    'COMMIT-REJECTED-NO-EFFECT',
    '4.2',
    'A transaction that was not committed leaves no trace: no event, no version, no outcome committed.',
  ),
  must('COMMIT-MALFORMED-NO-EFFECT', '4.2', 'A malformed request leaves no trace and the server goes on.'),
  must('COMMIT-VISIBLE', '4.2', 'Once a commit is answered, every other endpoint knows of it.'),
  open('COMMIT-NOT-COMMITTED-CODE', '4.2', 'The HTTP status code that accompanies not_committed.'),
  open(
    'COMMIT-PRECISION',
    '4.2',
    'How many rejections were not needed: the specification allows conservative answers.',
  ),
  // Errors and limits.
  must('COMMIT-MALFORMED-JSON', '7', 'A body that is not JSON, or not an object, gets 400.'),
  must(
    'COMMIT-MALFORMED-FIELD',
    '7',
    'A required field that is missing, or a field of the wrong type, gets 400.',
  ),
  must('COMMIT-MALFORMED-TYPE', '7', 'A precondition or operation of unknown type gets 400.'),
  must(
    'COMMIT-MALFORMED-BASE64',
    '7',
    'A key, value or bound that is not standard base64 with padding gets 400.',
  ),
  open('ERROR-BODY', '7', 'The body of an error answer.'),
  must(
    'COMMIT-SIZE-LIMIT',
    '8',
    'A commit above the configured size gets 413 and has no effect; one that is not above it does not get 413.',
  ),
  must(
    'COMMIT-REQUEST-ID-LENGTH',
    '8',
    'A request_id shorter than the configured minimum, in characters, gets 400; one of the minimum length is accepted.',
  ),
];
