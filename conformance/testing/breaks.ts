import assert from 'node:assert/strict';
import { Violation } from '../run/violation.js';

/** Asserts that `work` throws a Violation of `requirement`, and gives its message. */
export function breaks(requirement: string, work: () => unknown): string {
  let message: string | undefined;
  assert.throws(work, (error) => {
    message = messageOf(error, requirement);
    return true;
  });
  return message!;
}

/** The same for work that takes time. */
export async function breaksLater(requirement: string, work: Promise<unknown>): Promise<string> {
  let message: string | undefined;
  await assert.rejects(work, (error) => {
    message = messageOf(error, requirement);
    return true;
  });
  return message!;
}

function messageOf(error: unknown, requirement: string): string {
  if (!(error instanceof Violation)) throw error;
  assert.equal(error.requirement, requirement, error.message);
  return error.message;
}
