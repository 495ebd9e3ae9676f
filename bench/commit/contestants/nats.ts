import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findExecutable } from '../../lib/executable.js';
import { freePort, Program } from '../../lib/program.js';
import { programVersion } from '../../lib/program-version.js';
import type { Contestant } from '../contestant.js';
import { VersionOfEachKey } from '../load/knowledge.js';
import { unpipelined } from '../load/shape.js';
import { KEYS } from '../workload.js';
import { NatsProtocol } from './nats-protocol.js';
import { createStream } from './nats-stream.js';

/** JetStream that syncs each message ahead of its acknowledgement. */
export const nats = contestant('nats', 'sync_interval: always', 'always', true);

/** JetStream as it is installed: it syncs every two minutes. */
export const natsDefault = contestant(
  'nats-default',
  'default: not durable, no sync per commit',
  undefined,
  false,
);

function contestant(
  name: string,
  setting: string,
  syncInterval: string | undefined,
  isDurable: boolean,
): Contestant {
  return {
    name,
    title: `NATS JetStream, ${setting}`,
    kind: 'rival',
    isDurable,
    find: () => {
      const server = findExecutable('nats-server');
      if (server === undefined) {
        return { missing: 'no nats-server in PATH (go install github.com/nats-io/nats-server/v2@v2.15.2)' };
      }
      return { version: programVersion(server, '--version', /v([\d.]+)/) };
    },
    start: async (directory) => {
      const port = await freePort();
      const file = join(directory, 'nats.conf');
      const sync = syncInterval === undefined ? '' : `sync_interval: ${syncInterval}`;
      writeFileSync(
        file,
        // Our clients do not answer pings.
        `listen: "127.0.0.1:${port}"\nping_interval: "1h"\njetstream { store_dir: "${directory}"\n${sync} }\n`,
      );
      const program = new Program(findExecutable('nats-server')!, ['-c', file]);
      await program.ready(() => createStream(port));
      return {
        pid: program.pid,
        port,
        knowledge: new VersionOfEachKey(KEYS),
        shape: unpipelined,
        protocol: () => new NatsProtocol(),
        stop: () => program.stop(),
      };
    },
  };
}
