import { must, open, type Requirement, should } from './requirement.js';

/** Sections 2.6 and 4.5. */
export const retentionRequirements: readonly Requirement[] = [
  must(
    'RETENTION-CREATE',
    '4.5',
    'PUT of a new policy answers 201, also when it existed before and was deleted.',
  ),
  must(
    'RETENTION-UPDATE',
    '4.5',
    'PUT of an existing policy answers 200 and replaces its version, upwards and downwards.',
  ),
  must(
    'RETENTION-CREATE-ONCE',
    '4.5',
    'Of several PUTs that create one policy at the same time, one answers 201.',
  ),
  must('RETENTION-GET', '4.5', 'GET answers an object with the prevent_truncate that was set.'),
  must('RETENTION-GET-NONE', '4.5', 'GET of a policy that does not exist answers 404, or 410.'),
  must(
    'RETENTION-LIST',
    '4.5',
    'The list is a JSON array with policy_id and prevent_truncate of every policy, each once.',
  ),
  must('RETENTION-DELETE', '4.5', 'DELETE answers 204, and the policy is gone from GET and from the list.'),
  must(
    'RETENTION-DELETE-NONE',
    '4.5',
    'DELETE of a policy that does not exist answers 204 or 404, and nothing else changes.',
  ),
  must(
    'RETENTION-SEPARATE',
    '4.5',
    'Policies are separate: setting or deleting one leaves the others as they are.',
  ),
  must('RETENTION-ID', '4.5', 'policy_id is the last path segment, percent-decoded, told apart exactly.'),
  should(
    'RETENTION-MALFORMED',
    '4.5',
    'A PUT whose body is not an object with an integer prevent_truncate gets some 4xx, and stores nothing.',
  ),
  open('RETENTION-ID-UNUSUAL', '4.5', 'Which unusual policy_ids are accepted.'),
  must(
    'RETENTION-HONOURED',
    '2.6',
    'The log is not truncated at or above the lowest prevent_truncate of all policies.',
  ),
  should(
    'RETENTION-RELEASED',
    '4.5',
    'Once the policy that held it is deleted or raised, the log can be truncated.',
  ),
  must(
    'RETENTION-DURABLE',
    '4.5',
    'Policies, their updates and their deletions outlive a kill and restart of the server.',
  ),
];
