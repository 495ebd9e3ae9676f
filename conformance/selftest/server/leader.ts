import { randomUUID } from 'node:crypto';
import type { Behaviour } from './behaviour.js';
import { applyAll } from './changes.js';
import type { CommitAnswer } from './commit-answer.js';
import { ConflictHistory } from './conflict-history.js';
import type { Disk } from './disk.js';
import { effectOf } from './effect.js';
import type { Feed } from './feed.js';
import type { GroupCommit } from './group-commit.js';
import type { KeyOrder } from './key-order.js';
import type { KeySpace } from './key-space.js';
import { PreconditionCheck } from './precondition-check.js';
import type { CommitRequest, LogRecord, Precondition } from './record.js';
import { Refusal } from './refusal.js';
import type { RequestIds } from './request-ids.js';
import type { Timers } from './timers.js';
import { Versions } from './versions.js';

/** What a leader works with. */
export interface LeaderParts {
  readonly behaviour: Behaviour;
  readonly order: KeyOrder;
  readonly disk: Disk;
  readonly timers: Timers;
  readonly groupCommit: GroupCommit;
  readonly requestIds: RequestIds;
  readonly feed: Feed;
  /** The keys as everything accepted leaves them. */
  readonly keys: KeySpace;
}

/** By how many transactions a snapshot is behind. */
/** By how many transactions a snapshot is behind. */
const SNAPSHOT_LAG = 4;

/** Decides on commits, one at a time, for one term. */
export class Leader {
  readonly id: string;
  readonly #parts: LeaderParts;
  readonly #behaviour: Behaviour;
  readonly #versions: Versions;
  readonly #check: PreconditionCheck;
  readonly #history: ConflictHistory;
  /** The version that was durable when the term began. */
  readonly durableAtStart: bigint;
  /** The version of the first transaction of the term. */
  readonly firstVersion: bigint;
  #lastAccepted: bigint;
  #earlier: LogRecord | undefined;

  constructor(parts: LeaderParts) {
    const { behaviour, order, disk } = parts;
    this.#parts = parts;
    this.#behaviour = behaviour;
    this.id = this.#ownId(disk);
    disk.leaders.push(this.id);
    this.#versions = new Versions(behaviour, disk);
    this.#check = new PreconditionCheck(behaviour);
    this.#history = new ConflictHistory(behaviour, order, disk.durable);
    this.durableAtStart = disk.durable;
    this.firstVersion = disk.reservedThrough + 1n;
    this.#lastAccepted = disk.durable;
  }

  /** The version of the newest transaction, durable or not. */
  get lastAccepted(): bigint {
    return this.#lastAccepted;
  }

