import type { Stream } from '../api/stream.js';
import type { Basis, TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { NoAnswer } from '../wire/http.js';
import { allOf } from './all-of.js';
import { blame } from './blame.js';

export interface Restarted {
  /** Who led before. */
  readonly before: string;
  /** Where the server stands now. */
  readonly now: Basis;
  readonly sameLeader: boolean;
}

/** How long the end of a connection may take to get here once the server is gone. */
const CONNECTION_END_MS = 500;
/** What GET /v1/version may break when it forgets what was known before. */
const BEHIND = ['VERSION-NOT-BEHIND', 'CHECKPOINT-DURABLE', 'STREAM-DURABLE-ONLY'];

async function hasEnded(stream: Stream): Promise<boolean> {
  const deadline = performance.now() + CONNECTION_END_MS;
  for (;;) {
    const item = await stream.poll(Math.max(deadline - performance.now(), 0));
    if (item === undefined) return false;
    if (item.kind === 'end') return true;
  }
}

export interface RestartOptions {
  /** What goes on while the server is killed. */
  readonly work?: readonly Promise<void>[];
  /** Called once the server serves again: `work` has to end then. */
  readonly stop?: () => void;
  /** Looks at what is left where the server has forgotten versions: nothing new can be committed then. */
  readonly lookBack?: () => Promise<void>;
}

/** Asks until the server answers. @throws Violation */
const firstAnswer = (t: TestContext): Promise<Basis> =>
  t.until('an answer of the restarted server', 'VERSION-DURABLE', async () => {
    try {
      return await t.now();
    } catch (error) {
      if (error instanceof NoAnswer) return undefined;
      throw error;
    }
  });

/**
 * Kills the server and starts it again.
 * @throws Violation where the server has forgotten a version that it had answered
 */
export async function restartServer(
  t: TestContext,
  { work = [], stop = () => undefined, lookBack }: RestartOptions = {},
): Promise<Restarted> {
  const before = t.leaderId;
  const stream = await t.api.subscribe({});
  const restart = Promise.resolve(t.hooks.restart?.()).finally(stop);
  // Whatever fails: the server has to be there again for the tests that follow.
  await allOf([restart, ...work]);
  t.transcript.note('suite', () => 'the server was killed and started again');
  let now: Basis;
  try {
    now = await blame('VERSION-DURABLE', BEHIND, () => firstAnswer(t));
  } catch (error) {
    if (error instanceof Violation && error.requirement === 'VERSION-DURABLE' && lookBack !== undefined) {
      t.alsoBroken(error);
      await lookBack();
    }
    throw error;
  }
  const sameLeader = now.leaderId === before;
  const wasCut = 'refused' in stream || (await hasEnded(stream));
  t.saw(
    'LEADER-NEW-AFTER-RESTART',
    sameLeader
      ? `the leader is the same after a restart${wasCut ? '' : ', and a stream stayed open: was the server restarted at all?'}`
      : 'a new leader leads after a restart',
  );
  return { before, now, sameLeader };
}
