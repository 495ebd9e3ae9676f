import type { Fault } from './fault.js';

/** What it can get wrong about retention policies and truncation. */
export const retentionFaults = [
  {
    name: 'put-always-200',
    about: 'Answers 200 to a PUT that creates.',
    requirements: ['RETENTION-CREATE'],
  },
  {
    name: 'put-of-deleted-answers-200',
    about: 'Takes a policy that was deleted for an existing one.',
    requirements: ['RETENTION-CREATE'],
  },
  {
    name: 'put-always-201',
    about: 'Answers 201 to a PUT that updates.',
    requirements: ['RETENTION-UPDATE'],
  },
  {
    name: 'policy-only-grows',
    about: 'Ignores a PUT of a lower version.',
    requirements: ['RETENTION-UPDATE'],
  },
  {
    name: 'policy-only-shrinks',
    about: 'Ignores a PUT of a higher version.',
    requirements: ['RETENTION-UPDATE'],
  },
  {
    name: 'policy-keeps-its-first-version',
    about: 'Ignores updates.',
    requirements: ['RETENTION-UPDATE'],
  },
  {
    name: 'policy-created-by-several',
    about: 'Answers 201 to several PUTs at the same time.',
    requirements: ['RETENTION-CREATE-ONCE'],
  },
  {
    name: 'policy-as-bare-number',
    about: 'Answers a policy as a number.',
    requirements: ['RETENTION-GET'],
  },
  {
    name: 'policy-inside-a-list',
    about: 'Answers a policy inside an array.',
    requirements: ['RETENTION-GET'],
  },
  {
    name: 'policy-version-in-another-field',
    about: 'Names the version of a policy version.',
    requirements: ['RETENTION-GET'],
  },
  {
    name: 'policy-version-as-text',
    about: 'Answers the version of a policy as text.',
    requirements: ['FIELD-VERSION-INTEGER', 'RETENTION-GET'],
  },
  {
    name: 'missing-policy-answered-200',
    about: 'Answers null for a policy that does not exist.',
    requirements: ['RETENTION-GET-NONE'],
  },
  {
    name: 'missing-policy-answered-204',
    about: 'Answers 204 for a policy that does not exist.',
    requirements: ['RETENTION-GET-NONE'],
  },
  {
    name: 'missing-policy-answered-as-zero',
    about: 'Answers version 0 for a policy that does not exist.',
    requirements: ['RETENTION-GET-NONE'],
  },
  {
    name: 'list-as-map',
    about: 'Lists policies as an object by ID.',
    requirements: ['RETENTION-LIST'],
  },
  {
    name: 'list-inside-an-object',
    about: 'Lists policies inside an object.',
    requirements: ['RETENTION-LIST'],
  },
  {
    name: 'list-with-ids-only',
    about: 'Lists the IDs of policies.',
    requirements: ['RETENTION-LIST'],
  },
  {
    name: 'list-with-encoded-ids',
    about: 'Lists IDs percent-encoded.',
    requirements: ['RETENTION-LIST', 'RETENTION-ID'],
  },
  {
    name: 'list-leaves-out-version-zero',
    about: 'Leaves policies at version 0 out of the list.',
    requirements: ['RETENTION-LIST'],
  },
  {
    name: 'list-leaves-out-the-newest',
    about: 'Leaves the newest policy out of the list.',
    requirements: ['RETENTION-LIST'],
  },
  {
    name: 'list-cut-to-10',
    about: 'Lists 10 policies.',
    requirements: ['RETENTION-LIST'],
  },
  {
    name: 'list-shows-versions-as-created',
    about: 'Lists policies as they were created, not as they were updated.',
    requirements: ['RETENTION-LIST'],
  },
  {
    name: 'list-shows-deleted',
    about: 'Lists deleted policies.',
    requirements: ['RETENTION-DELETE'],
  },
  {
    name: 'delete-answered-200',
    about: 'Answers 200 to DELETE.',
    requirements: ['RETENTION-DELETE'],
  },
  {
    name: 'delete-does-nothing',
    about: 'Answers DELETE, and keeps the policy.',
    requirements: ['RETENTION-DELETE'],
  },
  {
    name: 'delete-of-none-answered-500',
    about: 'Answers 500 to DELETE of what does not exist.',
    requirements: ['RETENTION-DELETE-NONE'],
  },
  {
    name: 'delete-of-none-removes-the-last',
    about: 'Removes the last policy where the one to delete does not exist.',
    requirements: ['RETENTION-DELETE-NONE'],
  },
  {
    name: 'delete-removes-all',
    about: 'Removes all policies.',
    requirements: ['RETENTION-SEPARATE'],
  },
  {
    name: 'delete-by-prefix',
    about: 'Removes every policy whose ID begins like the one to delete.',
    requirements: ['RETENTION-SEPARATE'],
  },
  {
    name: 'policy-id-lower-cased',
    about: 'Takes IDs that differ in case for one.',
    requirements: ['RETENTION-ID'],
  },
  {
    name: 'policy-id-not-decoded',
    about: 'Does not percent-decode IDs.',
    requirements: ['RETENTION-ID'],
  },
  {
    name: 'policy-id-decoded-twice',
    about: 'Percent-decodes IDs twice.',
    requirements: ['RETENTION-ID'],
  },
  {
    name: 'policy-id-cut-at-dot',
    about: 'Cuts IDs at the first dot.',
    requirements: ['RETENTION-ID'],
  },
  {
    name: 'policy-id-cut-to-32-characters',
    about: 'Keeps the first 32 characters of IDs.',
    requirements: ['RETENTION-ID'],
  },
  {
    name: 'policy-without-version-stored',
    about: 'Takes a missing prevent_truncate for 0.',
    requirements: ['RETENTION-MALFORMED'],
  },
  {
    name: 'policy-off-by-one',
    about: 'Truncates the very version that a policy names.',
    requirements: ['RETENTION-HONOURED'],
  },
  {
    name: 'policies-ignored',
    about: 'Truncates whatever policies say.',
    requirements: ['RETENTION-HONOURED'],
  },
  {
    name: 'highest-policy-wins',
    about: 'Honours the highest policy.',
    requirements: ['RETENTION-HONOURED'],
  },
  {
    name: 'newest-policy-wins',
    about: 'Honours the policy that was created last.',
    requirements: ['RETENTION-HONOURED'],
  },
  {
    name: 'policy-of-version-zero-ignored',
    about: 'Takes a policy at version 0 for none.',
    requirements: ['RETENTION-HONOURED'],
  },
  {
    name: 'policies-hold-at-their-first-version',
    about: 'Truncates by the versions that policies were created with.',
    requirements: ['RETENTION-HONOURED', 'RETENTION-RELEASED'],
  },
  {
    name: 'deleted-policies-hold-on',
    about: 'Honours policies after they were deleted.',
    requirements: ['RETENTION-RELEASED'],
  },
  {
    name: 'policies-in-memory-only',
    about: 'Forgets policies at a restart.',
    requirements: ['RETENTION-DURABLE'],
  },
  {
    name: 'policy-updates-in-memory-only',
    about: 'Forgets updates of policies at a restart.',
    requirements: ['RETENTION-DURABLE'],
  },
  {
    name: 'policy-deletions-in-memory-only',
    about: 'Forgets deletions of policies at a restart.',
    requirements: ['RETENTION-DURABLE'],
  },
  {
    name: 'start-truncates-before-policies-are-read',
    about: 'Truncates at its start, before it knows the policies.',
    requirements: ['RETENTION-HONOURED', 'RETENTION-DURABLE'],
  },
] as const satisfies readonly Fault[];