  /** @throws Refusal */
  async commit(request: CommitRequest): Promise<CommitAnswer> {
    if (!this.#leads(request)) return this.#rejected(request, this.#leaderConflicts(request));
    const repeated = await this.#answerOfBefore(request);
    if (repeated !== undefined) return repeated;
    this.#refuseSpentId(request);
    if (this.#behaviour.has('pause-after-reuse-check')) await this.#parts.timers.pause(1);
    const ahead = this.#aheadOfLog(request);
    if (ahead.length > 0) return this.#rejected(request, ahead);
    if (this.#behaviour.has('accepted-streamed-before-checked'))
      this.#parts.feed.accepted(this.#record(request));
    if (this.#behaviour.has('own-writes-recorded-before-check')) this.#recordRejected(request);
    const broken = this.#check.broken(request, this.#history, this.#lastAccepted);
    if (broken.length > 0) {
      if (this.#behaviour.has('rejected-writes-recorded')) this.#recordRejected(request);
      if (this.#behaviour.has('rejected-transaction-logged')) this.#accept(request);
      if (this.#behaviour.has('rejected-request-id-indexed'))
        this.#parts.requestIds.committed(this.#record(request));
      return this.#rejected(request, broken);
    }
    if (this.#behaviour.has('pause-after-precondition-check')) await this.#parts.timers.pause(1);
    return this.#committed(request);
  }

  /** Takes a transaction into the log without a check, as a faulty server does. */
  acceptUnchecked(request: CommitRequest): void {
    this.#accept(request);
  }

  #ownId({ leaders }: Disk): string {
    const term = leaders.length + 1;
    return this.#behaviour.pick(() => randomUUID(), {
      'leader-is-a-number': () => `${Date.now() + term}`,
      'leader-named-after-node': () => `node-${term % 2}`,
      'unusual-leader-ids': () => `term ${term}/"ü=&+%41" ${randomUUID().repeat(8)}`,
      'history-lost-at-restart': () => leaders[0] ?? randomUUID(),
    })();
  }

  #leads({ leaderId, preconditions, operations }: CommitRequest): boolean {
    return this.#behaviour.pick(() => leaderId === this.id, {
      'leader-id-optional': () => leaderId === this.id || leaderId === '',
      'leader-unchecked': () => true,
      'leader-unchecked-without-preconditions': () => leaderId === this.id || preconditions.length === 0,
      'leader-unchecked-for-deletes': () =>
        leaderId === this.id || operations.every(({ type }) => type !== 'write'),
      'leader-unchecked-without-operations': () => leaderId === this.id || operations.length === 0,
      'leader-trimmed': () => leaderId.trim() === this.id,
      'leader-compared-without-case': () => leaderId.toLowerCase() === this.id.toLowerCase(),
      'leader-compared-by-prefix': () => this.id.startsWith(leaderId),
      'leaders-of-before-accepted': () => this.#parts.disk.leaders.includes(leaderId),
    })();
  }

  #leaderConflicts({ preconditions }: CommitRequest): readonly Precondition[] {
    return this.#behaviour.has('leader-changes') ? [] : preconditions;
  }

  /** What is answered to a request_id that was used before, where that is answered and not refused. */
  async #answerOfBefore({ requestId }: CommitRequest): Promise<CommitAnswer | undefined> {
    if (requestId === undefined || !this.#behaviour.has('reused-request-id-answered-again')) return undefined;
    const { requestIds } = this.#parts;
    await requestIds.inFlight(requestId)?.durable;
    const record = requestIds.find(requestId);
    if (record === undefined || record.leaderId !== this.id) return undefined;
    return {
      status: 'committed',
      version: record.version,
      leaderId: this.id,
      requestId,
      generatedId: undefined,
    };
  }

  #refuseSpentId({ requestId }: CommitRequest): void {
    if (requestId !== undefined && this.#parts.requestIds.isSpent(requestId))
      throw new Refusal('request-id-reused', 'this request_id was used before');
  }

  /** The preconditions at versions that are not there yet, for a server that rejects them. @throws Refusal */
  #aheadOfLog({ readVersion, preconditions }: CommitRequest): readonly Precondition[] {
    if (this.#behaviour.has('future-versions-accepted')) return [];
    const isAhead = (version: bigint): boolean => version > this.#lastAccepted;
    const ahead = preconditions.filter(({ version }) => isAhead(version ?? readVersion));
    if (this.#behaviour.has('version-ahead-of-log-not-committed')) return ahead;
    if (ahead.length > 0 || isAhead(readVersion))
      throw new Refusal('version-ahead-of-log', 'the log has not reached this version');
    return [];
  }

  /** The transaction as the log will have it, at the next version. */
  #record(request: CommitRequest, version = this.#lastAccepted + 1n): LogRecord {
    return {
      requestId: request.requestId ?? this.#generatedId(),
      version,
      prevVersion: this.#lastAccepted,
      timestamp: new Date(),
      leaderId: this.id,
      operations: request.operations,
    };
  }

  #generatedId(): string {
    return this.#behaviour.pick((): string => randomUUID(), {
      'generated-request-id-always-the-same': () => '00000000-0000-0000-0000-000000000000',
      'generated-request-id-no-uuid': () => `req-${this.#lastAccepted}`,
      'generated-request-id-empty': () => '',
    })();
  }

  /** Puts a transaction into the log; it is durable a little later. */
  #accept(request: CommitRequest, version = this.#versions.next()): LogRecord {
    const { behaviour, keys, groupCommit, requestIds, feed } = this.#parts;
    const full = this.#record(request, version);
    const record = { ...full, operations: effectOf(full.operations, keys, behaviour) };
    const changes = applyAll(request.operations, keys, behaviour);
    this.#lastAccepted = version;
    groupCommit.add(record);
    const durable = groupCommit.settled();
    requestIds.begin(record, durable);
    if (this.#behaviour.has('conflicts-within-a-batch-unchecked'))
      void durable.then(() => this.#history.record(version, changes));
    else this.#history.record(version, changes);
    feed.accepted(record);
    return record;
  }

  async #committed(request: CommitRequest): Promise<CommitAnswer> {
    const record = this.#behaviour.has('pause-after-version-choice')
      ? await this.#acceptAfterPause(request)
      : this.#accept(request);
    if (this.#behaviour.has('batch-retried-after-timeout') && record.version % 16n === 0n)
      this.#accept({ ...request, requestId: record.requestId });
    const before = this.#earlier;
    this.#earlier = record;
    if (!this.#behaviour.has('answered-before-durable')) await this.#parts.groupCommit.settled();
    const echoed =
      before !== undefined && this.#behaviour.has('answer-echoes-request-id-of-the-one-before')
        ? before.requestId
        : request.requestId;
    return {
      status: 'committed',
      version: this.#behaviour.has('answer-version-is-the-latest') ? this.#lastAccepted : record.version,
      leaderId: this.id,
      requestId: echoed,
      generatedId: request.requestId === undefined ? record.requestId : undefined,
    };
  }

  async #acceptAfterPause(request: CommitRequest): Promise<LogRecord> {
    const version = this.#lastAccepted + 1n;
    await this.#parts.timers.pause(1);
    return this.#accept(request, version);
  }

  /** Records what a rejected transaction would have changed, as if it had happened. */
  #recordRejected({ operations }: CommitRequest): void {
    const changes = applyAll(operations, this.#parts.keys.copy(), this.#behaviour);
    this.#history.record(this.#lastAccepted + 1n, changes);
  }

  /** A retry with the version that is answered must be able to succeed: what caused the conflict is durable by then. */
  async #rejected(request: CommitRequest, conflicts: readonly Precondition[]): Promise<CommitAnswer> {
    const { disk, groupCommit } = this.#parts;
    const before = disk.records.at(-SNAPSHOT_LAG)?.version ?? disk.emptyVersion;
    if (!this.#behaviour.has('rejected-without-waiting')) await groupCommit.settled();
    return {
      status: 'not_committed',
      conflicts,
      version: this.#behaviour.pick(disk.durable, {
        'retry-version-is-the-read-version': request.readVersion,
        'retry-version-is-of-a-snapshot': before,
        'retry-version-is-the-next': this.#lastAccepted + 1n,
      }),
      leaderId: this.#behaviour.has('answer-repeats-leader-of-request') ? request.leaderId : this.id,
      requestId: this.#behaviour.has('rejection-without-request-id') ? undefined : request.requestId,
    };
  }
}
