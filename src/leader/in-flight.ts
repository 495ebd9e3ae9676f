import type { CommitAnswer, CommitOutcome, CommitRequest } from './commit.js';

/** Collects the answers to one port's requests, so that they leave in batches. */
export class AnswerBox {
  readonly #deliver: (answers: readonly CommitAnswer[]) => void;
  #answers: CommitAnswer[] = [];

  constructor(deliver: (answers: readonly CommitAnswer[]) => void) {
    this.#deliver = deliver;
  }

  put(tag: number, outcome: CommitOutcome): void {
    this.#answers.push({ tag, outcome });
  }

  flush(): void {
    if (this.#answers.length === 0) return;
    const answers = this.#answers;
    this.#answers = [];
    this.#deliver(answers);
  }
}

/** One commit between its arrival at the leader and its answer. */
export class PendingCommit {
  /** The version it was accepted at, or undefined while it is not accepted (yet). */
  version: number | undefined;
  /** Positions of the violated preconditions, once they are known and wait for a version to be durable. */
  conflicts: readonly number[] = [];
  #watchers: ((outcome: CommitOutcome) => void)[] | undefined;

  constructor(
    readonly request: CommitRequest,
    readonly answers: AnswerBox,
  ) {}

  /** Resolves with the outcome when it is known. */
  settled(): Promise<CommitOutcome> {
    return new Promise((resolve) => {
      this.#watchers ??= [];
      this.#watchers.push(resolve);
    });
  }

  settle(outcome: CommitOutcome): void {
    this.answers.put(this.request.tag, outcome);
    for (const watcher of this.#watchers ?? []) watcher(outcome);
  }
}

/** All commits without an answer, by request ID, within two bounds. */
export class InFlight {
  readonly #byId = new Map<string, PendingCommit>();
  readonly #countMax: number;
  readonly #bytesMax: number;
  #bytes = 0;

  constructor(countMax: number, bytesMax: number) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  get count(): number {
    return this.#byId.size;
  }

  /** Bytes of the packed transactions. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether one more fits. A single request is let in however large, so that none is refused for ever. */
  hasRoomFor(request: CommitRequest): boolean {
    if (this.#byId.size === 0) return true;
    return this.#byId.size < this.#countMax && this.#bytes + request.transaction.length <= this.#bytesMax;
  }

  get(requestId: string): PendingCommit | undefined {
    return this.#byId.get(requestId);
  }

  add(commit: PendingCommit): void {
    this.#byId.set(commit.request.requestId, commit);
    this.#bytes += commit.request.transaction.length;
  }

  remove(commit: PendingCommit): void {
    if (this.#byId.delete(commit.request.requestId)) this.#bytes -= commit.request.transaction.length;
  }

  values(): IterableIterator<PendingCommit> {
    return this.#byId.values();
  }
}
