import { must, open, type Requirement, should, untestable } from './requirement.js';

/** Sections 4.4 and 6, and the part of 8 about subscribers. */
export const streamRequirements: readonly Requirement[] = [
  must('STREAM-CONTENT-TYPE', '4.4', 'The answer is 200 with Content-Type text/event-stream.'),
  must('STREAM-SSE', '4.4', 'The body is a well-formed event stream in UTF-8.'),
  must('STREAM-NO-ID', '4.4', 'No event has an id field.'),
  must(
    'STREAM-AFTER',
    '4.4',
    'Streaming starts with the first transaction above after: it is neither repeated nor is the next one left out.',
  ),
  must('STREAM-AFTER-ZERO', '4.4', 'after=0 is a version like any other, not the default.'),
  must('STREAM-AFTER-DEFAULT', '4.4', 'Without after, streaming starts from the latest committed version.'),
  must(
    'STREAM-AFTER-TRUNCATED',
    '4.4',
    'after in a truncated part of the log gets 410, never a stream with a hole.',
  ),
  must('STREAM-AFTER-HELD', '4.4', 'after in the part of the log that is held gets a stream.'),
  must('STREAM-DURABLE-DEFAULT', '4.4', 'durable is true by default.'),
  must(
    'STREAM-DURABLE-ONLY',
    '4.4',
    'With durable=true, a transaction is sent only once it is durably committed.',
  ),
  must('STREAM-DURABLE-NO-CHECKPOINT', '4.4', 'With durable=true, no checkpoint is sent.'),
  must('STREAM-ACCEPTED', '4.4', 'With durable=false, transactions are streamed together with checkpoints.'),
  must(
    'STREAM-PARAMETERS',
    '4.4',
    'after that is not an integer, or durable that is neither true nor false, gets some 4xx.',
  ),
  open('STREAM-AFTER-FUTURE', '4.4', 'What is answered to an after that the log has not reached.'),
  must(
    'STREAM-LIVE',
    '4.4',
    'A transaction is delivered to open streams soon, without another one having to follow.',
  ),
  must(
    'EVENT-FIELDS',
    '6.1',
    'The data of a transaction event is a JSON object with request_id, version, prev_version, timestamp, leader_id and operations.',
  ),
  must('EVENT-REQUEST-ID', '6.1', 'request_id is that of the commit request.'),
  must('EVENT-VERSION', '6.1', 'version is the version that was answered to the commit.'),
  must(
    'EVENT-PREV-VERSION',
    '6.1',
    'prev_version is the version of the transaction before it in the log, whoever reads and from where.',
  ),
  must('EVENT-TIMESTAMP', '6.1', 'timestamp is an ISO 8601 time in UTC with milliseconds.'),
  must('EVENT-LEADER', '6.1', 'leader_id is the leader at the version, also after the leader has changed.'),
  must(
    'EVENT-OPERATIONS',
    '6.1',
    'operations is an array with the net effect of the operations of the commit.',
  ),
  open(
    'EVENT-OPERATIONS-SHAPE',
    '6.1',
    'The shape of the elements of operations, and whether they are those of the request.',
  ),
  open(
    'EVENT-TIMESTAMP-VALUE',
    '6.1',
    'Whether timestamp is the same in every delivery, and does not go back.',
  ),
  must(
    'CHECKPOINT-FIELDS',
    '6.2',
    'The data of a checkpoint event is a JSON object with committed_version and leader_id.',
  ),
  must(
    'CHECKPOINT-FOLLOWS',
    '6.2',
    'A checkpoint at or above a durable transaction follows it, without another transaction having to follow.',
  ),
  must('CHECKPOINT-DURABLE', '6.2', 'A checkpoint names a durable version, never one that is only accepted.'),
  must('CHECKPOINT-GROWS', '6.2', 'committed_version does not go back on a stream.'),
  must(
    'CHECKPOINT-NOT-AHEAD',
    '6.4',
    'No transaction at or below a checkpoint is sent after it: a client that resumes from a checkpoint misses nothing.',
  ),
  must('CHECKPOINT-LEADER', '6.2', 'leader_id is the leader at the committed version.'),
  must(
    'KEEPALIVE-SENT',
    '6.3',
    'On a silent stream, a comment is sent within the keepalive interval, again and again.',
  ),
  must('KEEPALIVE-COMMENT', '6.3', 'keepalive is a comment line, without event and data.'),
  must(
    'STREAM-ACCEPTED-COMMITS',
    '6.4',
    'An accepted transaction that was streamed commits in the end, unless the leader changes.',
  ),
  must(
    'STREAM-RESUME',
    '6.4',
    'After a restart, a stream from the last processed version, or from the last checkpoint, goes on without gap or repeat.',
  ),
  must(
    'STREAM-COMPLETE',
    '6.4',
    'Every committed transaction is streamed exactly once, in version order, in catch-up, live, and where they meet.',
  ),
  must(
    'STREAM-SAME-LOG',
    '6.4',
    'All streams show the same log: at one version the same transaction, with the same predecessor.',
  ),
  must(
    'STREAM-SLOW-READER',
    '6.4',
    'A reader that falls behind has its connection closed or gets everything; it never sees a gap.',
  ),
  must(
    'STREAM-SLOW-READER-ALONE',
    '6.4',
    'A reader that does not read holds up neither commits nor other readers.',
  ),
  should(
    'STREAM-SLOW-READER-CLOSED',
    '8',
    'A reader that is further behind than the configured buffer has its connection closed.',
  ),
  untestable(
    'STREAM-BACKOFF',
    '6.4',
    'A client discards what came after the last checkpoint when the leader changes, and reconnects with randomized backoff.',
    'It binds clients, not servers.',
  ),
];
