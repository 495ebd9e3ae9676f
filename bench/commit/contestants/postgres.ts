import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findExecutable } from '../../lib/executable.js';
import { freePort, Program } from '../../lib/program.js';
import { programVersion } from '../../lib/program-version.js';
import type { Contestant } from '../contestant.js';
import { canConnect } from '../load/can-connect.js';
import { VersionOfEachKey } from '../load/knowledge.js';
import { KEYS } from '../workload.js';
import { PostgresProtocol } from './postgres-protocol.js';

const POOL = 16;
const DATABASE = 'postgres';
const USER = 'bench';

/** Compare the version of a key, then set it. Gives its version now, negative when it was not the expected one. */
const SCHEMA = `
create table entry (key bytea primary key, version bigint not null, value bytea not null);
create function commit_one(wanted bytea, expected bigint, fresh bytea) returns bigint language plpgsql as $$
declare
  held bigint;
begin
  if expected = 0 then
    insert into entry values (wanted, 1, fresh) on conflict do nothing returning version into held;
  else
    update entry set version = version + 1, value = fresh
      where key = wanted and version = expected returning version into held;
  end if;
  if held is null then
    select -version into held from entry where key = wanted;
  end if;
  return held;
end $$;`;

/** PostgreSQL as it is installed, one function call for each transaction, a pool of 16 connections. */
export const postgres: Contestant = {
  name: 'postgres',
  title: `PostgreSQL, one function call, pool of ${POOL}`,
  kind: 'rival',
  isDurable: true,
  find: () => {
    const server = findPostgres('postgres');
    if (server === undefined) return { missing: 'no postgres in PATH (apt-get install postgresql)' };
    if (process.getuid?.() === 0 && serviceUser() === undefined) {
      return { missing: 'PostgreSQL does not run as root, and there is no user "postgres"' };
    }
    return { version: programVersion(server, '--version', /(\d[\d.]+)/) };
  },
  start: async (directory) => {
    // It refuses to run as root.
    const account = process.getuid?.() === 0 ? serviceUser() : undefined;
    if (account !== undefined) {
      chownSync(directory, account.uid, account.gid);
      chmodSync(dirname(directory), 0o711);
    }
    const identity = account ?? {};
    const data = join(directory, 'data');
    const run = (program: string, args: readonly string[], input: string): void => {
      const file = findPostgres(program)!;
      const { status, stderr, error } = spawnSync(file, args, {
        ...identity,
        input,
        encoding: 'utf8',
        cwd: directory,
      });
      if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`);
    };
    run('initdb', ['-D', data, '-U', USER, '-A', 'trust', '-E', 'UTF8', '--no-locale', '--no-sync'], '');
    const port = await freePort();
    const flags = ['-D', data, '-p', String(port), '-c', 'listen_addresses=127.0.0.1'];
    const program = new Program(
      findPostgres('postgres')!,
      [...flags, '-c', `unix_socket_directories=${directory}`],
      {
        ...identity,
        // Its fast shutdown, which does not wait for clients.
        stopSignal: 'SIGINT',
      },
    );
    await program.ready(async () => {
      await canConnect(port);
      run(
        'psql',
        ['-h', directory, '-p', String(port), '-U', USER, '-v', 'ON_ERROR_STOP=1', '-q', DATABASE],
        SCHEMA,
      );
    });
    return {
      pid: program.pid,
      port,
      knowledge: new VersionOfEachKey(KEYS),
      shape: ({ clients, sockets }) =>
        sockets === undefined ? { connections: Math.min(POOL, clients), depth: 1 } : undefined,
      protocol: () => new PostgresProtocol(USER, DATABASE),
      stop: () => program.stop(),
    };
  },
};

/** In PATH, or where Debian keeps the newest version that is installed. */
function findPostgres(program: string): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return findExecutable(
    program,
    versions.map((version) => join(root, version, 'bin')),
  );
}

/** The account of the service, by the owner of its home. */
function serviceUser(): { uid: number; gid: number } | undefined {
  const home = '/var/lib/postgresql';
  if (!existsSync(home)) return undefined;
  const { uid, gid } = statSync(home);
  return uid === 0 ? undefined : { uid, gid };
}
