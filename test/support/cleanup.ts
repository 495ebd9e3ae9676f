import type { TestContext } from 'node:test';

const cleanups = new WeakMap<TestContext, (() => Promise<unknown>)[]>();

/** Runs after the test, in the reverse order of the calls: what was made last goes first. */
export function cleanUp(context: TestContext, action: () => Promise<unknown>): void {
  const actions = cleanups.get(context);
  if (actions !== undefined) {
    actions.push(action);
    return;
  }
  const fresh = [action];
  cleanups.set(context, fresh);
  context.after(async () => {
    for (const next of fresh.reverse()) await next();
  });
}
