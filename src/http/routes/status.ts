import type { Middleware } from 'koa';
import type { Leader } from '../../leader/leader.js';
import { REQUEST_ID_BYTES_MAX } from '../commit-parser.js';
import { unavailable } from '../problem.js';
import { Query } from '../query.js';

/** `GET /v1/status` (specification 4.3). */
export function statusRoute(leader: Pick<Leader, 'statusOf'>): Middleware {
  return async (ctx) => {
    const query = new Query(ctx.querystring);
    const requestId = query.required('request_id', query.text('request_id') || undefined, '');
    if (Buffer.byteLength(requestId) > REQUEST_ID_BYTES_MAX) {
      query.fault('request_id', `must be at most ${REQUEST_ID_BYTES_MAX} bytes of UTF-8`);
    }
    const minVersion = query.required('min_version', query.version('min_version'), 0);
    query.check();
    const answer = await leader.statusOf(requestId, minVersion);
    if (answer.status === 'unavailable') throw unavailable('the outcome cannot be looked up now');
    ctx.body =
      answer.status === 'committed'
        ? { status: answer.status, version: answer.version, leader_id: answer.leaderId }
        : { status: answer.status };
  };
}
