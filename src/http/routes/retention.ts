import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import type { RetentionPolicies } from '../../retention/policies.js';
import { requireJson } from '../body.js';
import { malformed, Problem, unavailable } from '../problem.js';
import { decoded } from '../query.js';

const BODY_BYTES_MAX = 4096;
const NOT_STORED = 'the change could not be stored; it holds nothing now, but may show after a restart';
const POLICY_ID = /^(?!\.{1,2}$)[A-Za-z0-9._~-]{1,128}$/;

/** The four retention resources (specification 4.5). */
export function retentionRoutes(policies: RetentionPolicies): {
  readonly list: Middleware;
  readonly get: Middleware;
  readonly put: readonly Middleware[];
  readonly remove: Middleware;
} {
  return {
    list: (ctx) => {
      ctx.body = policies
        .list()
        .map(({ policyId, preventTruncate }) => ({ policy_id: policyId, prevent_truncate: preventTruncate }));
    },

    get: (ctx) => {
      const policyId = policyIdOf(ctx);
      const preventTruncate = policies.get(policyId);
      if (preventTruncate === undefined) {
        throw new Problem('policy-not-found', `there is no retention policy ${policyId}`);
      }
      ctx.body = { prevent_truncate: preventTruncate };
    },

    put: [
      async (ctx, next) => {
        policyIdOf(ctx);
        requireJson(ctx.req);
        await next();
      },
      koaBody({
        json: true,
        jsonTypes: ['application/json'],
        jsonLimit: BODY_BYTES_MAX,
        text: false,
        urlencoded: false,
        multipart: false,
        onError: (error) => {
          throw bodyProblem(error);
        },
      }),
      async (ctx) => {
        const preventTruncate = preventTruncateOf(ctx.request.body);
        const result = await policies.put(policyIdOf(ctx), preventTruncate);
        if (result.kind === 'not-stored') throw unavailable(NOT_STORED, result.error);
        if (result.kind === 'truncated') {
          throw new Problem(
            'log-truncated',
            `/prevent_truncate: the oldest version still held is ${result.oldestVersion}; nothing was stored`,
            { members: { oldest_version: result.oldestVersion } },
          );
        }
        if (result.kind === 'too-many') {
          throw new Problem('too-many-policies', `there are ${result.max} policies, and no more are allowed`);
        }
        ctx.status = result.kind === 'created' ? 201 : 200;
        ctx.body = { prevent_truncate: preventTruncate };
      },
    ],

    remove: async (ctx) => {
      const result = await policies.delete(policyIdOf(ctx));
      if (result.kind === 'not-stored') throw unavailable(NOT_STORED, result.error);
      ctx.status = 204;
    },
  };
}

/** The last segment of the path, percent-decoded. @throws Problem when it cannot name a policy. */
function policyIdOf(ctx: Context): string {
  const policyId = decoded(ctx.path.replace(/\/$/, '').split('/').at(-1) ?? '') ?? '';
  if (POLICY_ID.test(policyId)) return policyId;
  throw malformed([
    {
      parameter: 'policy_id',
      detail: 'must be 1 to 128 characters of A-Z a-z 0-9 . _ ~ - and not "." or ".."',
    },
  ]);
}

function preventTruncateOf(body: unknown): number {
  const value =
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? (body as Record<string, unknown>)['prevent_truncate']
      : undefined;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw malformed([
    {
      pointer: '/prevent_truncate',
      detail: value === undefined ? 'is required' : 'must be an integer from 0 to 9007199254740991',
    },
  ]);
}

/** What the body parser found wrong, as a problem of ours; anything else goes on as it is. */
function bodyProblem(error: Error & { status?: unknown }): Error {
  if (error.status === 413) {
    return new Problem('content-too-large', `a retention policy may have at most ${BODY_BYTES_MAX} bytes`);
  }
  if (error.status === 400) return malformed([{ pointer: '', detail: 'must be a JSON object' }]);
  return error;
}
