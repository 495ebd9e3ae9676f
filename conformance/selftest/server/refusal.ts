import type { Behaviour } from './behaviour.js';

export type RefusalKind =
  | 'malformed'
  | 'too-large'
  | 'request-id-reused'
  | 'version-ahead-of-log'
  | 'parameter'
  | 'after-ahead-of-log'
  | 'truncated'
  | 'policy'
  | 'policy-truncated'
  | 'overloaded'
  | 'not-found'
  | 'method';

/** Why a request gets an error instead of an answer. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

const STATUS: Readonly<Record<RefusalKind, number>> = {
  malformed: 400,
  'too-large': 413,
  'request-id-reused': 400,
  'version-ahead-of-log': 400,
  parameter: 400,
  'after-ahead-of-log': 400,
  truncated: 410,
  policy: 400,
  'policy-truncated': 410,
  overloaded: 503,
  'not-found': 404,
  method: 405,
};

/** The HTTP status that goes with each kind of refusal. */
export function refusalStatus(behaviour: Behaviour): Readonly<Record<RefusalKind, number>> {
  return {
    ...STATUS,
    ...behaviour.pick<Partial<Record<RefusalKind, number>>>(
      {},
      {
        'other-error-codes': {
          'request-id-reused': 409,
          'version-ahead-of-log': 422,
          parameter: 422,
          'after-ahead-of-log': 416,
          policy: 422,
          'policy-truncated': 409,
        },
        'oversize-answered-400': { 'too-large': 400 },
        'malformed-answered-422': { malformed: 422 },
        'truncated-answered-404': { truncated: 404 },
        'bad-parameter-answered-500': { parameter: 500 },
      },
    ),
  };
}
