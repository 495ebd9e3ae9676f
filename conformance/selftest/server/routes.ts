import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answers } from './answers.js';
import type { Behaviour } from './behaviour.js';
import type { CommitRoute } from './commit-route.js';
import type { Disk } from './disk.js';
import type { Leader } from './leader.js';
import type { Limits } from './limits.js';
import type { Metrics } from './metrics.js';
import { Query } from './query.js';
import { Refusal } from './refusal.js';
import { readBody } from './request-body.js';
import type { RetentionRoute } from './retention-route.js';
import type { StatusLookup } from './status-lookup.js';
import type { SubscribeRoute } from './subscribe-route.js';
import type { VersionRoute } from './version-route.js';

/** What the routes lead to. */
export interface RouteParts {
  readonly behaviour: Behaviour;
  readonly limits: Limits;
  readonly disk: Disk;
  readonly leader: () => Leader;
  readonly answers: Answers;
  readonly version: VersionRoute;
  readonly commit: CommitRoute;
  readonly status: StatusLookup;
  readonly subscribe: SubscribeRoute;
  readonly retention: RetentionRoute;
  readonly metrics: Metrics;
  /** Whether the process was killed meanwhile. */
  readonly isKilled: () => boolean;
}

const RETENTION = '/v1/retention/';

/** Answers requests by method and path. */
export class Routes {
  readonly #parts: RouteParts;

  constructor(parts: RouteParts) {
    this.#parts = parts;
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#route(request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) response.destroy();
      else await this.#parts.answers.error(response, error);
    }
  }

  async #route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { behaviour, retention } = this.#parts;
    const [rawPath = '', ...query] = (request.url ?? '').split('?');
    const path = this.#moved(rawPath);
    if (path === '/v1/retention' || path.startsWith(RETENTION))
      return retention.answer(path.slice(RETENTION.length), request, response);
    const expected = path === '/v1/commit' ? 'POST' : 'GET';
    const answer = this.#answerer(path);
    if (answer === undefined) throw new Refusal('not-found', 'no such path');
    if (request.method !== expected) throw new Refusal('method', `${expected} is answered here`);
    return answer(request, response, new Query(query.join('?'), behaviour));
  }

  /** Where a faulty server has put something else. */
  #moved(path: string): string {
    return this.#parts.behaviour.pick(() => path, {
      'metrics-below-v1': () => ({ '/metrics': '/none', '/v1/metrics': '/metrics' })[path] ?? path,
      'ok-below-v1': () => ({ '/ok': '/none', '/v1/ok': '/ok' })[path] ?? path,
      'version-below-v2': () => ({ '/v1/version': '/none', '/v2/version': '/v1/version' })[path] ?? path,
      'retention-without-prefix': () =>
        path.startsWith(RETENTION) ? '/none' : path.replace(/^\/retention\//, RETENTION),
    })();
  }

  #answerer(
    path: string,
  ): ((request: IncomingMessage, response: ServerResponse, query: Query) => Promise<void>) | undefined {
    const { answers, version, subscribe } = this.#parts;
    switch (path) {
      case '/v1/version':
        return (_request, response) => answers.json(response, 200, version.json());
      case '/v1/commit':
        return (request, response) => this.#commit(request, response);
      case '/v1/status':
        return (_request, response, query) => this.#status(query, response);
      case '/v1/subscribe':
        return (_request, response, query) => subscribe.run(query, response);
      case '/ok':
        return (_request, response) => this.#ok(response);
      case '/metrics':
        return (_request, response) => this.#metrics(response);
      default:
        return undefined;
    }
  }

  async #commit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { behaviour, limits, commit, answers, isKilled } = this.#parts;
    const body = await readBody(request, limits.maxCommitBytes, behaviour);
    if (isKilled()) return;
    const { status, json } = await commit.answer(body);
    if (body.length > limits.maxCommitBytes && behaviour.has('oversize-refused-but-committed'))
      throw new Refusal('too-large', 'the body is above the limit');
    await answers.json(response, status, json);
  }

  async #status(query: Query, response: ServerResponse): Promise<void> {
    const { behaviour, status, answers } = this.#parts;
    const requestId = query.text('request_id');
    if (requestId === undefined || requestId === '') throw new Refusal('parameter', 'request_id is missing');
    const minVersion = query.version('min_version');
    if (minVersion === undefined && !behaviour.has('min-version-optional'))
      throw new Refusal('parameter', 'min_version is missing');
    const answer = await status.find(requestId, minVersion ?? 0n);
    const outcome = answer.status;
    const shown = behaviour.pick<string>(outcome, {
      'status-not-found-as-not-committed': outcome === 'id_not_found' ? 'not_committed' : outcome,
      'status-in-upper-case': outcome.toUpperCase(),
    });
    const json = { status: shown, ...(answer.status === 'committed' ? this.#statusFields(answer) : {}) };
    if (behaviour.has('status-as-text')) await answers.send(response, 200, 'text/plain', shown);
    else await answers.json(response, this.#statusCode(outcome), json);
  }

  #statusCode(outcome: string): number {
    return this.#parts.behaviour.pick(200, {
      'status-not-found-answered-404': outcome === 'id_not_found' ? 404 : 200,
      'status-truncated-answered-410': outcome === 'log_truncated' ? 410 : 200,
    });
  }

  #statusFields({ version, leaderId }: { version: bigint; leaderId: string }): object {
    const { behaviour } = this.#parts;
    return {
      version: behaviour.has('status-version-as-text') ? `${version}` : version,
      leader_id: behaviour.has('leader-is-a-number') ? Number(leaderId) : leaderId,
    };
  }

  async #ok(response: ServerResponse): Promise<void> {
    const { behaviour, answers, disk, leader } = this.#parts;
    const isNew = disk.records.at(-1)?.leaderId !== leader().id;
    const status = behaviour.pick(200, {
      'ok-answered-204': 204,
      'ok-unavailable-until-first-commit': isNew ? 503 : 200,
      'ok-redirected': 302,
    });
    if (status === 302) response.setHeader('location', '/health');
    if (behaviour.has('ok-as-json')) await answers.json(response, status, { ok: true });
    else await answers.send(response, status, 'text/plain', behaviour.has('ok-empty') ? '' : 'ok');
  }

  async #metrics(response: ServerResponse): Promise<void> {
    const { behaviour, answers, metrics, disk } = this.#parts;
    if (behaviour.has('metrics-as-json'))
      return answers.json(response, 200, { process_cpu_seconds_total: 1.5 });
    return answers.send(response, 200, 'text/plain; version=0.0.4', metrics.text(disk.records.length));
  }
}
