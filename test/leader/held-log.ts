import { type FoundRequest, LogError, type TermOptions, type TermStart } from '../../src/log/log.js';
import { MemoryLog } from '../support/memory-log.js';

/** Where calls wait while it is closed. */
export class Gate {
  #closed = false;
  readonly #waiting: { readonly proceed: () => void; readonly fail: (error: Error) => void }[] = [];

  close(): void {
    this.#closed = true;
  }

  /** Lets through what waits, and what comes. */
  open(): void {
    this.#closed = false;
    for (const { proceed } of this.#waiting.splice(0)) proceed();
  }

  /** Fails the call that has waited longest; returns whether there was one. The gate stays as it is. */
  break(): boolean {
    const longest = this.#waiting.shift();
    longest?.fail(new LogError('storage', 'EIO: simulated'));
    return longest !== undefined;
  }

  async pass(): Promise<void> {
    if (!this.#closed) return;
    await new Promise<void>((proceed, fail) => this.#waiting.push({ proceed, fail }));
  }
}

/** A log in memory whose slow calls take as long as the test wants, and fail when it wants. */
export class HeldLog extends MemoryLog {
  readonly gates = {
    /** Lookups that have not searched yet. */
    searches: new Gate(),
    /** Lookups that have searched and not returned what they found. */
    findings: new Gate(),
    /** Terms that are to start. */
    starts: new Gate(),
  } as const;

  /** The highest version on stable storage. */
  get durableVersion(): number {
    return this.segments().at(-1)?.lastVersion ?? this.truncatedThrough;
  }

  override async findRequest(requestId: string, minVersion: number): Promise<FoundRequest | undefined> {
    await this.gates.searches.pass();
    const found = await super.findRequest(requestId, minVersion);
    await this.gates.findings.pass();
    return found;
  }

  override async startTerm(options: TermOptions): Promise<TermStart> {
    await this.gates.starts.pass();
    return super.startTerm(options);
  }
}
