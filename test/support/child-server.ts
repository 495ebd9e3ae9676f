import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { cleanUp } from './cleanup.js';

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));

/** A server in a process of its own, which can be killed and started again on the same address and data. */
export class ChildServer {
  url = '';
  readonly #settings: Readonly<Record<string, string | number>>;
  readonly #nodeArguments: readonly string[];
  #process: ChildProcess | undefined;
  #errors = '';

  constructor(
    context: TestContext,
    settings: Readonly<Record<string, string | number>>,
    nodeArguments: readonly string[] = [],
  ) {
    this.#settings = settings;
    this.#nodeArguments = nodeArguments;
    cleanUp(context, () => this.kill('SIGKILL'));
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  /** What the process wrote to standard error so far. */
  get errors(): string {
    return this.#errors;
  }

  /** Starts the process; resolves when it serves. @throws with its last words when it ends instead. */
  async start(): Promise<void> {
    const port = this.url === '' ? 0 : new URL(this.url).port;
    const settings = { port, 'log-format': 'json', ...this.#settings };
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(process.execPath, [...this.#nodeArguments, MAIN, ...flags], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#process = child;
    this.#errors = '';
    child.stderr?.on('data', (chunk) => {
      this.#errors += chunk;
    });
    const ended = once(child, 'exit').then(() => {
      throw new Error(`the server ended: ${this.#errors}`);
    });
    ended.catch(() => undefined);
    const lines = createInterface({ input: child.stdout! });
    const [line] = (await Promise.race([once(lines, 'line'), ended])) as [string];
    this.url = line.replace('headwater serves ', '');
  }

  /** Sends a signal; resolves with the exit code when the process is gone (null when the signal ended it). */
  async kill(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null)
      return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill(signal);
    const [code] = (await exit) as [number | null];
    return code;
  }
}
