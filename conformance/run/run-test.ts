import { NoAnswer } from '../wire/http.js';
import type { TestOutcome, TestResult } from './result.js';
import { missingHook, sectionOf, type Test } from './test.js';
import { type Run, TestContext } from './test-context.js';
import { Incomplete, Skip, Truncated, Violation } from './violation.js';

/** A test that is still running then is taken to hang; every wait within it has a shorter patience of its own. */
const LONGEST_MS = 120_000;
/** A test may take as long as so many commits one after the other, where those are slow. */
const LONGEST_COMMITS = 300;

interface Ending {
  readonly outcome: TestOutcome;
  readonly reason?: string;
}

function limit(ms: number, test: Test): { promise: Promise<never>; clear: () => void } {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Incomplete(`${test.name} did not end within ${ms} ms`)), ms);
  });
  return { promise, clear: () => clearTimeout(timer) };
}

/** What an error that ended a test means; a violation is noted. @throws what is a mistake of the suite itself */
function endingOf(error: unknown, t: TestContext): Ending {
  if (error instanceof Skip) return { outcome: 'skipped', reason: error.message };
  if (error instanceof Incomplete) return { outcome: 'incomplete', reason: error.message };
  const violation =
    error instanceof NoAnswer
      ? new Violation(t.test.requirements[0], `no answer came: ${error.message}`)
      : error;
  if (!(violation instanceof Violation)) throw error;
  t.alsoBroken(violation);
  return { outcome: 'passed' };
}

/** A log that is streamed from 0 is not truncated anywhere; any other may be, at any time, under any test. */
async function judgeTruncation(error: Truncated, t: TestContext): Promise<Error> {
  const whole = await t.api.subscribe({ after: 0n }).catch((failure: unknown) => {
    if (failure instanceof NoAnswer || failure instanceof Violation) return { refused: 0 };
    throw failure;
  });
  return 'refused' in whole
    ? new Skip(`the server truncated the log under this test: ${error.message}`)
    : new Violation(
        'STREAM-AFTER-HELD',
        `${error.message}, but after=0 is given a stream: nothing is truncated`,
      );
}

/** Runs one test to its end, whatever it throws. */
export async function runTest(
  run: Run,
  test: Test,
  leaderId: string,
  repetition: number,
): Promise<TestResult> {
  const started = performance.now();
  const t = new TestContext(run, test, leaderId, repetition);
  const missing = missingHook(test, run.options.hooks);
  let ending: Ending = { outcome: 'passed' };
  if (missing !== undefined) ending = { outcome: 'skipped', reason: missing };
  else {
    const timeLimit = limit(Math.max(LONGEST_MS, LONGEST_COMMITS * run.paceMs), test);
    try {
      await Promise.race([test.run(t), timeLimit.promise]);
    } catch (error) {
      ending = endingOf(error instanceof Truncated ? await judgeTruncation(error, t) : error, t);
    } finally {
      timeLimit.clear();
      t.api.end();
    }
  }
  const failed = t.failures.some(({ level }) => level === 'MUST');
  return {
    name: test.name,
    title: test.title,
    section: sectionOf(test),
    requirements: test.requirements,
    outcome: failed ? 'failed' : ending.outcome,
    durationMs: Math.round(performance.now() - started),
    failures: t.failures,
    reason: ending.reason,
  };
}
