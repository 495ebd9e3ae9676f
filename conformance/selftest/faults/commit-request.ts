import type { Fault } from './fault.js';

/** What a server can get wrong in reading commits, and about request IDs. */
export const commitRequestFaults = [
  {
    name: 'request-id-required',
    about: 'Refuses commits without request_id.',
    requirements: ['COMMIT-REQUEST-ID-OPTIONAL'],
  },
  {
    name: 'generated-request-id-always-the-same',
    about: 'Fills in the nil UUID where a commit has no request_id.',
    requirements: ['COMMIT-REQUEST-ID-GENERATED'],
  },
  {
    name: 'generated-request-id-no-uuid',
    about: 'Generates request IDs such as req-17.',
    requirements: ['COMMIT-REQUEST-ID-GENERATED'],
  },
  {
    name: 'generated-request-id-empty',
    about: 'Leaves the request_id of the event empty where the commit had none.',
    requirements: ['COMMIT-REQUEST-ID-GENERATED'],
  },
  {
    name: 'request-id-trimmed',
    about: 'Strips white space from request IDs.',
    requirements: ['COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'request-id-cut-to-64-characters',
    about: 'Keeps request IDs in a column of 64 characters.',
    requirements: ['COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'request-id-normalized',
    about: 'Normalizes request IDs to NFC.',
    requirements: ['COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'request-id-as-ascii',
    about: 'Replaces what is not ASCII in request IDs by question marks.',
    requirements: ['COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'request-id-lower-cased',
    about: 'Keeps request IDs in lower case.',
    requirements: ['COMMIT-REQUEST-ID-INTACT'],
  },
  {
    name: 'request-id-length-in-bytes',
    about: 'Counts bytes of UTF-8 where the length of a request_id is checked.',
    requirements: ['COMMIT-REQUEST-ID-LENGTH'],
  },
  {
    name: 'request-id-length-off-by-one-short',
    about: 'Accepts request IDs one character too short.',
    requirements: ['COMMIT-REQUEST-ID-LENGTH'],
  },
  {
    name: 'request-id-length-off-by-one-long',
    about: 'Refuses request IDs of just the minimum length.',
    requirements: ['COMMIT-REQUEST-ID-LENGTH'],
  },
  {
    name: 'request-id-length-unchecked',
    about: 'Accepts request IDs of any length.',
    requirements: ['COMMIT-REQUEST-ID-LENGTH'],
  },
  {
    name: 'reuse-unchecked',
    about: 'Commits a request_id as often as it is sent.',
    requirements: ['COMMIT-REQUEST-ID-REUSED'],
  },
  {
    name: 'reuse-unchecked-in-flight',
    about: 'Looks for a used request_id only among what is durable.',
    requirements: ['COMMIT-REQUEST-ID-REUSED'],
    on: ['slow-durability'],
  },
  {
    name: 'reuse-checked-in-flight-only',
    about: 'Forgets a request_id as soon as its commit is durable.',
    requirements: ['COMMIT-REQUEST-ID-REUSED'],
  },
  {
    name: 'pause-after-reuse-check',
    about: 'Checks a request_id, waits for something else, and only then takes note of it.',
    requirements: ['COMMIT-REQUEST-ID-REUSED'],
  },
  {
    name: 'only-100-request-ids-remembered',
    about: 'Remembers the last 100 request IDs, and takes older ones for new.',
    requirements: ['COMMIT-REQUEST-ID-REUSED', 'STATUS-COMMITTED', 'STATUS-DURABLE'],
  },
  {
    name: 'leader-id-optional',
    about: 'Takes a missing leader_id for the current one.',
    requirements: ['COMMIT-LEADER-REQUIRED'],
  },
  {
    name: 'leader-unchecked',
    about: 'Does not look at leader_id.',
    requirements: ['COMMIT-LEADER-CHANGED'],
  },
  {
    name: 'leader-unchecked-without-preconditions',
    about: 'Does not look at leader_id where there are no preconditions.',
    requirements: ['COMMIT-LEADER-CHANGED'],
  },
  {
    name: 'leader-unchecked-for-deletes',
    about: 'Does not look at leader_id where nothing is written.',
    requirements: ['COMMIT-LEADER-CHANGED'],
  },
  {
    name: 'leader-unchecked-without-operations',
    about: 'Does not look at leader_id where there are no operations.',
    requirements: ['COMMIT-LEADER-CHANGED'],
  },
  {
    name: 'leader-trimmed',
    about: 'Takes spaces off the leader_id.',
    requirements: ['COMMIT-LEADER-CHANGED'],
  },
  {
    name: 'leader-compared-without-case',
    about: 'Takes leaders that differ in case for one.',
    requirements: ['COMMIT-LEADER-CHANGED'],
  },
  {
    name: 'leader-compared-by-prefix',
    about: 'Accepts the beginning of the leader_id.',
    requirements: ['COMMIT-LEADER-CHANGED'],
  },
  {
    name: 'read-version-optional',
    about: 'Takes a missing read_version for the latest version.',
    requirements: ['COMMIT-READ-VERSION-REQUIRED'],
  },
  {
    name: 'read-version-optional-where-unused',
    about: 'Lets read_version be missing where every precondition has a version.',
    requirements: ['COMMIT-READ-VERSION-REQUIRED'],
  },
  {
    name: 'preconditions-required',
    about: 'Refuses commits without preconditions.',
    requirements: ['COMMIT-PRECONDITIONS-OPTIONAL'],
  },
  {
    name: 'operations-optional',
    about: 'Takes missing operations for none.',
    requirements: ['COMMIT-OPERATIONS-REQUIRED'],
  },
  {
    name: 'wrong-types-coerced',
    about: 'Takes text for numbers and numbers for text.',
    requirements: ['COMMIT-MALFORMED-FIELD'],
  },
  {
    name: 'fractional-versions-cut',
    about: 'Rounds fractional versions down.',
    requirements: ['COMMIT-MALFORMED-FIELD'],
  },
  {
    name: 'missing-value-taken-as-empty',
    about: 'Takes a write without value for one of the empty value.',
    requirements: ['COMMIT-MALFORMED-FIELD'],
  },
  {
    name: 'preconditions-of-wrong-type-ignored',
    about: 'Takes preconditions that are no array for none.',
    requirements: ['COMMIT-MALFORMED-FIELD'],
  },
  {
    name: 'malformed-answered-422',
    about: 'Answers 422 to malformed commits.',
    requirements: ['COMMIT-MALFORMED-FIELD', 'COMMIT-MALFORMED-JSON', 'COMMIT-MALFORMED-TYPE'],
  },
  {
    name: 'unknown-operations-skipped',
    about: 'Leaves out operations of unknown type, and commits the others.',
    requirements: ['COMMIT-MALFORMED-TYPE'],
  },
  {
    name: 'unknown-preconditions-skipped',
    about: 'Takes preconditions of unknown type as holding.',
    requirements: ['COMMIT-MALFORMED-TYPE'],
  },
  {
    name: 'unknown-precondition-taken-as-point-read',
    about: 'Takes whatever has a key for a point_read.',
    requirements: ['COMMIT-MALFORMED-TYPE'],
  },
  {
    name: 'operation-types-in-any-case',
    about: 'Accepts WRITE for write.',
    requirements: ['COMMIT-MALFORMED-TYPE'],
  },
  {
    name: 'not-json-answered-500',
    about: 'Answers 500 to a body that is not JSON.',
    requirements: ['COMMIT-MALFORMED-JSON'],
  },
  {
    name: 'not-an-object-answered-500',
    about: 'Answers 500 to JSON that is not an object.',
    requirements: ['COMMIT-MALFORMED-JSON'],
  },
  {
    name: 'text-after-json-ignored',
    about: 'Ignores what follows the JSON of a body.',
    requirements: ['COMMIT-MALFORMED-JSON'],
  },
  {
    name: 'array-of-one-commit-accepted',
    about: 'Accepts an array, and commits its first element.',
    requirements: ['COMMIT-MALFORMED-JSON'],
  },
  {
    name: 'base64-decoded-leniently',
    about: 'Decodes whatever the library makes of a text.',
    requirements: ['COMMIT-MALFORMED-BASE64'],
  },
  {
    name: 'base64url-accepted',
    about: 'Accepts - and _ in base64.',
    requirements: ['COMMIT-MALFORMED-BASE64'],
  },
  {
    name: 'base64-padding-optional',
    about: 'Accepts base64 without padding.',
    requirements: ['COMMIT-MALFORMED-BASE64'],
  },
  {
    name: 'base64-excess-padding-accepted',
    about: 'Accepts base64 with too much padding.',
    requirements: ['COMMIT-MALFORMED-BASE64'],
  },
  {
    name: 'base64-white-space-skipped',
    about: 'Skips white space in base64.',
    requirements: ['COMMIT-MALFORMED-BASE64'],
  },
  {
    name: 'base64-of-bounds-unchecked',
    about: 'Checks the base64 of keys and values, and not of begin and end.',
    requirements: ['COMMIT-MALFORMED-BASE64'],
  },
  {
    name: 'base64-of-values-unchecked',
    about: 'Checks the base64 of keys, and not of values.',
    requirements: ['COMMIT-MALFORMED-BASE64'],
  },
  {
    name: 'empty-range-accepted',
    about: 'Accepts ranges whose end is their begin.',
    requirements: ['COMMIT-PRECOND-RANGE-EMPTY'],
  },
  {
    name: 'reversed-range-accepted',
    about: 'Refuses only ranges whose end is their begin.',
    requirements: ['COMMIT-PRECOND-RANGE-EMPTY'],
  },
  {
    name: 'range-bounds-not-compared',
    about: 'Accepts any bounds.',
    requirements: ['COMMIT-PRECOND-RANGE-EMPTY'],
  },
  {
    name: 'range-bounds-compared-as-base64-text',
    about: 'Compares begin and end before they are decoded.',
    requirements: ['COMMIT-PRECOND-RANGE-EMPTY'],
  },
  {
    name: 'operations-before-a-malformed-one-applied',
    about: 'Applies operations while it reads them, until it meets a malformed one.',
    requirements: ['COMMIT-MALFORMED-NO-EFFECT'],
  },
  {
    name: 'oversize-answered-400',
    about: 'Answers 400 to a body above the limit.',
    requirements: ['COMMIT-SIZE-LIMIT'],
  },
  {
    name: 'size-limit-off-by-one',
    about: 'Refuses a body of just the limit.',
    requirements: ['COMMIT-SIZE-LIMIT'],
  },
  {
    name: 'size-limit-exceeded-by-half',
    about: 'Looks at the limit only once its buffer has doubled.',
    requirements: ['COMMIT-SIZE-LIMIT'],
  },
  {
    name: 'size-unlimited-when-chunked',
    about: 'Checks Content-Length, and not what is sent without it.',
    requirements: ['COMMIT-SIZE-LIMIT'],
  },
  {
    name: 'size-limit-in-characters',
    about: 'Counts characters of the body, not bytes.',
    requirements: ['COMMIT-SIZE-LIMIT'],
  },
  {
    name: 'oversize-refused-but-committed',
    about: 'Answers 413 to a commit that it has committed.',
    requirements: ['COMMIT-SIZE-LIMIT'],
  },
] as const satisfies readonly Fault[];
