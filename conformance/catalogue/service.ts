import { must, open, type Requirement, untestable } from './requirement.js';

/** Sections 4.6, 4.7 and 5. */
export const serviceRequirements: readonly Requirement[] = [
  must('OK-ANSWERS', '4.6', 'GET /ok answers 200.'),
  must('METRICS-FORMAT', '4.7', 'GET /metrics answers 2xx in the text exposition format.'),
  must(
    'METRICS-CPU',
    '4.7',
    'process_cpu_seconds_total is a counter, with HELP and TYPE lines, and does not go back while the process runs.',
  ),
  open('METRICS-LIST', '4.7', 'Which other metrics there are.'),
  untestable(
    'AUTHENTICATION',
    '5',
    'Authentication is out of scope.',
    'Nothing is stated that could be tested.',
  ),
];
