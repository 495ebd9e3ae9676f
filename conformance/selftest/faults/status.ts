import type { Fault } from './fault.js';

/** What it can get wrong in GET /v1/status. */
export const statusFaults = [
  {
    name: 'status-not-found-answered-404',
    about: 'Answers 404 where the ID is not found.',
    requirements: ['STATUS-VALUES'],
  },
  {
    name: 'status-truncated-answered-410',
    about: 'Answers 410 where the log is truncated.',
    requirements: ['STATUS-VALUES'],
  },
  {
    name: 'status-not-found-as-not-committed',
    about: 'Answers not_committed for id_not_found.',
    requirements: ['STATUS-VALUES'],
  },
  {
    name: 'status-in-upper-case',
    about: 'Answers COMMITTED.',
    requirements: ['STATUS-VALUES'],
  },
  {
    name: 'status-version-as-text',
    about: 'Answers the version of a status as text.',
    requirements: ['FIELD-VERSION-INTEGER'],
  },
  {
    name: 'status-version-is-the-latest',
    about: 'Answers the latest version, not that of the transaction.',
    requirements: ['STATUS-COMMITTED'],
  },
  {
    name: 'status-version-is-the-one-before',
    about: 'Answers the version before that of the transaction.',
    requirements: ['STATUS-COMMITTED'],
  },
  {
    name: 'status-searches-newest-100-only',
    about: 'Searches the newest 100 transactions.',
    requirements: ['STATUS-COMMITTED', 'STATUS-MIN-VERSION'],
  },
  {
    name: 'status-names-current-leader',
    about: 'Names the current leader, not that of the commit.',
    requirements: ['STATUS-COMMITTED-LEADER'],
  },
  {
    name: 'status-index-lags',
    about: 'Finds a commit 100 ms after it was answered.',
    requirements: ['COMMIT-VISIBLE', 'STATUS-COMMITTED'],
  },
  {
    name: 'status-does-not-wait',
    about: 'Answers while the request is in flight.',
    requirements: ['STATUS-NOT-IN-FLIGHT'],
  },
  {
    name: 'fence-missing',
    about: 'Lets a request commit that arrives after its status was answered.',
    requirements: ['STATUS-LATE-ARRIVAL'],
  },
  {
    name: 'fence-ends-after-100-ms',
    about: 'Lets it commit when it arrives 100 ms later.',
    requirements: ['STATUS-LATE-ARRIVAL'],
  },
  {
    name: 'fence-missing-where-truncated',
    about: 'Lets it commit where the answer was log_truncated.',
    requirements: ['STATUS-LATE-ARRIVAL'],
  },
  {
    name: 'truncated-ids-not-found',
    about: 'Answers id_not_found for what has been truncated.',
    requirements: ['STATUS-TRUNCATED'],
  },
  {
    name: 'truncated-whenever-anything-is',
    about: 'Answers log_truncated as soon as anything is truncated, also before min_version.',
    requirements: ['STATUS-NOT-FOUND'],
  },
  {
    name: 'truncated-before-this-term',
    about: 'Answers log_truncated for everything before its start.',
    requirements: ['STATUS-NOT-FOUND'],
  },
  {
    name: 'request-ids-indexed-in-lower-case',
    about: 'Looks request IDs up in lower case.',
    requirements: ['STATUS-ID-EXACT'],
  },
  {
    name: 'request-ids-indexed-by-prefix',
    about: 'Looks request IDs up by their first 20 characters.',
    requirements: ['STATUS-ID-EXACT'],
  },
  {
    name: 'request-ids-indexed-by-weak-hash',
    about: 'Takes request IDs with the same hash for the same.',
    requirements: ['STATUS-ID-EXACT'],
  },
  {
    name: 'request-ids-indexed-trimmed',
    about: 'Looks request IDs up without white space around them.',
    requirements: ['STATUS-ID-EXACT'],
  },
  {
    name: 'query-not-decoded',
    about: 'Does not percent-decode parameters.',
    requirements: ['STATUS-ID-ENCODING'],
  },
  {
    name: 'query-decoded-twice',
    about: 'Percent-decodes parameters twice.',
    requirements: ['STATUS-ID-ENCODING'],
  },
  {
    name: 'query-plus-decoded-last',
    about: 'Takes a plus for a space after percent-decoding.',
    requirements: ['STATUS-ID-ENCODING'],
  },
  {
    name: 'query-decoded-as-latin1',
    about: 'Takes percent-encoded bytes for Latin-1.',
    requirements: ['STATUS-ID-ENCODING'],
  },
  {
    name: 'query-cut-at-encoded-delimiters',
    about: 'Cuts parameters at an encoded &, = or #.',
    requirements: ['STATUS-ID-ENCODING'],
  },
  {
    name: 'min-version-needs-one-more',
    about: 'Searches only from two above min_version.',
    requirements: ['STATUS-MIN-VERSION', 'STATUS-COMMITTED'],
  },
  {
    name: 'min-version-optional',
    about: 'Takes a missing min_version for 0.',
    requirements: ['STATUS-PARAMETERS'],
  },
  {
    name: 'numbers-parsed-up-to-the-first-letter',
    about: 'Takes 1x for 1, and x for 0.',
    requirements: ['STATUS-PARAMETERS', 'STREAM-PARAMETERS'],
  },
  {
    name: 'bad-parameter-answered-500',
    about: 'Answers 500 to bad parameters.',
    requirements: ['STATUS-PARAMETERS', 'STREAM-PARAMETERS'],
  },
  {
    name: 'request-ids-in-memory-only',
    about: 'Forgets request IDs at a restart.',
    requirements: ['STATUS-DURABLE'],
  },
] as const satisfies readonly Fault[];
