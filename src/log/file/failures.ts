import { LogError } from '../log.js';

/** The error for bytes that are not what they should be. */
export function damaged(path: string, offset: number, what: string): LogError {
  return new LogError('damaged', `${path}, offset ${offset}: ${what}`);
}

/** What the disk answered, as an error of the log; errors of the log pass through. */
export function asLogError(action: string, error: unknown): LogError {
  if (error instanceof LogError) return error;
  return new LogError('storage', `${action}: ${messageOf(error)}`, { cause: error });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
