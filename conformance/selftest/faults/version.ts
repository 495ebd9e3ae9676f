import type { Fault } from './fault.js';

/** What it can get wrong in GET /v1/version. */
export const versionFaults = [
  {
    name: 'version-without-leader',
    about: 'Leaves leader_id out of GET /v1/version.',
    requirements: ['VERSION-FIELDS'],
  },
  {
    name: 'version-in-another-field',
    about: 'Names the version committed_version.',
    requirements: ['VERSION-FIELDS'],
  },
  {
    name: 'version-as-bare-number',
    about: 'Answers GET /v1/version with a number.',
    requirements: ['VERSION-FIELDS'],
  },
  {
    name: 'version-as-text',
    about: 'Answers the version as text.',
    requirements: ['FIELD-VERSION-INTEGER'],
  },
  {
    name: 'version-from-a-cache',
    about: 'Answers GET /v1/version from a cache of 50 ms.',
    requirements: ['VERSION-NOT-BEHIND'],
  },
  {
    name: 'version-lags-by-one',
    about: 'Leaves the newest transaction out of GET /v1/version until the next one.',
    requirements: ['VERSION-NOT-BEHIND'],
  },
  {
    name: 'version-is-the-next',
    about: 'Answers the version that the next transaction will have.',
    requirements: ['VERSION-NOT-AHEAD'],
  },
  {
    name: 'version-is-accepted',
    about: 'Answers a version that is accepted and not durable yet.',
    requirements: ['VERSION-DURABLE', 'STREAM-AFTER'],
    on: ['slow-durability'],
  },
  {
    name: 'version-forgotten-at-restart',
    about: 'Answers the version of an empty log from a restart to the first commit.',
    requirements: ['VERSION-DURABLE', 'VERSION-NOT-BEHIND'],
  },
  {
    name: 'version-cut-to-32-bits',
    about: 'Answers the lowest 32 bits of the version.',
    requirements: ['VERSION-NOT-BEHIND'],
    on: ['versions-from-a-clock'],
  },
  {
    name: 'version-names-leader-of-last-transaction',
    about: 'Names the leader of the last transaction, even of before a restart.',
    requirements: ['VERSION-LEADER', 'LEADER-STABLE'],
  },
  {
    name: 'version-names-a-node',
    about: 'Names a machine, not the leader.',
    requirements: ['VERSION-LEADER', 'LEADER-STABLE'],
  },
] as const satisfies readonly Fault[];
