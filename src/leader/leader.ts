import { randomBytes } from 'node:crypto';
import type { Decider } from '../core/decider.js';
import { preconditionCountOf, requestIdHashOf } from '../core/packed-transaction.js';
import type { RecordBatch } from '../core/record-batch.js';
import type { Log } from '../log/log.js';
import type {
  CommitAnswer,
  CommitOutcome,
  CommitPort,
  CommitRequest,
  Refusal,
  RequestStatus,
} from './commit.js';
import { Fences } from './fences.js';
import { AnswerBox, InFlight, PendingCommit } from './in-flight.js';
import { RecentRequestIds } from './recent-request-ids.js';
import { Term } from './term.js';

/** Packed transactions are decided in slices of about this many bytes, so that Wasm memory stays small. */
const SLICE_BYTES = 1 << 20;
const RETRY_MS_MIN = 50;
const RETRY_MS_MAX = 1000;

export interface LeaderOptions {
  /** Bounds on commits without an answer. */
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
  /** IDs of at least this many newest transactions are checked for reuse in memory. */
  readonly requestIdWindowVersions: number;
  /** IDs fenced by status lookups in one term; a new term starts when they run out. */
  readonly maxFences: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly newLeaderId?: () => string;
  readonly delay?: (ms: number) => Promise<void>;
}

/** Told of what the leader does, synchronously and in order. */
export interface LeaderObserver {
  termStarted(leaderId: string, durableVersion: number): void;
  /** New records were accepted; they are queued for the log, not durable yet. */
  accepted(batch: RecordBatch, leaderId: string): void;
  durable(version: number, leaderId: string): void;
  /** What was accepted and is not durable will never be. `error` is absent when the end was wanted. */
  termEnded(leaderId: string, error?: Error): void;
  /** A new term could not start yet; it is tried again after `retryMs`. */
  termDelayed(error: unknown, retryMs: number): void;
  answered(outcome: CommitOutcome): void;
  /** One write and sync of the log. */
  synced(records: number, bytes: number, seconds: number): void;
}

/** 22 characters of base64url. */
const randomLeaderId = (): string => randomBytes(16).toString('base64url');

const refused = (refusal: Refusal): CommitOutcome => ({ kind: 'refused', refusal });
const UNAVAILABLE = refused({ kind: 'unavailable' });
const OVERLOADED = refused({ kind: 'overloaded' });
const REUSED = refused({ kind: 'request-id-reused' });
const OUTCOME_UNKNOWN = refused({ kind: 'outcome-unknown' });

/**
 * Decides every commit, one at a time, and owns the versions.
 *
 * Invariants: versions are assigned only here, in log order; nothing is answered `committed` before the log
 * reports it durable; after a failed write or sync nothing more of that term is acknowledged.
 */
export class Leader {
  readonly #log: Log;
  readonly #decider: Decider;
  readonly #observer: LeaderObserver;
  readonly #options: LeaderOptions;
  readonly #now: () => number;
  readonly #newLeaderId: () => string;
  readonly #delay: (ms: number) => Promise<void>;
  readonly #inFlight: InFlight;
  #fences: Fences;
  #recentIds: RecentRequestIds | undefined;
  #term: Term | undefined;
  /** False while a term is being drained: what is in flight is answered, nothing new is taken. */
  #open = false;
  #stopped = false;
  #drained: (() => void) | undefined;
  /** Settles when no term is being opened. */
  #opening: Promise<void> = Promise.resolve();

  constructor(log: Log, decider: Decider, observer: LeaderObserver, options: LeaderOptions) {
    this.#log = log;
    this.#decider = decider;
    this.#observer = observer;
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#newLeaderId = options.newLeaderId ?? randomLeaderId;
    this.#delay = options.delay ?? ((ms) => new Promise((resolve) => setTimeout(resolve, ms)));
    this.#inFlight = new InFlight(options.maxInFlight, options.maxInFlightBytes);
    this.#fences = new Fences(options.maxFences);
  }

  get inFlightCount(): number {
    return this.#inFlight.count;
  }

  get inFlightBytes(): number {
    return this.#inFlight.bytes;
  }

