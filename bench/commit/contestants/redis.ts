import { findExecutable } from '../../lib/executable.js';
import { freePort, Program } from '../../lib/program.js';
import { programVersion } from '../../lib/program-version.js';
import type { Contestant } from '../contestant.js';
import { canConnect } from '../load/can-connect.js';
import { VersionOfEachKey } from '../load/knowledge.js';
import { type ConnectionShape, connectionPerClient, type LoadShape } from '../load/shape.js';
import { KEYS } from '../workload.js';
import { REDIS_VERSION_DIGITS, RedisProtocol } from './redis-protocol.js';

/**
 * Compare the version of a key, then set it: the least that does what a transaction does. A value is stored with its
 * version ahead of it. Answers the version that the key has now, negative when it was not the expected one.
 */
const SCRIPT = `
local held = redis.call('GETRANGE', KEYS[1], 0, ${REDIS_VERSION_DIGITS - 1})
if held == '' then held = '${'0'.repeat(REDIS_VERSION_DIGITS)}' end
if held ~= ARGV[1] then return -tonumber(held) end
redis.call('SET', KEYS[1], ARGV[2])
return ARGV[1] + 1`;

/** Redis with `appendfsync always`, a connection per client. */
export const redis = contestant('redis', 'a connection per client', connectionPerClient);

/** The same with one connection for all clients. */
export const redisShared = contestant('redis-shared', 'one shared pipelined connection', (load) =>
  load.sockets === undefined ? { connections: 1, depth: load.clients } : undefined,
);

function contestant(
  name: string,
  connects: string,
  shape: (load: LoadShape) => ConnectionShape | undefined,
): Contestant {
  return {
    name,
    title: `Redis, appendfsync always, Lua, ${connects}`,
    kind: 'rival',
    isDurable: true,
    find: () => {
      const server = findExecutable('redis-server');
      if (server === undefined) return { missing: 'no redis-server in PATH (apt-get install redis-server)' };
      return { version: programVersion(server, '--version', /v=([\d.]+)/) };
    },
    start: async (directory) => {
      const port = await freePort();
      const program = new Program(findExecutable('redis-server')!, [
        ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
        ...['--save', '', '--appendonly', 'yes', '--appendfsync', 'always'],
        ...['--auto-aof-rewrite-percentage', '0'],
      ]);
      await program.ready(() => canConnect(port));
      return {
        pid: program.pid,
        port,
        knowledge: new VersionOfEachKey(KEYS),
        shape,
        protocol: () => new RedisProtocol(SCRIPT),
        stop: () => program.stop(),
      };
    },
  };
}
