import type { Contestant } from '../contestant.js';
import { ceilings } from './ceilings.js';
import { etcd } from './etcd.js';
import { headwater, headwaterBaseline } from './headwater.js';
import { nats, natsDefault } from './nats.js';
import { postgres } from './postgres.js';
import { redis, redisShared } from './redis.js';

/**
 * @param settings further flags of our server
 * @param baseline the compiled entry point of another build of it, to be measured beside it
 */
export function allContestants(
  settings: readonly string[],
  baseline: string | undefined,
): readonly Contestant[] {
  return [
    headwater(settings),
    ...(baseline === undefined ? [] : [headwaterBaseline(baseline)]),
    redis,
    redisShared,
    postgres,
    etcd,
    nats,
    natsDefault,
    ...ceilings,
  ];
}