  get fenceCount(): number {
    return this.#fences.size;
  }

  get recentIdBytes(): number {
    return this.#recentIds?.bytes ?? 0;
  }

  get acceptedVersion(): number {
    return this.#term?.acceptedVersion ?? 0;
  }

  /** Whether commits are taken now. */
  get available(): boolean {
    return this.#term !== undefined && this.#open;
  }

  /** The latest durable version and its leader; undefined while no term is open. */
  get latest(): { readonly version: number; readonly leaderId: string } | undefined {
    const term = this.#term;
    return term && { version: term.durableVersion, leaderId: term.leaderId };
  }

  /** Opens the first term. @throws LogError when the log does not take writes. */
  async start(): Promise<void> {
    this.#log.observe({
      durable: (version) => this.#onDurable(version),
      failed: (error) => this.#onLogFailed(error),
      synced: (records, bytes, seconds) => this.#observer.synced(records, bytes, seconds),
    });
    await this.#startTerm();
    this.#recentIds = await this.#loadRecentIds();
    this.#open = true;
  }

  /** Takes no new commits, answers those in flight, and ends the term. The log stays open. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#drain();
    // A term that is being opened at this moment is ended as well.
    await this.#opening;
    this.#endTerm();
  }

  /** @param answer receives the answers of this port's requests, several at a time. */
  openPort(answer: (answers: readonly CommitAnswer[]) => void): CommitPort {
    const answers = new AnswerBox((batch) => {
      for (const { outcome } of batch) this.#observer.answered(outcome);
      answer(batch);
    });
    return {
      submit: (requests) => {
        const commits = requests.map((request) => new PendingCommit(request, answers));
        this.#accept(commits.filter((commit) => this.#admit(commit)));
        answers.flush();
      },
    };
  }

  /**
   * What became of the commit with this ID (specification 4.3). Waits while it is in
   * flight. After any answer but `committed` and `unavailable`, no commit with this ID succeeds any more.
   */
  async statusOf(requestId: string, minVersion: number): Promise<RequestStatus> {
    for (;;) {
      const outcome = await this.#inFlight.get(requestId)?.settled();
      if (outcome?.kind === 'committed') {
        return { status: 'committed', version: outcome.version, leaderId: outcome.leaderId };
      }
      // A commit with the same ID may have arrived while this one waited.
      if (this.#inFlight.get(requestId) !== undefined) continue;

      const term = this.#term;
      if (term === undefined || !this.#open) return { status: 'unavailable' };
      if (!this.#fences.has(requestId) && this.#fences.full) {
        this.#replaceTerm();
        return { status: 'unavailable' };
      }
      const found = await this.#findFenced(requestId, minVersion);
      if (found !== undefined) return { status: 'committed', ...found };
      // Fences end with their term: an answer needs one in the term that is open now.
      if (this.#term !== term) continue;
      return { status: this.#log.truncatedThrough > minVersion ? 'log_truncated' : 'id_not_found' };
    }
  }

  /** Looks the ID up while it is fenced; the fence stays if it was not found. */
  async #findFenced(requestId: string, minVersion: number) {
    const fences = this.#fences;
    fences.beginLookup(requestId);
    let found: Awaited<ReturnType<Log['findRequest']>>;
    try {
      found = await this.#log.findRequest(requestId, minVersion);
    } catch (error) {
      fences.endLookup(requestId, true);
      throw error;
    }
    fences.endLookup(requestId, found !== undefined);
    return found;
  }

  /** Answers what can be answered without deciding; true when the commit is to be decided now. */
  #admit(commit: PendingCommit): boolean {
    const { request, answers } = commit;
    const term = this.#term;
    if (term === undefined || !this.#open) {
      answers.put(request.tag, UNAVAILABLE);
      return false;
    }
    if (request.leaderId !== term.leaderId) {
      answers.put(request.tag, notCommitted(term, allOf(preconditionCountOf(request.transaction))));
      return false;
    }
    if (this.#inFlight.get(request.requestId) !== undefined || this.#fences.has(request.requestId)) {
      answers.put(request.tag, REUSED);
      return false;
    }
    if (!this.#inFlight.hasRoomFor(request)) {
      answers.put(request.tag, OVERLOADED);
      return false;
    }
    this.#inFlight.add(commit);
    const searchFrom = this.#mayBeReusedFrom(request);
    if (searchFrom !== undefined) {
      void this.#confirmNew(commit, term, searchFrom);
      return false;
    }
    return this.#checkVersions(commit, term);
  }

  #checkVersions(commit: PendingCommit, term: Term): boolean {
    if (commit.request.highestVersion <= term.acceptedVersion) return true;
    const { acceptedVersion } = term;
    this.#settle(commit, refused({ kind: 'version-ahead-of-log', acceptedVersion }));
    return false;
  }

  /**
   * The version from which the log has to be searched for an earlier use of the ID; undefined when it was not used.
   * Two hints call for a search: the ID's hash is among the recent ones; or the read version is older than those, and
   * this may be a late repetition of the very same request, which can only have been committed above that version.
   */
  #mayBeReusedFrom(request: CommitRequest): number | undefined {
    const recent = this.#recentIds!;
    const { low, high } = requestIdHashOf(request.transaction);
    if (recent.mayHold(low, high)) return 0;
    return request.readVersion < recent.coveredFrom ? request.readVersion : undefined;
  }

  /** Asks the log for an earlier use of the ID, then goes on where `#admit` left off. */
  async #confirmNew(commit: PendingCommit, term: Term, searchFrom: number): Promise<void> {
    let outcome: CommitOutcome | undefined;
    try {
      const found = await this.#log.findRequest(commit.request.requestId, searchFrom);
      if (found !== undefined) outcome = REUSED;
    } catch {
      // A log that cannot be read here fails its own readers loudly; this commit was not accepted.
      outcome = UNAVAILABLE;
    }
    if (this.#term !== term) outcome ??= UNAVAILABLE;
    // The term may have ended and answered this commit already.
    if (this.#inFlight.get(commit.request.requestId) === commit) {
      if (outcome !== undefined) this.#settle(commit, outcome);
      else if (this.#checkVersions(commit, term)) this.#accept([commit]);
    }
    commit.answers.flush();
    this.#checkDrained();
  }

  /** Decides admitted commits in order, slice by slice. */
  #accept(commits: readonly PendingCommit[]): void {
    let from = 0;
    let bytes = 0;
    commits.forEach((commit, index) => {
      bytes += commit.request.transaction.length;
      if (bytes < SLICE_BYTES && index + 1 < commits.length) return;
      this.#acceptSlice(commits.slice(from, index + 1));
      from = index + 1;
      bytes = 0;
    });
  }

  #acceptSlice(commits: readonly PendingCommit[]): void {
    const term = this.#term!;
    const { conflicts, records } = this.#decider.decide(
      commits.map((commit) => commit.request.transaction),
      {
        firstVersion: term.nextVersion,
        prevVersion: term.acceptedVersion,
        durableVersion: term.durableVersion,
        timestampMs: term.timestampMs(this.#now()),
      },
    );
    commits.forEach((commit, index) => {
      const conflict = conflicts[index];
      if (conflict === undefined) {
        commit.version = term.nextVersion;
        term.acceptedVersion = term.nextVersion;
        term.nextVersion += 1;
        term.settlements.add(commit.version, commit);
      } else if (conflict.settledAt <= term.durableVersion) {
        this.#settle(commit, notCommitted(term, conflict.preconditions));
      } else {
        // A retry at the answered version must be able to succeed, so the writes in the way come first.
        commit.conflicts = conflict.preconditions;
        term.settlements.add(conflict.settledAt, commit);
      }
    });
    if (records === undefined) return;
    this.#observer.accepted(records, term.leaderId);
    this.#log.append(records);
  }

  #settle(commit: PendingCommit, outcome: CommitOutcome): void {
    this.#inFlight.remove(commit);
    commit.settle(outcome);
  }

  #onDurable(version: number): void {
    const term = this.#term;
    if (term === undefined) return;
    term.durableVersion = version;
    const { leaderId } = term;
    const boxes = new Set<AnswerBox>();
    for (const commit of term.settlements.release(version)) {
      boxes.add(commit.answers);
      if (commit.version === undefined) {
        this.#settle(commit, notCommitted(term, commit.conflicts));
        continue;
      }
      const { low, high } = requestIdHashOf(commit.request.transaction);
      this.#recentIds!.add(low, high, commit.version - 1);
      this.#settle(commit, { kind: 'committed', version: commit.version, leaderId });
    }
    this.#observer.durable(version, leaderId);
    for (const box of boxes) box.flush();
    this.#checkDrained();
  }

  #onLogFailed(error: Error): void {
    if (this.#term === undefined) return;
    this.#endTerm(error);
    if (!this.#stopped) this.#opening = this.#reopen();
  }

  /** Ends the term; what is in flight gets the answer that is true of it. */
  #endTerm(error?: Error): void {
    const term = this.#term;
    if (term === undefined) return;
    this.#term = undefined;
    this.#open = false;
    const boxes = new Set<AnswerBox>();
    for (const commit of [...this.#inFlight.values()]) {
      boxes.add(commit.answers);
      this.#settle(commit, commit.version === undefined ? UNAVAILABLE : OUTCOME_UNKNOWN);
    }
    this.#observer.termEnded(term.leaderId, error);
    for (const box of boxes) box.flush();
    this.#checkDrained();
  }

  /** Opens a new term as soon as the log takes writes again. */
  async #reopen(): Promise<void> {
    for (let retryMs = RETRY_MS_MIN; !this.#stopped; retryMs = Math.min(2 * retryMs, RETRY_MS_MAX)) {
      try {
        await this.#startTerm();
        this.#open = !this.#stopped;
        return;
      } catch (error) {
        this.#observer.termDelayed(error, retryMs);
        await this.#delay(retryMs);
      }
    }
  }

  /** Starts over with a fresh `leader_id`, which makes the fences of the term unnecessary. */
  #replaceTerm(): void {
    this.#open = false;
    this.#opening = this.#drain().then(() => {
      if (this.#term === undefined || this.#stopped) return;
      this.#endTerm();
      return this.#reopen();
    });
  }

  async #startTerm(): Promise<void> {
    const leaderId = this.#newLeaderId();
    const start = await this.#log.startTerm({
      leaderId,
      maxInFlight: this.#options.maxInFlight,
      nowMs: this.#now(),
    });
    this.#decider.reset(start.lastVersion);
    this.#fences = new Fences(this.#options.maxFences);
    this.#term = new Term(leaderId, start);
    this.#observer.termStarted(leaderId, start.lastVersion);
  }

  /** Closes the door and resolves when nothing is in flight. */
  #drain(): Promise<void> {
    this.#open = false;
    return new Promise((resolve) => {
      const before = this.#drained;
      this.#drained = () => {
        before?.();
        resolve();
      };
      this.#checkDrained();
    });
  }

  #checkDrained(): void {
    if (this.#open || this.#inFlight.count > 0) return;
    const drained = this.#drained;
    this.#drained = undefined;
    drained?.();
  }

  async #loadRecentIds(): Promise<RecentRequestIds> {
    let recent: RecentRequestIds | undefined;
    for await (const { hashes, afterVersion, lastVersion } of this.#log.recentRequestIds(
      this.#options.requestIdWindowVersions,
    )) {
      recent ??= new RecentRequestIds(this.#options.requestIdWindowVersions, afterVersion);
      for (let lane = 0; lane < hashes.length; lane += 2) {
        // In no particular order: only what comes behind the whole segment is sure to follow.
        recent.add(hashes[lane]!, hashes[lane + 1]!, lastVersion);
      }
    }
    return recent ?? new RecentRequestIds(this.#options.requestIdWindowVersions, this.#log.truncatedThrough);
  }
}

function notCommitted(term: Term, conflicts: readonly number[]): CommitOutcome {
  return { kind: 'not-committed', conflicts, version: term.durableVersion, leaderId: term.leaderId };
}

const allOf = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);
