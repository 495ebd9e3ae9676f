import type { StatusAnswer } from '../api/answers.js';
import type { TestContext } from '../run/test-context.js';
import { toJson } from '../wire/json.js';

/** Where the server forgets old requests on its own, it may have forgotten this one already. */
const mayBeForgotten = (t: TestContext, status: StatusAnswer): boolean =>
  status.kind === 'log_truncated' && t.hooks.truncationKeeps !== undefined;

/** A request that committed at `version` is found there. @throws Violation */
export function checkStatus(
  t: TestContext,
  requirement: string,
  requestId: string,
  status: StatusAnswer,
  version: bigint,
): void {
  if (mayBeForgotten(t, status)) return;
  t.check(
    requirement,
    status.kind === 'committed' && status.version === version,
    () =>
      `${toJson(requestId)} committed at ${version}, and its status is ${status.kind}${
        status.kind === 'committed' ? ` at ${status.version}` : ''
      }`,
  );
}
