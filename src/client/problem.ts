import type { Problem, ProblemFault, ReplyError } from './errors.js';
import { RefusedError, ServerError, TruncatedError, UnavailableError } from './errors.js';

/** The last part of a problem's type, which is stable: `urn:example:overloaded` is `overloaded`. */
export function problemName(problem: Problem): string | undefined {
  return problem.type?.split(/[:/#]/).at(-1);
}

/**
 * Milliseconds from a `Retry-After` of seconds or of a date; undefined when there is none that can be read.
 */
export function parseRetryAfter(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

/** Reads what a body offers of RFC 9457; a body that is something else gives an empty problem. */
export function parseProblem(body: string): Problem {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null) return {};
  const { type, title, status, detail, errors } = parsed as { [name: string]: unknown };
  return {
    ...(typeof type === 'string' && { type }),
    ...(typeof title === 'string' && { title }),
    ...(typeof status === 'number' && { status }),
    ...(typeof detail === 'string' && { detail }),
    ...(Array.isArray(errors) && { errors: errors.filter(isFault) }),
  };
}

function isFault(value: unknown): value is ProblemFault {
  const fault = value as Partial<ProblemFault> | null;
  return typeof fault?.pointer === 'string' && typeof fault.detail === 'string';
}

/** The error that a reply with an error status stands for. */
export function replyError(status: number, headers: Headers, body: string, nowMs: number): ReplyError {
  const problem = parseProblem(body);
  const retryAfterMs = parseRetryAfter(headers.get('retry-after'), nowMs);
  const name = problemName(problem);
  const ErrorClass =
    // A 503 of unknown origin may come from a proxy that had passed the request on already.
    status === 429 || (status === 503 && (name === 'unavailable' || name === 'overloaded'))
      ? UnavailableError
      : status === 410
        ? TruncatedError
        : status >= 400 && status < 500
          ? RefusedError
          : ServerError;
  return new ErrorClass(status, problem, retryAfterMs);
}
