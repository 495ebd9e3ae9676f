import { findExecutable } from '../../lib/executable.js';
import { freePort, Program } from '../../lib/program.js';
import { programVersion } from '../../lib/program-version.js';
import type { Contestant } from '../contestant.js';
import { LatestVersion } from '../load/knowledge.js';
import { unpipelined } from '../load/shape.js';
import { EtcdProtocol } from './etcd-protocol.js';

/** etcd, a single member, by its JSON gateway: a transaction that compares the revision of a key and puts it. */
export const etcd: Contestant = {
  name: 'etcd',
  title: 'etcd, one member, JSON gateway',
  kind: 'rival',
  isDurable: true,
  find: () => {
    const server = findExecutable('etcd');
    if (server === undefined) return { missing: 'no etcd in PATH (apt-get install etcd-server)' };
    return { version: programVersion(server, '--version', /etcd Version: ([\d.]+)/) };
  },
  start: async (directory) => {
    const port = await freePort();
    const peer = `http://127.0.0.1:${await freePort()}`;
    const client = `http://127.0.0.1:${port}`;
    const program = new Program(findExecutable('etcd')!, [
      ...['--name', 'bench', '--data-dir', directory, '--log-level', 'error', '--logger', 'zap'],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...[
        '--listen-peer-urls',
        peer,
        '--initial-advertise-peer-urls',
        peer,
        '--initial-cluster',
        `bench=${peer}`,
      ],
    ]);
    const revision = await program.ready(async () => {
      const response = await fetch(`${client}/v3/kv/range`, { method: 'POST', body: '{"key":"YQ=="}' });
      const { header } = (await response.json()) as { header: { revision: string } };
      return Number(header.revision);
    });
    return {
      pid: program.pid,
      port,
      knowledge: new LatestVersion(revision),
      shape: unpipelined,
      protocol: () => new EtcdProtocol(port),
      stop: () => program.stop(),
    };
  },
};
