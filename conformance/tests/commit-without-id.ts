import type { KeySpace } from '../model/key-space.js';
import { type Transaction, write } from '../model/transaction.js';
import type { Commit, TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';

const TRIES = 60;

/** Commits a write of `key` without a request_id. @throws Violation where it is refused, Incomplete */
export async function commitWithoutId(t: TestContext, key: string, space: KeySpace): Promise<Commit> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const transaction: Transaction = {
      leaderId: t.leaderId,
      readVersion: t.committed,
      operations: [write(key, 'x')],
    };
    const answer = await t.api.commit(transaction, space.name);
    if (answer.kind === 'committed') return { ...answer, transaction };
    if (answer.kind === 'refused')
      throw new Violation(
        'COMMIT-REQUEST-ID-OPTIONAL',
        `a commit without request_id was refused with ${answer.httpStatus}: ${answer.body.slice(0, 200)}`,
      );
    await t.now();
  }
  return t.giveUp(`${TRIES} retries did not get a transaction through`);
}
