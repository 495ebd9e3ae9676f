import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** The server as a child process, which can be killed and started again on the same port and directory. */
export class ServerProcess {
  readonly #main: string;
  readonly #dataDir: string;
  readonly #logFile: string;
  readonly #onCrash: (error: Error) => void;
  #child: ChildProcess | undefined;
  #port = 0;
  #closed = false;

  /**
   * @param main the compiled entry point of the server
   * @param logFile where its log goes
   * @param onCrash called when the server ends without having been told to
   */
  constructor(main: string, dataDir: string, logFile: string, onCrash: (error: Error) => void) {
    this.#main = main;
    this.#dataDir = dataDir;
    this.#logFile = logFile;
    this.#onCrash = onCrash;
  }

  /** Resolves with the URL once requests are served; it is the same after every start. */
  async start(): Promise<string> {
    if (this.#closed) throw new Error('the server is not to run any more');
    const args = [this.#main, '--port', String(this.#port), '--data-dir', this.#dataDir];
    const log = openSync(this.#logFile, 'a');
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', log] });
    closeSync(log);
    this.#child = child;
    child.once('exit', (code, signal) => {
      if (this.#child === child)
        this.#onCrash(new Error(`the server ended (${signal ?? code}): see ${this.#logFile}`));
    });
    const url = await firstUrl(child, this.#logFile);
    this.#port = Number(new URL(url).port);
    return url;
  }

  /** Ends the process at once, as a crash would, and resolves when it is gone. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  /** Kills it for good: a restart that is on its way does not happen. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.kill();
  }

  /** For when there is no time to wait. */
  killNow(): void {
    this.#child?.kill('SIGKILL');
  }
}

/** The URL that the server names on its standard output, which is read to its end so that it never fills. */
function firstUrl(child: ChildProcess, logFile: string): Promise<string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`the server did not start: see ${logFile}`)));
    createInterface({ input: child.stdout! }).on('line', (line) => {
      const [url] = /https?:\/\/[^\s"]+/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}
