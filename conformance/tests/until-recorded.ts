import { setTimeout as sleep } from 'node:timers/promises';
import type { TestContext } from '../run/test-context.js';

/** Gives the recorder of the run the time to read what is about to be truncated, also after a restart. */
export async function untilRecorded(t: TestContext, version: bigint): Promise<void> {
  const { recorder } = t.run;
  const deadline = performance.now() + t.options.patienceMs;
  while (recorder.hole === undefined && recorder.last < version && performance.now() < deadline)
    await sleep(5);
}
