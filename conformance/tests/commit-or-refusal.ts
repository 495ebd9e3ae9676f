import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitAnswer } from '../api/answers.js';
import type { KeySpace } from '../model/key-space.js';
import type { Build, Commit, TestContext } from '../run/test-context.js';

export type Refusal = Extract<CommitAnswer, { kind: 'refused' }>;

const REJECTIONS = 60;

/**
 * Sends a transaction that the server may take or refuse for good; it is sent again as long as it is merely
 * rejected. `build` has to give another request_id, if it gives any, each time.
 * @throws Incomplete
 */
export async function commitOrRefusal(
  t: TestContext,
  build: Build,
  space?: KeySpace,
): Promise<Commit | Refusal> {
  for (let tries = 0; tries < REJECTIONS; tries += 1) {
    const { answer, transaction } = await t.send(build, space);
    if (answer.kind === 'committed') return { ...answer, transaction };
    if (answer.kind === 'refused') return answer;
    await t.now();
    if (tries > 4) await sleep(t.random.below(20));
  }
  return t.giveUp(`${REJECTIONS} retries did not get a transaction through`);
}
