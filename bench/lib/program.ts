import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_MS_MAX = 30_000;
const STOP_MS_MAX = 10_000;
/** What is kept of a program's output, for the message when it fails. */
const OUTPUT_CHARS_MAX = 4_000;

export interface ProgramOptions {
  /** The user and group that it runs as. Default: ours. */
  readonly uid?: number;
  readonly gid?: number;
  /** Asks it to end. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/** A program that serves, as a child process. It does not outlive this process. */
export class Program {
  readonly #command: string;
  readonly #child: ChildProcess;
  readonly #stopSignal: NodeJS.Signals;
  readonly #killNow = (): void => {
    this.#child.kill('SIGKILL');
  };
  #output = '';
  #failure: Error | undefined;

  constructor(command: string, args: readonly string[], options: ProgramOptions = {}) {
    const { stopSignal = 'SIGTERM', ...identity } = options;
    this.#command = command;
    this.#stopSignal = stopSignal;
    this.#child = spawn(command, args, { ...identity, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#output = `${this.#output}${chunk}`.slice(-OUTPUT_CHARS_MAX);
      });
    }
    this.#child.once('error', (error) => {
      this.#failure = error;
    });
    process.once('exit', this.#killNow);
  }

  /** @throws when it could not be started. */
  get pid(): number {
    if (this.#child.pid === undefined) throw this.#failure ?? new Error(`${this.#command} did not start`);
    return this.#child.pid;
  }

  get #hasEnded(): boolean {
    const { pid, exitCode, signalCode } = this.#child;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }

  /**
   * Tries until it succeeds, and gives what it gave.
   * @throws with the last words of the program when it ends, or when `attempt` still fails after 30 s
   */
  async ready<T>(attempt: () => Promise<T>): Promise<T> {
    const deadlineMs = performance.now() + READY_MS_MAX;
    for (;;) {
      try {
        return await attempt();
      } catch (cause) {
        if (this.#hasEnded || performance.now() > deadlineMs) {
          throw new Error(`${this.#command} does not serve: ${this.#failure?.message ?? this.#output}`, {
            cause,
          });
        }
      }
      await sleep(50);
    }
  }

  /** Asks it to end, ends it at once if it has not after 10 s, and resolves when it is gone. */
  async stop(): Promise<void> {
    if (!this.#hasEnded) {
      const exited = once(this.#child, 'exit');
      const impatience = setTimeout(this.#killNow, STOP_MS_MAX);
      this.#child.kill(this.#stopSignal);
      await exited;
      clearTimeout(impatience);
    }
    process.removeListener('exit', this.#killNow);
  }
}

/** A port of the loopback address that nobody listens on now. */
export async function freePort(): Promise<number> {
  const probe = createServer();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
