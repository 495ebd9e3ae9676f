import { conflictPropertyTests } from '../properties/conflicts.js';
import { interfaceModelTests } from '../properties/interface-model.js';
import type { Test } from '../run/test.js';
import { auditTests, retrospectTests } from './audit.js';
import { commitBodyTests } from './commit-body.js';
import { commitLimitTests } from './commit-limits.js';
import { commitMalformedTests } from './commit-malformed.js';
import { commitRequestIdTests } from './commit-request-id.js';
import { concurrencyTests } from './concurrency.js';
import { conflictTests } from './conflicts.js';
import { keepaliveTests } from './keepalive.js';
import { keyOrderTests } from './key-order.js';
import { leaderTests } from './leader.js';
import { operationTests } from './operations.js';
import { restartTests } from './restart.js';
import { restartLeaderTests } from './restart-leader.js';
import { retentionTests } from './retention.js';
import { serviceTests } from './service.js';
import { slowReaderTests } from './slow-reader.js';
import { statusTests } from './status.js';
import { streamTests } from './streams.js';
import { truncationTests } from './truncation.js';
import { unusualKeyTests } from './unusual-keys.js';
import { versionTests } from './version.js';

/** Every test of the suite, in the order in which the tests of one phase begin. */
export const TESTS: readonly Test[] = [
  ...versionTests,
  ...commitMalformedTests,
  ...commitBodyTests,
  ...commitRequestIdTests,
  ...commitLimitTests,
  ...leaderTests,
  ...conflictTests,
  ...keyOrderTests,
  ...unusualKeyTests,
  ...operationTests,
  ...statusTests,
  ...streamTests,
  ...slowReaderTests,
  ...keepaliveTests,
  ...retentionTests,
  ...serviceTests,
  ...concurrencyTests,
  ...conflictPropertyTests,
  ...interfaceModelTests,
  ...retrospectTests,
  ...restartTests,
  ...restartLeaderTests,
  ...truncationTests,
  ...auditTests,
];
