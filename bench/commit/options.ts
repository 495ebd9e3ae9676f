import { parseArgs } from 'node:util';
import { type LoadShape, parseLoadShape } from './load/shape.js';

export const USAGE = `The commit path end to end, beside the rivals that are installed.

  npm run bench -- commit [options]

  --clients LIST    closed-loop clients, "8x32": 8 sockets 32 deep (default 1,64,256,8x32)
  --seconds N       measured for each load and round (default 5)
  --warmup N        seconds ahead of each (default 1)
  --rounds N        of which the medians are given (default 5)
  --only LIST       of headwater, baseline, redis, redis-shared, postgres, etcd, nats, nats-default, node-http,
                    koa-raw, koa-body
  --settings=TEXT   further flags of our server, as --settings="--workers 2"
  --baseline FILE   the compiled entry point (dist/src/main.js) of another build, measured beside it
  --data-dir DIR    where the servers keep their data (default: the directory for temporary files)
  --json FILE       writes every figure
`;

export interface CommitBenchOptions {
  readonly loads: readonly LoadShape[];
  readonly measuredMs: number;
  readonly warmupMs: number;
  readonly rounds: number;
  /** Undefined: all. */
  readonly only: readonly string[] | undefined;
  readonly settings: readonly string[];
  readonly baseline: string | undefined;
  readonly dataDir: string | undefined;
  readonly jsonFile: string | undefined;
}

/** @throws with a sentence that names what is wrong. */
export function readOptions(args: readonly string[]): CommitBenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clients: { type: 'string', default: '1,64,256,8x32' },
      seconds: { type: 'string', default: '5' },
      warmup: { type: 'string', default: '1' },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string' },
      settings: { type: 'string', default: '' },
      baseline: { type: 'string' },
      'data-dir': { type: 'string' },
      json: { type: 'string' },
    },
  });
  const rounds = positive('--rounds', values.rounds);
  if (!Number.isInteger(rounds)) throw new Error('--rounds: must be an integer');
  return {
    loads: values.clients.split(',').map(parseLoadShape),
    measuredMs: positive('--seconds', values.seconds) * 1000,
    warmupMs: positive('--warmup', values.warmup) * 1000,
    rounds,
    only: values.only?.split(','),
    settings: values.settings.split(' ').filter((flag) => flag !== ''),
    baseline: values.baseline,
    dataDir: values['data-dir'],
    jsonFile: values.json,
  };
}

function positive(flag: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new Error(`${flag}: must be a positive number, not "${text}"`);
}
