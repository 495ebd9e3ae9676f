/** One fault of a refused request. */
export interface ProblemFault {
  /** JSON Pointer (RFC 6901) into the request. */
  readonly pointer: string;
  readonly detail: string;
}

/** Problem details (RFC 9457), as far as the reply had them. */
export interface Problem {
  readonly type?: string;
  readonly title?: string;
  readonly status?: number;
  readonly detail?: string;
  readonly errors?: readonly ProblemFault[];
}

/**
 * Every failure that the client reports by itself; `kind` names it. An aborted signal is not among them: then
 * the call rejects with the reason of the signal, unless a commit was on its way (see `IndeterminateError`).
 */
export abstract class HeadwaterError extends Error {
  abstract readonly kind: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** No reply came: the connection failed, was reset, stayed silent too long, or broke off within the reply. */
export class NetworkError extends HeadwaterError {
  readonly kind = 'network';
}

/** The server's words make no sense to this client. */
export class ProtocolError extends HeadwaterError {
  readonly kind = 'protocol';
}

/** The server answered with an error status. */
export abstract class ReplyError extends HeadwaterError {
  readonly status: number;
  readonly problem: Problem;
  /** From `Retry-After`, milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, problem: Problem, retryAfterMs: number | undefined) {
    super([`HTTP ${status}`, problem.title, problem.detail].filter(Boolean).join(': '));
    this.status = status;
    this.problem = problem;
    this.retryAfterMs = retryAfterMs;
  }
}

/** 4xx: the request is at fault. Nothing was done, and the same request would be refused again. */
export class RefusedError extends ReplyError {
  readonly kind = 'refused';
}

/** 410: the version asked for is no longer in the log. */
export class TruncatedError extends ReplyError {
  readonly kind = 'truncated';
}

/** The server said that it cannot take the request now and has done nothing with it. */
export class UnavailableError extends ReplyError {
  readonly kind = 'unavailable';
}

/** Any other 5xx: what the server did is not known. */
export class ServerError extends ReplyError {
  readonly kind = 'server';
}

/** No reply came, and the server says that it has not committed the request: definitely not committed. */
export class CommitLostError extends HeadwaterError {
  readonly kind = 'lost';
  readonly requestId: string;

  constructor(requestId: string, cause: unknown) {
    super(`commit ${requestId} had no reply and was not committed; it may be tried again with a new ID`, {
      cause,
    });
    this.requestId = requestId;
  }
}

/** Whether the commit took effect is not known; sending the transaction again could apply it twice. */
export abstract class IndeterminateError extends HeadwaterError {
  readonly requestId: string;
  /** What to ask `status` with, together with the request ID. */
  readonly minVersion: number;

  constructor(message: string, requestId: string, minVersion: number, cause: unknown) {
    super(message, { cause });
    this.requestId = requestId;
    this.minVersion = minVersion;
  }
}

/**
 * The outcome could not be asked for: the caller's signal aborted, or the question was refused (see `cause`).
 */
export class OutcomeUnknownError extends IndeterminateError {
  readonly kind = 'outcome_unknown';

  constructor(requestId: string, minVersion: number, cause: unknown) {
    super(`the outcome of commit ${requestId} is not known`, requestId, minVersion, cause);
  }
}

/** The server no longer holds the part of its log that would tell the outcome: asking again does not help. */
export class OutcomeTruncatedError extends IndeterminateError {
  readonly kind = 'log_truncated';

  constructor(requestId: string, minVersion: number, cause: unknown) {
    super(`the log that held the outcome of commit ${requestId} is truncated`, requestId, minVersion, cause);
  }
}

/** A transaction was not committed in any of the attempts allowed; definitely not committed. */
export class ContendedError extends HeadwaterError {
  readonly kind = 'contended';
  readonly attempts: number;

  constructor(attempts: number) {
    super(`not committed in ${attempts} attempts`);
    this.attempts = attempts;
  }
}

/** The stream skipped or repeated a transaction, and did so again after a reconnect. */
export class GapError extends HeadwaterError {
  readonly kind = 'gap';
  /** The transaction received last. */
  readonly lastVersion: number;
  /** The transaction that does not follow it, and the one before that according to the server. */
  readonly version: number;
  readonly prevVersion: number;

  constructor(lastVersion: number, version: number, prevVersion: number) {
    super(`transaction ${version} follows ${prevVersion}, but ${lastVersion} was received last`);
    this.lastVersion = lastVersion;
    this.version = version;
    this.prevVersion = prevVersion;
  }
}

/** All of them, for an exhaustive `switch` over `kind`. */
export type HeadwaterFailure =
  | NetworkError
  | ProtocolError
  | RefusedError
  | TruncatedError
  | UnavailableError
  | ServerError
  | CommitLostError
  | OutcomeUnknownError
  | OutcomeTruncatedError
  | ContendedError
  | GapError;

/** Whether the same request may fare better a little later. Says nothing of what the failed one has done. */
export function isTransient(error: unknown): boolean {
  return error instanceof NetworkError || error instanceof UnavailableError || error instanceof ServerError;
}
