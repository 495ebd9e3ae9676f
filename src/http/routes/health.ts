import type { Middleware } from 'koa';
import type { Leader } from '../../leader/leader.js';
import { unavailable } from '../problem.js';

/** `GET /ok` (specification 4.6): whether commits are taken now. */
export function healthRoute(leader: Pick<Leader, 'available'>): Middleware {
  return (ctx) => {
    if (!leader.available) throw unavailable('the log cannot take commits now');
    ctx.type = 'text/plain';
    ctx.body = 'ok';
  };
}
