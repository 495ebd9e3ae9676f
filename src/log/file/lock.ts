import fs from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { LogError } from '../log.js';

/** A directory that belongs to this process until `release`. */
export interface DirectoryLock {
  /** @throws LogError `storage` when the path no longer leads to the directory that was locked. */
  readonly confirm: () => Promise<void>;
  release(): Promise<void>;
}

export type AcquireLock = (directory: string) => Promise<DirectoryLock>;

/** Says who holds the directory, to people. The lock itself is the socket. */
const HOLDER_NAME = 'LOCK';

/**
 * Keeps every other process (and every other log in this one) out of a directory, which must exist. The lock is a
 * listening local socket that is named after the directory's device and inode: taking it is atomic, and the system
 * releases it when the process dies, however it dies.
 *
 * On Linux the name is in the abstract namespace, which is one per network namespace: containers that share a
 * directory but not a network do not see each other's locks. A directory that is moved stays locked; what takes its
 * place is another one, and `confirm` tells.
 * @throws LogError `locked` when another holds it.
 */
export const lockDirectory: AcquireLock = async (directory) => {
  const { dev, ino } = await fs.stat(directory, { bigint: true });
  const socketPath = socketPathFor(`headwater-${dev}-${ino}`);
  const server = await listenOrTakeOver(socketPath);
  if (server === undefined) {
    throw new LogError(
      'locked',
      `${directory} is in use by another process${await describeHolder(directory)}`,
    );
  }
  // Holding a directory is no reason for a process to stay alive.
  server.unref();
  const holderPath = path.join(directory, HOLDER_NAME);
  const holder = { pid: process.pid, host: os.hostname(), startedAt: new Date().toISOString() };
  // People may have to do without it, on a full disk say: it is not what locks.
  await Promise.allSettled([fs.writeFile(holderPath, `${JSON.stringify(holder)}\n`)]);
  const confirm = async (): Promise<void> => {
    const [found] = await Promise.allSettled([fs.stat(directory, { bigint: true })]);
    if (found.status === 'fulfilled' && found.value.dev === dev && found.value.ino === ino) return;
    throw new LogError(
      'storage',
      `${directory} was moved or replaced; it is not the directory that was locked`,
    );
  };
  return {
    confirm,
    release: async () => {
      // In a directory that has come to stand there since, the file is somebody else's.
      await Promise.allSettled([confirm().then(() => fs.rm(holderPath, { force: true }))]);
      await new Promise((resolve) => server.close(resolve));
    },
  };
};

function socketPathFor(name: string): string {
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return path.join(os.tmpdir(), `${name}.sock`);
}

/** @returns `undefined` when another process listens there. */
async function listenOrTakeOver(socketPath: string): Promise<Server | undefined> {
  const server = await listen(socketPath);
  const isFile = path.isAbsolute(socketPath) && process.platform !== 'win32';
  if (server !== undefined || !isFile || (await isAlive(socketPath))) return server;
  // A socket in the file system outlives its process; nobody answers on this one.
  await fs.rm(socketPath, { force: true });
  return await listen(socketPath);
}

function listen(socketPath: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path: socketPath }, () => resolve(server));
  });
}

function isAlive(socketPath: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path: socketPath });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function describeHolder(directory: string): Promise<string> {
  try {
    const text = await fs.readFile(path.join(directory, HOLDER_NAME), 'utf8');
    const { pid, host, startedAt } = JSON.parse(text) as Record<string, unknown>;
    return ` (process ${pid} on ${host}, since ${startedAt})`;
  } catch {
    // The file is for people only, and may be missing or half written.
    return '';
  }
}
