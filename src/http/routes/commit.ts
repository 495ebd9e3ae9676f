import type { Context } from 'koa';
import type { CommitOutcome, Refusal } from '../../leader/commit.js';
import { readBody, refuseTooLarge, requireJson } from '../body.js';
import type { BodyBudget } from '../body-budget.js';
import { type CommitParserOptions, type ParsedCommit, parseCommit, versionAhead } from '../commit-parser.js';
import type { CommitQueue } from '../commit-queue.js';
import type { HttpMetrics } from '../metrics.js';
import { overloaded, Problem, unavailable } from '../problem.js';

export interface CommitRouteOptions {
  readonly commits: CommitQueue;
  readonly parser: CommitParserOptions;
  /** Bytes of a request body. */
  readonly maxCommitBytes: number;
  readonly bodies: BodyBudget;
  readonly metrics: HttpMetrics;
}

/** `POST /v1/commit` (specification 4.2). Answers on the response of Node.js, which costs half of what Koa's does. */
export function commitRoute(options: CommitRouteOptions): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const startedMs = performance.now();
    refuseTooLarge(ctx.req, options.maxCommitBytes);
    requireJson(ctx.req);
    const commit = parseCommit(
      await readBody(ctx.req, options.maxCommitBytes, options.bodies),
      options.parser,
    );
    const outcome = await options.commits.commit(commit);
    options.metrics.commitTook(outcome.kind, performance.now() - startedMs);
    if (outcome.kind === 'refused') throw refusalProblem(commit, outcome.refusal);
    const body = commitResponse(commit, outcome);
    ctx.respond = false;
    if (!ctx.writable) return;
    ctx.res.writeHead(200, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    });
    // In two steps: what is written in one turn to one connection leaves together, and `end` adds no empty write.
    ctx.res.write(body);
    ctx.res.end();
  };
}

/** The commit response (specification 2.3). */
function commitResponse(
  { chosenRequestId, preconditions }: ParsedCommit,
  outcome: Exclude<CommitOutcome, { kind: 'refused' }>,
): string {
  const { version, leaderId } = outcome;
  const requestId = chosenRequestId === undefined ? '' : `,"request_id":${JSON.stringify(chosenRequestId)}`;
  const start =
    outcome.kind === 'committed'
      ? '"committed"'
      : `"not_committed","conflicts":${JSON.stringify(outcome.conflicts.map((index) => preconditions[index]))}`;
  return `{"status":${start},"version":${version},"leader_id":${JSON.stringify(leaderId)}${requestId}}`;
}

function refusalProblem(commit: ParsedCommit, refusal: Refusal): Problem {
  switch (refusal.kind) {
    case 'version-ahead-of-log':
      return versionAhead(commit, refusal.acceptedVersion);
    case 'request-id-reused':
      return new Problem(
        'request-id-reused',
        '/request_id: this ID was used before, or a status lookup has declared it not found; nothing was written',
        { faults: [{ pointer: '/request_id', detail: 'must never be used twice' }] },
      );
    case 'overloaded':
      return overloaded('too many commits are in flight; nothing was written');
    case 'unavailable':
      return unavailable('the log cannot take commits now; nothing was written');
    case 'outcome-unknown':
      return new Problem(
        'outcome-unknown',
        'the term ended before the commit was durable; ask GET /v1/status with its request_id',
      );
  }
}
