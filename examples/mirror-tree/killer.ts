import type { ServerProcess } from './server-process.js';

/** Kills and restarts the server at chosen numbers of commits, and only while commits are in flight. */
export class Killer {
  /** Commits that had been sent and not answered, at each kill. */
  readonly inFlightAtKills: number[] = [];
  readonly #server: ServerProcess;
  /** Numbers of answered commits at which to kill, ascending. */
  readonly #due: number[];
  readonly #onFailure: (error: unknown) => void;
  #answered = 0;
  #inFlight = 0;
  #restart: Promise<unknown> | undefined;

  constructor(server: ServerProcess, due: readonly number[], onFailure: (error: unknown) => void) {
    this.#server = server;
    this.#due = [...due];
    this.#onFailure = onFailure;
  }

  /** A `fetch` that counts commits on their way. */
  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    if (init?.method !== 'POST') return await fetch(input, init);
    this.#inFlight += 1;
    try {
      const reply = fetch(input, init);
      this.#killIfDue();
      const response = await reply;
      this.#answered += 1;
      return response;
    } finally {
      this.#inFlight -= 1;
    }
  };

  /** Resolves when the server runs again, if it is being restarted. */
  async settled(): Promise<void> {
    await this.#restart;
  }

  #killIfDue(): void {
    if (this.#restart !== undefined || this.#answered < (this.#due[0] ?? Number.POSITIVE_INFINITY)) return;
    this.#restart = this.#killAndRestart()
      .catch(this.#onFailure)
      .finally(() => {
        this.#restart = undefined;
      });
  }

  async #killAndRestart(): Promise<void> {
    // The commit that is being sent should have left before the server dies.
    await new Promise((resolve) => setTimeout(resolve, 1));
    // All answered meanwhile: the next one will do.
    if (this.#inFlight === 0) return;
    this.#due.shift();
    this.inFlightAtKills.push(this.#inFlight);
    await this.#server.kill();
    await this.#server.start();
  }
}
