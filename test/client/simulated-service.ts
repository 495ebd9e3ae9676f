import { checkpoint, transaction } from './fake-server.js';

export interface LogEntry {
  readonly version: number;
  readonly prevVersion: number;
  readonly leaderId: string;
}

/** What happens at the service while somebody reads. */
export type Step =
  | { readonly kind: 'accept'; readonly count: number }
  /** All, or all but `behind`, of what is accepted becomes durable. */
  | { readonly kind: 'sync'; readonly behind: number }
  /** A new leader, which knows only what was durable; the connection ends or is carried on. */
  | { readonly kind: 'elect'; readonly cuts: boolean; readonly skippedVersions: number }
  /** The connection ends, `lost` bytes before what has been sent. */
  | { readonly kind: 'cut'; readonly lost: number; readonly fails: boolean }
  /** This connection leaves out, or repeats, the next transaction. */
  | { readonly kind: 'skip' }
  | { readonly kind: 'repeat' };

interface Connection {
  readonly durable: boolean;
  readonly controller: ReadableStreamDefaultController<Uint8Array>;
  /** How many entries of the log this connection has behind it. */
  sent: number;
  lastCheckpoint: number | undefined;
  unsent: Uint8Array;
}

const utf8 = new TextEncoder();

/**
 * The service in memory, behind a `fetch`: one log, one reader at a time, and a script. The steps of the
 * script are taken as the reader reads; when they are used up, everything becomes durable and is sent.
 */
export class SimulatedService {
  readonly #steps: Step[];
  readonly #chunkSizes: readonly number[];
  #turn = 0;
  #log: LogEntry[] = [];
  #durableCount = 0;
  #term = 1;
  /** No version up to here is issued again. */
  #ceiling = 0;
  #fault: 'skip' | 'repeat' | undefined;
  /** A fault that came back at the same place would be one that a reconnect cannot mend. */
  readonly #faulted = new Set<number>();
  #finished = false;
  /** Which entry of the log no connection ever sends. */
  readonly lostIndex: number | undefined;

  /** @param chunkSizes bytes per chunk, used in turn */
  constructor(steps: readonly Step[], chunkSizes: readonly number[], lostIndex?: number) {
    this.#steps = [...steps];
    this.#chunkSizes = chunkSizes;
    this.lostIndex = lostIndex;
  }

  get log(): readonly LogEntry[] {
    return this.#log;
  }

  /** The last version, once the script is used up. */
  get finalVersion(): number | undefined {
    return this.#finished ? this.#log.at(-1)?.version : undefined;
  }

  readonly fetch = (input: string | URL | Request): Promise<Response> => {
    const url = new URL(String(input));
    const after = Number(url.searchParams.get('after'));
    const sent = this.#log.filter((entry) => entry.version <= after).length;
    // A reader that resumes from what was never durable is told so, and fails.
    if (sent > this.#durableCount) return Promise.resolve(new Response('', { status: 400 }));
    let connection: Connection;
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          const durable = url.searchParams.get('durable') === 'true';
          connection = { durable, controller, sent, lastCheckpoint: undefined, unsent: new Uint8Array() };
          this.#send(connection);
        },
        pull: () => this.#pull(connection),
      },
      { highWaterMark: 0 },
    );
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };

  #pull(connection: Connection): void {
    while (connection.unsent.length === 0) {
      if (this.#finished) return;
      const step = this.#steps.shift();
      if (step === undefined) this.#finish();
      else if (this.#take(step, connection)) return;
      this.#send(connection);
    }
    // Now and then the script goes on while bytes are still on their way, so that a cut can lose some.
    if (
      this.#turn % 3 === 2 &&
      this.#steps[0]?.kind === 'cut' &&
      this.#take(this.#steps.shift()!, connection)
    ) {
      return;
    }
    const size = this.#chunkSizes[this.#turn % this.#chunkSizes.length]!;
    this.#turn += 1;
    connection.controller.enqueue(connection.unsent.slice(0, size));
    connection.unsent = connection.unsent.slice(size);
  }

  /** True when the connection has ended. */
  #take(step: Step, connection: Connection): boolean {
    switch (step.kind) {
      case 'accept':
        this.#accept(step.count);
        return false;
      case 'sync':
        this.#durableCount = Math.max(this.#durableCount, this.#log.length - step.behind);
        return false;
      case 'elect':
        this.#elect(step.skippedVersions);
        connection.sent = Math.min(connection.sent, this.#log.length);
        connection.lastCheckpoint = undefined;
        if (step.cuts) connection.controller.close();
        return step.cuts;
      case 'cut': {
        const kept = connection.unsent.subarray(0, Math.max(0, connection.unsent.length - step.lost));
        if (kept.length > 0) connection.controller.enqueue(kept);
        if (step.fails) connection.controller.error(new TypeError('terminated'));
        else connection.controller.close();
        return true;
      }
      case 'skip':
      case 'repeat':
        this.#fault = step.kind;
        return false;
    }
  }

  #accept(count: number): void {
    for (let index = 0; index < count; index += 1) {
      this.#ceiling += 1;
      const prevVersion = this.#log.at(-1)?.version ?? 0;
      this.#log.push({ version: this.#ceiling, prevVersion, leaderId: `L${this.#term}` });
    }
  }

  #elect(skippedVersions: number): void {
    this.#log.length = this.#durableCount;
    this.#ceiling += skippedVersions;
    this.#term += 1;
  }

  #finish(): void {
    // Whatever was left out before now gets a successor that tells of it.
    this.#fault = undefined;
    this.#accept(Math.max(1, (this.lostIndex ?? 0) + 2 - this.#log.length));
    this.#durableCount = this.#log.length;
    this.#finished = true;
  }

  /** Puts into the connection's buffer what its reader may see now. */
  #send(connection: Connection): void {
    let text = '';
    if (!connection.durable && connection.lastCheckpoint === undefined) text += this.#checkpoint(connection);
    const visible = connection.durable ? this.#durableCount : this.#log.length;
    for (; connection.sent < visible; connection.sent += 1) {
      if (connection.sent === this.lostIndex) continue;
      const entry = this.#log[connection.sent]!;
      const event = transaction(entry.version, entry.prevVersion, entry.leaderId);
      const fault = this.#faulted.has(entry.version) ? undefined : this.#fault;
      if (fault !== undefined) this.#faulted.add(entry.version);
      if (fault !== 'skip') text += event;
      if (fault === 'repeat') text += event;
      this.#fault = undefined;
    }
    if (!connection.durable) text += this.#checkpoint(connection);
    const added = utf8.encode(text);
    const joined = new Uint8Array(connection.unsent.length + added.length);
    joined.set(connection.unsent);
    joined.set(added, connection.unsent.length);
    connection.unsent = joined;
  }

  #checkpoint(connection: Connection): string {
    const covered = Math.min(this.#durableCount, connection.sent);
    const version = this.#log[covered - 1]?.version ?? 0;
    if (version === connection.lastCheckpoint) return '';
    connection.lastCheckpoint = version;
    return checkpoint(version, `L${this.#term}`);
  }
}
