import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitAnswer } from '../api/answers.js';
import type { KeySpace } from '../model/key-space.js';
import type { Transaction } from '../model/transaction.js';
import type { TestContext } from '../run/test-context.js';

/** Sends a transaction with just the ids that it has, again as long as the server is unavailable. */
export async function sendAsIs(
  t: TestContext,
  transaction: Transaction,
  space: KeySpace,
): Promise<Exclude<CommitAnswer, { kind: 'unavailable' }>> {
  const deadline = performance.now() + t.options.patienceMs;
  for (;;) {
    const answer = await t.api.commit(transaction, space.name);
    if (answer.kind !== 'unavailable') return answer;
    if (performance.now() > deadline)
      t.giveUp(`no outcome of a commit within ${t.options.patienceMs} ms: ${answer.why}`);
    await sleep(20 + t.random.below(50));
  }
}
