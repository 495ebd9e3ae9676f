import fc from 'fast-check';
import type { TestContext } from '../run/test-context.js';
import { Incomplete, Violation } from '../run/violation.js';

/** No new case begins after this time, however many were asked for. */
const LONGEST_MS = 20_000;
/** Cases that may take long to fail are not made smaller for ever. */
const LONGEST_SHRINKING_MS = 20_000;

/**
 * Runs `run` on random cases, one after the other. A case fails by a Violation; the smallest one that still
 * fails is put into words by `show`. A case that comes to no verdict leaves it to the others to find one.
 * The transcript begins anew with each case, and streams that a case leaves open are closed after it.
 * @param name what the cases are, for the message
 * @throws Violation of the smallest failing case, with the counterexample
 * @throws Incomplete where no case failed, and one came to no verdict
 */
export async function checkProperty<T>(
  t: TestContext,
  name: string,
  arbitrary: fc.Arbitrary<T>,
  runs: number,
  show: (value: T) => string,
  run: (value: T) => Promise<void>,
): Promise<void> {
  let deadline = performance.now() + LONGEST_MS;
  let smallest: { readonly violation: Violation; readonly value: T } | undefined;
  let incomplete: Incomplete | undefined;
  let obstacle: { readonly error: unknown } | undefined;
  const holds = async (value: T): Promise<boolean> => {
    if (obstacle !== undefined || performance.now() > deadline) return true;
    t.transcript.restart();
    try {
      await run(value);
    } catch (error) {
      if (error instanceof Violation) {
        if (smallest === undefined) deadline = performance.now() + LONGEST_SHRINKING_MS;
        smallest = { violation: error, value };
        return false;
      }
      if (error instanceof Incomplete) incomplete ??= error;
      else obstacle = { error };
    } finally {
      t.api.close();
    }
    return true;
  };
  const seed = t.random.below(0x7fff_ffff);
  const details = await fc.check(fc.asyncProperty(arbitrary, holds), {
    seed,
    numRuns: runs,
    endOnFailure: false,
  });
  if (smallest !== undefined) {
    const { violation, value } = smallest;
    throw new Violation(
      violation.requirement,
      violation.message,
      `${name}, case ${details.numRuns} of ${runs}, made smaller ${details.numShrinks} times:\n${show(value)}`,
    );
  }
  if (obstacle !== undefined) throw obstacle.error;
  if (incomplete !== undefined) throw incomplete;
}
