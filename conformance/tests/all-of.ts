/** Waits until all have ended, so that nothing goes on behind the test, and throws the first error. */
export async function allOf(work: readonly Promise<unknown>[]): Promise<void> {
  for (const ending of await Promise.allSettled(work)) if (ending.status === 'rejected') throw ending.reason;
}
