import type { Middleware } from 'koa';
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

/** `POST /v1/commit` (specification 4.2). */
export function commitRoute(options: CommitRouteOptions): Middleware {
  return async (ctx) => {
    const stopTimer = options.metrics.commitSeconds.startTimer();
    refuseTooLarge(ctx.req, options.maxCommitBytes);
    requireJson(ctx);
    const commit = parseCommit(
      await readBody(ctx.req, options.maxCommitBytes, options.bodies),
      options.parser,
    );
    const outcome = await options.commits.commit(commit);
    stopTimer({ outcome: outcome.kind });
    ctx.body = commitResponse(commit, outcome);
  };
}

/** The commit response (specification 2.3). @throws Problem when the commit was refused. */
function commitResponse(commit: ParsedCommit, outcome: CommitOutcome): Record<string, unknown> {
  if (outcome.kind === 'refused') throw refusalProblem(commit, outcome.refusal);
  const { version, leaderId } = outcome;
  const requestId = commit.chosenRequestId;
  return {
    status: outcome.kind === 'committed' ? 'committed' : 'not_committed',
    ...(outcome.kind === 'not-committed' && {
      conflicts: outcome.conflicts.map((index) => commit.preconditions[index]),
    }),
    version,
    leader_id: leaderId,
    ...(requestId !== undefined && { request_id: requestId }),
  };
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
