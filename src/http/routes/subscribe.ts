import type { ServerResponse } from 'node:http';
import type { Middleware } from 'koa';
import type { Feed, SubscribeRefusal } from '../../feed/feed.js';
import type { EventSink } from '../../feed/subscriber.js';
import { overloaded, Problem, unavailable } from '../problem.js';
import { Query } from '../query.js';

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

/** `GET /v1/subscribe` (specification 4.4 and 6). */
export function subscribeRoute(feed: Feed): Middleware {
  return (ctx) => {
    const query = new Query(ctx.querystring);
    const after = query.version('after');
    const durable = query.boolean('durable') ?? true;
    query.check();
    const refusal = feed.refusal(after);
    if (refusal !== undefined) throw refusalProblem(refusal);

    ctx.respond = false;
    ctx.res.writeHead(200, STREAM_HEADERS);
    if (ctx.method === 'HEAD') {
      ctx.res.end();
      return;
    }
    ctx.res.flushHeaders();
    const subscription = feed.subscribe(new ResponseSink(ctx.res), { after, durable });
    ctx.res.once('close', () => subscription.left());
  };
}

function refusalProblem(refusal: SubscribeRefusal): Problem {
  switch (refusal.kind) {
    case 'truncated':
      return new Problem(
        'log-truncated',
        `after: versions up to ${refusal.truncatedThrough} are no longer held; start from a snapshot of a reader`,
        { members: { truncated_through: refusal.truncatedThrough } },
      );
    case 'version-ahead-of-log':
      return new Problem('version-ahead-of-log', `after: must not be above ${refusal.acceptedVersion}`, {
        faults: [{ parameter: 'after', detail: `must not be above ${refusal.acceptedVersion}` }],
      });
    case 'stopped':
      return unavailable('the server stops');
    case 'too-many-subscribers':
      return overloaded('no more subscribers can be served now');
  }
}

/** An HTTP response as the feed writes to it. */
class ResponseSink implements EventSink {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get unsentBytes(): number {
    return this.#response.writableLength;
  }

  write(bytes: Uint8Array): void {
    if (!this.#response.destroyed) this.#response.write(bytes);
  }

  onceDrained(callback: () => void): void {
    const response = this.#response;
    if (response.destroyed || !response.writableNeedDrain) {
      setImmediate(callback);
      return;
    }
    const done = () => {
      response.off('drain', done).off('close', done);
      callback();
    };
    response.on('drain', done).on('close', done);
  }

  end(): void {
    this.#response.end();
  }

  destroy(): void {
    this.#response.destroy();
  }
}
