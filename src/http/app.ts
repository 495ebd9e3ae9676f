import type { IncomingMessage } from 'node:http';
import Router from '@koa/router';
import Koa, { type Context, type Middleware, type Next } from 'koa';
import type { Feed } from '../feed/feed.js';
import type { Leader } from '../leader/leader.js';
import type { RetentionPolicies } from '../retention/policies.js';
import { answerUnread, RequestAborted } from './body.js';
import type { BodyBudget } from './body-budget.js';
import type { CommitParserOptions } from './commit-parser.js';
import { CommitQueue } from './commit-queue.js';
import type { HttpMetrics } from './metrics.js';
import { malformed, Problem } from './problem.js';
import { commitRoute } from './routes/commit.js';
import { healthRoute } from './routes/health.js';
import { retentionRoutes } from './routes/retention.js';
import { statusRoute } from './routes/status.js';
import { subscribeRoute } from './routes/subscribe.js';
import { versionRoute } from './routes/version.js';

export interface AppOptions {
  readonly leader: Leader;
  readonly feed: Feed;
  readonly policies: RetentionPolicies;
  readonly metrics: HttpMetrics;
  readonly parser: CommitParserOptions;
  readonly maxCommitBytes: number;
  readonly bodies: BodyBudget;
  /** Told of errors that are the server's own fault. */
  readonly onInternalError: (error: unknown, request?: IncomingMessage) => void;
}

const BROKEN_CONNECTION: ReadonlySet<string> = new Set([
  'EPIPE',
  'ECONNRESET',
  'ECANCELED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** The whole interface as one Koa application. */
export function createApp(options: AppOptions): Koa {
  const { leader, feed, policies, metrics } = options;
  const retention = retentionRoutes(policies);
  const router = new Router({ sensitive: true });
  router.get('/v1/version', versionRoute(leader));
  const commit = commitRoute({
    commits: new CommitQueue((answer) => leader.openPort(answer)),
    parser: options.parser,
    maxCommitBytes: options.maxCommitBytes,
    bodies: options.bodies,
    metrics,
  });
  router.post('/v1/commit', commit);
  router.get('/v1/status', statusRoute(leader));
  router.get('/v1/subscribe', subscribeRoute(feed));
  router.get('/v1/retention', retention.list);
  router.get('/v1/retention/:policyId', retention.get);
  router.put('/v1/retention/:policyId', ...retention.put);
  router.delete('/v1/retention/:policyId', retention.remove);
  router.get('/ok', healthRoute(leader));
  router.get('/metrics', async (ctx) => {
    ctx.type = metrics.registry.contentType;
    ctx.body = await metrics.registry.metrics();
  });

  const app = new Koa();
  // What reaches this is not an answer: a connection that broke under one, which is the client's affair, or a bug.
  app.on('error', (error: NodeJS.ErrnoException, ctx?: Context) => {
    if (BROKEN_CONNECTION.has(error.code ?? '')) return;
    options.onInternalError(error, ctx?.req);
  });
  app.use(problems(options));
  app.use(soundHead);
  // The busiest resource does without the router; in any other form of its path it is found there.
  app.use((ctx, next) => (ctx.req.url === '/v1/commit' && ctx.req.method === 'POST' ? commit(ctx) : next()));
  app.use(knownResource(router));
  app.use(router.routes());
  return app;
}

/** The one place where errors become answers. */
function problems({ metrics, onInternalError }: AppOptions): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (error instanceof RequestAborted) {
        ctx.respond = false;
        return;
      }
      const problem =
        error instanceof Problem
          ? error
          : new Problem('internal-error', 'the server failed; its log says why', { cause: error });
      if (problem.extras.cause !== undefined) onInternalError(problem.extras.cause, ctx.req);
      metrics.problem(problem.kind);
      answer(ctx, problem);
    }
  };
}

/** Refuses a request line and headers that HTTP/1.1 does not allow, or that ask for what is not done here. */
function soundHead(ctx: Context, next: Next): Promise<void> {
  const { httpVersion, headers, url = '' } = ctx.req;
  if (!url.startsWith('/') && !URL.canParse(url)) {
    throw malformed([{ parameter: 'request target', detail: 'must be a path, or a URL' }]);
  }
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw malformed([{ parameter: 'Host', detail: 'is required' }]);
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new Problem('expectation-failed', 'Expect: only 100-continue is known');
  }
  return next();
}

function answer(ctx: Context, problem: Problem): void {
  const headers = { 'content-type': 'application/problem+json', ...problem.extras.headers };
  const body = JSON.stringify(problem);
  if (!ctx.req.complete) {
    // The rest of the request must not be taken for the next one on this connection.
    ctx.respond = false;
    answerUnread(ctx.req, ctx.res, problem.status, headers, body);
    return;
  }
  ctx.status = problem.status;
  ctx.set(headers);
  ctx.body = body;
}

/** Tells apart what does not exist (404) from what does not know the method (405). */
function knownResource(router: Router): Middleware {
  return (ctx: Context, next: Next) => {
    const { path: layers, route } = router.match(ctx.path, ctx.method);
    if (route) return next();
    const methods = [...new Set(layers.flatMap((layer) => layer.methods))];
    if (methods.length === 0) throw new Problem('not-found', `there is no resource at this path`);
    throw new Problem('method-not-allowed', `${ctx.method} is not one of ${methods.join(', ')}`, {
      headers: { allow: methods.join(', ') },
    });
  };
}
