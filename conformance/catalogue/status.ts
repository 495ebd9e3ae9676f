import { must, open, type Requirement } from './requirement.js';

/** Sections 2.5, 3, 4.3, and the part of 8 about request IDs. */
export const statusRequirements: readonly Requirement[] = [
  must('STATUS-VALUES', '2.5', 'status is committed, id_not_found or log_truncated, with a 2xx answer.'),
  must('STATUS-COMMITTED', '2.5', 'A request that committed is found, with its version.'),
  must(
    'STATUS-COMMITTED-LEADER',
    '2.5',
    'leader_id is the leader as of the commit version, also after the leader has changed.',
  ),
  must(
    'STATUS-NOT-IN-FLIGHT',
    '3',
    'Once a status is answered, the original request is no longer in flight: its outcome does not change any more.',
  ),
  must(
    'STATUS-LATE-ARRIVAL',
    '3',
    'A request that arrives after its status was answered as not found does not commit.',
  ),
  must(
    'STATUS-TRUNCATED',
    '3',
    'When request IDs after min_version have been truncated, a request that committed there is not answered as id_not_found.',
  ),
  must(
    'STATUS-NOT-FOUND',
    '3',
    'A request that was never sent, or was rejected or refused, is id_not_found while nothing after min_version has been truncated.',
  ),
  must(
    'STATUS-ID-EXACT',
    '4.3',
    'Only the very same request_id is found: not one that differs in case, length, or one character.',
  ),
  must(
    'STATUS-ID-ENCODING',
    '4.3',
    'request_id is percent-decoded: any accepted request_id can be asked for.',
  ),
  must('STATUS-MIN-VERSION', '4.3', 'A request that committed at min_version or above is found.'),
  open(
    'STATUS-MIN-VERSION-LATER',
    '4.3',
    'What is answered when min_version is above the commit version: committed or id_not_found.',
  ),
  must(
    'STATUS-PARAMETERS',
    '4.3',
    'request_id and min_version are required, and min_version is an integer: otherwise some 4xx is answered.',
  ),
  open('STATUS-GENERATED-ID', '4.3', 'Whether a request_id that the server generated can be asked for.'),
  must('STATUS-DURABLE', '8', 'An outcome outlives a kill and restart of the server.'),
];
