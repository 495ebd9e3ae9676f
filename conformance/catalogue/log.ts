import { must, open, type Requirement, untestable } from './requirement.js';

/** Sections 1, 2.1 and 9: the log, versions, leaders, encodings, paths. */
export const logRequirements: readonly Requirement[] = [
  must(
    'LOG-ONE-VERSION-EACH',
    '1',
    'Each committed transaction has one version, and no version names two transactions.',
  ),
  must(
    'LOG-VERSIONS-GROW',
    '1',
    'A transaction that is sent after a version has been learnt takes effect above that version.',
  ),
  must(
    'LOG-VERSIONS-NOT-REUSED',
    '1',
    'After a restart of the server, new transactions take versions above all that were committed before.',
  ),
  must(
    'LOG-DURABLE',
    '1',
    'What was answered as committed, or streamed as durable, is in the log after the server is killed and restarted, unchanged.',
  ),
  must(
    'LOG-SERIALIZABLE',
    '1',
    'Replaying the log in version order, the preconditions of every committed transaction held when it took effect.',
  ),
  must(
    'LOG-KEY-ORDER-BYTES',
    '1',
    'Keys are ordered by comparing their raw bytes as unsigned numbers, a prefix before what it begins.',
  ),
  must(
    'ENCODING-BASE64',
    '1',
    'Keys and values that the server sends are standard base64 with padding, and stand for the bytes that the client sent.',
  ),
  must('ENCODING-JSON', '1', 'Bodies of answers, except the event stream and the metrics, are JSON.'),
  untestable(
    'LOG-SINGLE-LEADER',
    '1',
    'There is a single leader at a time.',
    'One address shows one leader; a second one behind another address cannot be seen.',
  ),
  must('FIELD-VERSION-INTEGER', '2.1', 'Every version in an answer or event is a JSON integer.'),
  must('FIELD-LEADER-STRING', '2.1', 'Every leader_id in an answer or event is a string that is not empty.'),
  must(
    'LEADER-STABLE',
    '2.1',
    'All endpoints name the same leader as long as its term lasts, and a leader whose term has ended does not come back.',
  ),
  must(
    'LEADER-FENCED-AFTER-RESTART',
    '2.1',
    'After a restart, a commit that names a leader of before is not committed unless that leader still leads.',
  ),
  open(
    'LEADER-NEW-AFTER-RESTART',
    '2.1',
    'Whether a restarted server begins a new term with a leader_id of its own.',
  ),
  open('LEADER-FORMAT', '2.1', 'Format and length of a leader_id.'),
  must('PATHS-PREFIXED', '9', 'The API is served below /v1, and /ok and /metrics without it.'),
];
