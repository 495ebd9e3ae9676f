import type { Middleware } from 'koa';
import type { Leader } from '../../leader/leader.js';
import { unavailable } from '../problem.js';

/** `GET /v1/version` (specification 4.1). */
export function versionRoute(leader: Pick<Leader, 'latest'>): Middleware {
  return (ctx) => {
    const { latest } = leader;
    if (latest === undefined) throw unavailable('there is no leader now');
    ctx.body = { version: latest.version, leader_id: latest.leaderId };
  };
}
