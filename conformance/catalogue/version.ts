import { must, type Requirement } from './requirement.js';

/** Sections 2.4 and 4.1. */
export const versionRequirements: readonly Requirement[] = [
  must('VERSION-FIELDS', '2.4', 'The answer has version and leader_id.'),
  must(
    'VERSION-NOT-BEHIND',
    '2.4',
    'version is at least every version known to be committed when the request was made: by an answer, a durable event, a checkpoint, a status or an earlier query.',
  ),
  must(
    'VERSION-NOT-AHEAD',
    '2.4',
    'version is a committed version: whatever is sent after it was learnt takes effect above it.',
  ),
  must(
    'VERSION-DURABLE',
    '2.4',
    'A version that was answered is not forgotten when the server is killed and restarted.',
  ),
  must('VERSION-LEADER', '4.1', 'leader_id is the leader whom commits have to name.'),
];
