import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { freePort, Program } from '../../lib/program.js';
import type { Contestant } from '../contestant.js';
import { canConnect } from '../load/can-connect.js';
import { HeadwaterProtocol } from '../load/headwater-protocol.js';
import { LatestVersion } from '../load/knowledge.js';
import { connectionPerClient } from '../load/shape.js';
import type { EchoKind } from './echo-server.js';

const ECHO_SERVER = fileURLToPath(new URL('./echo-server.js', import.meta.url));
const { resolve } = createRequire(import.meta.url);

/** Servers that parse the same requests and give the same answers, and do nothing else. */
export const ceilings: readonly Contestant[] = [
  ceiling('node-http', 'bare node:http, JSON.parse, no disk', []),
  ceiling('koa-raw', 'Koa, raw body, no disk', ['koa']),
  ceiling('koa-body', 'Koa with koa-body, no disk', ['koa', 'koa-body']),
];

function ceiling(name: EchoKind, title: string, packages: readonly string[]): Contestant {
  return {
    name,
    title,
    kind: 'ceiling',
    isDurable: false,
    find: () => ({
      version: [
        `Node ${process.versions.node}`,
        ...packages.map((name) => `${name} ${versionOf(name)}`),
      ].join(', '),
    }),
    start: async () => {
      const port = await freePort();
      const program = new Program(process.execPath, [ECHO_SERVER, name, String(port)]);
      await program.ready(() => canConnect(port));
      return {
        pid: program.pid,
        port,
        knowledge: new LatestVersion(0),
        shape: connectionPerClient,
        protocol: () => new HeadwaterProtocol(port, 'no-leader-at-all-00000'),
        stop: () => program.stop(),
      };
    },
  };
}

/** The version of an installed package. */
function versionOf(name: string): string {
  // The package file is found from the entry point: not every package lets it be imported.
  const entry = resolve(name);
  const root = entry.slice(0, entry.lastIndexOf(`/${name}/`) + name.length + 2);
  return (JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string }).version;
}
