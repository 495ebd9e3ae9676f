import { write } from '../model/transaction.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { Policies } from './policies.js';

/** A place in the log from where on a policy holds it. */
export interface HeldLog {
  /** The version of a transaction of this test. */
  readonly base: bigint;
  readonly release: () => Promise<void>;
}

const TRIES = 20;

/** Sets a policy at a version that may be truncated already; the status where the server does not take it. */
export async function trySetPolicy(t: TestContext, id: string, version: bigint): Promise<number | undefined> {
  const { status } = await new Policies(t).put(id, version);
  return status === 200 || status === 201 ? undefined : status;
}

/** Commits a transaction, and holds the log from there on, so that what the test commits next stays readable. */
export async function holdLog(t: TestContext): Promise<HeldLog> {
  const space = t.space();
  const id = t.policyId();
  for (let tries = 1; ; tries += 1) {
    const { version: base } = await t.write([write(space.key('base'), `${tries}`)], space);
    const refused = await trySetPolicy(t, id, base);
    if (refused === undefined) return { base, release: async () => void (await new Policies(t).delete(id)) };
    // The log may be truncated so fast that the version is gone before it is held.
    if (tries >= TRIES)
      throw new Violation(
        'RETENTION-CREATE',
        `PUT of a policy at the newest version was answered with ${refused}, ${tries} times in a row`,
      );
  }
}
