/** One fault of a request: where (a JSON Pointer, RFC 6901, into the body, or the name of a parameter) and what. */
export type Fault =
  | { readonly pointer: string; readonly detail: string }
  | { readonly parameter: string; readonly detail: string };

/** At most this many faults are listed in one answer. */
export const FAULTS_MAX = 16;

/**
 * Every kind of error answer: its URN, its HTTP status, its title. A kind never changes its meaning; docs/api.md
 * lists them all.
 */
export const PROBLEMS = {
  'malformed-request': { status: 400, title: 'The request is malformed' },
  'version-ahead-of-log': { status: 400, title: 'A version lies ahead of the log' },
  'request-id-reused': { status: 400, title: 'The request ID was used before' },
  'not-found': { status: 404, title: 'There is nothing here' },
  'policy-not-found': { status: 404, title: 'There is no such retention policy' },
  'method-not-allowed': { status: 405, title: 'This resource does not know the method' },
  'request-timeout': { status: 408, title: 'The request did not arrive in time' },
  'log-truncated': { status: 410, title: 'That part of the log has been truncated' },
  'content-too-large': { status: 413, title: 'The request is too large' },
  'unsupported-media-type': { status: 415, title: 'The media type is not application/json' },
  'expectation-failed': { status: 417, title: 'The expectation cannot be met' },
  'headers-too-large': { status: 431, title: 'The request headers are too large' },
  'internal-error': { status: 500, title: 'The server failed' },
  unavailable: { status: 503, title: 'The log cannot take commits now' },
  overloaded: { status: 503, title: 'A bound on concurrent work is reached' },
  'outcome-unknown': { status: 503, title: 'The outcome of the commit is not known' },
  'too-many-policies': { status: 507, title: 'No more retention policies can be stored' },
} as const;

export type ProblemKind = keyof typeof PROBLEMS;

export interface ProblemExtras {
  readonly faults?: readonly Fault[];
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem body. */
  readonly members?: Readonly<Record<string, unknown>>;
  /** What went wrong inside; for the server's log, not for the answer. */
  readonly cause?: unknown;
}

/** An answer that is an error, on its way to the one place that writes it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  constructor(
    readonly kind: ProblemKind,
    readonly detail: string,
    readonly extras: ProblemExtras = {},
  ) {
    super(`${kind}: ${detail}`);
  }

  get status(): number {
    return PROBLEMS[this.kind].status;
  }

  /** The body as RFC 9457 has it. */
  toJSON(): Record<string, unknown> {
    const { faults, members } = this.extras;
    return {
      type: `urn:headwater:problem:${this.kind}`,
      title: PROBLEMS[this.kind].title,
      status: this.status,
      detail: this.detail,
      ...(faults && { errors: faults.slice(0, FAULTS_MAX) }),
      ...members,
    };
  }
}

/** @param faults at least one; the detail repeats the first, for readers of logs. */
export function malformed(faults: readonly Fault[]): Problem {
  const [first, ...others] = faults;
  const more = others.length > 0 ? ` (and ${others.length} more)` : '';
  const detail = first === undefined ? 'the request is malformed' : `${placeOf(first)}: ${first.detail}`;
  return new Problem('malformed-request', detail + more, { faults });
}

function placeOf(fault: Fault): string {
  if ('parameter' in fault) return fault.parameter;
  return fault.pointer === '' ? 'the body' : fault.pointer;
}

/** Nothing was done, for now: there is no leader, or the log takes no writes. */
export function unavailable(detail: string, cause?: unknown): Problem {
  return new Problem('unavailable', detail, { headers: { 'retry-after': '1' }, cause });
}

/** Nothing was done: a bound on concurrent work is reached. */
export function overloaded(detail: string): Problem {
  return new Problem('overloaded', detail, { headers: { 'retry-after': '1' } });
}
