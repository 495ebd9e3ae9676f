import type { CommitAnswer, StatusAnswer } from '../api/answers.js';
import type { KeySpace } from '../model/key-space.js';
import { SpaceModel } from '../model/space-model.js';
import {
  type Operation,
  type Precondition,
  pointRead,
  rangeRead,
  remove,
  removeRange,
  showPrecondition,
  type Transaction,
  write,
} from '../model/transaction.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { allOf } from '../tests/all-of.js';
import { isGone, LogFollower } from '../tests/log-follower.js';
import { Policies } from '../tests/policies.js';
import { untilRecorded } from '../tests/until-recorded.js';
import { show } from '../wire/bytes.js';
import { PolicyModel } from './interface-policies.js';
import type { Action, Back, CommitAction, Step } from './interface-steps.js';

type Named = Transaction & { readonly requestId: string };

/** A commit of the case, and what is known of it. */
interface Sent {
  readonly transaction: Named;
  /** The newest version that was known when it was first sent. */
  readonly minVersion: bigint;
  readonly step: number;
  /** `rejected` where it was answered so; it may have been sent more than once. */
  outcome: { readonly version: bigint; readonly leaderId: string } | 'rejected' | 'unknown' | undefined;
  /** Its status was asked for: then it may be refused. */
  isAsked: boolean;
  /** A status has said that it is not found, from `minVersion` or below. */
  notFound: boolean;
}

/** An ID that was asked for before anything was sent with it, and the leader who was asked. */
interface Asked {
  readonly requestId: string;
  readonly leaderId: string;
}

const FILLER = 8;

const fromNewest = <T>(items: readonly T[], back: Back): T | undefined =>
  items[Math.max(0, items.length - 1 - back)];

/** Plays one case against the server, and compares every answer with what is known. */
export class InterfacePlay {
  readonly #t: TestContext;
  readonly #space: KeySpace;
  readonly #policies: PolicyModel;
  readonly #sent: Sent[] = [];
  readonly #asked: Asked[] = [];
  /** Versions that are known to be committed, in order. */
  readonly #versions: bigint[];
  readonly #start: bigint;
  readonly #tail: LogFollower;
  /** From where on the log was read, and in which step. */
  readonly #proofs: { readonly version: bigint; readonly step: number }[] = [];
  #leaderId: string;
  #step = 0;
  /** The log of the run was seen to be truncated. */
  #isTruncated: boolean;
  /** Request IDs may be truncated: a server cannot tell any more then which were used. */
  #idsMayBeGone: boolean;
  /** The step under way truncates the log. */
  #truncates = false;

  private constructor(t: TestContext, space: KeySpace, start: bigint, isTruncated: boolean) {
    this.#t = t;
    this.#space = space;
    this.#policies = new PolicyModel(t, new Policies(t));
    this.#start = start;
    this.#versions = [start];
    this.#tail = new LogFollower(t, { after: start });
    this.#leaderId = t.leaderId;
    this.#isTruncated = isTruncated;
    this.#idsMayBeGone = isTruncated || t.hooks.truncationKeeps !== undefined;
  }

  static async run(t: TestContext, all: readonly Step[]): Promise<void> {
    const space = t.space();
    await t.now();
    const start = await t.write([write(space.key('k0'), 'start'), write(space.key('k2'), 'start')], space);
    const play = new InterfacePlay(t, space, start.version, await isGone(t, t.run.startVersion));
    try {
      const refused = await play.#tail.connect();
      t.check(
        'STREAM-AFTER-HELD',
        refused === undefined || (await play.#mayBeTruncated()),
        `after=${start.version} is answered with ${refused}`,
      );
      for (const step of all) await play.#take(step);
      await play.#compareWithLog(start.transaction);
    } finally {
      await play.#policies.removeAll();
    }
  }

  async #take(step: Step): Promise<void> {
    this.#step += 1;
    this.#policies.beginStep(
      this.#step,
      step.flatMap((one) => this.#policyChange(one)),
    );
    this.#truncates = step.some(({ kind }) => kind === 'truncate');
    this.#idsMayBeGone ||= this.#truncates;
    // Commits are known before anything is sent, so that others can ask for them at the same time.
    const commits = new Map(
      step.flatMap((one) => (one.kind === 'commit' ? [[one, this.#prepare(one)] as const] : [])),
    );
    await allOf(step.map((one) => this.#act(one, commits)));
    this.#policies.endStep();
    for (const { outcome } of this.#sent) if (typeof outcome === 'object') this.#learn(outcome.version);
    // After a change of leader, and after silence, a client asks where it is.
    if ([...commits.values()].some(({ outcome }) => outcome === 'unknown' || outcome === 'rejected'))
      this.#leaderId = (await this.#t.now()).leaderId;
  }

  #versionAt(back: Back): bigint {
    return fromNewest(this.#versions, back)!;
  }

  #policyChange(one: Action): (readonly [number, bigint | undefined])[] {
    if (one.kind === 'set policy') return [[one.policy, this.#versionAt(one.back)]];
    return one.kind === 'delete policy' ? [[one.policy, undefined]] : [];
  }

  #act(one: Action, commits: ReadonlyMap<CommitAction, Sent>): Promise<void> {
    switch (one.kind) {
      case 'commit':
        return this.#send(one, commits.get(one)!);
      case 'status': {
        const together = [...commits.values()];
        const known = one.of === 'a commit' ? this.#sent.filter(({ step }) => step < this.#step) : together;
        const sent = one.of === 'nothing that was sent' ? undefined : fromNewest(known, one.back);
        return sent === undefined ? this.#statusOfNothing(one.from) : this.#status(sent, one.from);
      }
      case 'version':
        return this.#t.now().then(() => undefined);
      case 'read':
        return this.#read(this.#versionAt(one.back), one.durable, one.inTwoParts);
      case 'set policy':
        return this.#policies.set(one.policy, this.#versionAt(one.back), () => this.#mayBeTruncated());
      case 'delete policy':
        return this.#policies.delete(one.policy);
      case 'get policy':
        return this.#policies.get(one.policy);
      case 'list policies':
        return this.#policies.list();
      case 'truncate':
        return this.#truncate();
    }
  }

  #learn(version: bigint): void {
    if (this.#versions.includes(version)) return;
    this.#versions.push(version);
    this.#versions.sort((a, b) => (a < b ? -1 : 1));
  }

  get #newest(): bigint {
    return this.#versions.at(-1)!;
  }

  async #mayBeTruncated(): Promise<boolean> {
    this.#isTruncated ||= await isGone(this.#t, this.#t.run.startVersion);
    return this.#isTruncated;
  }

  #key(index: number): string {
    return this.#space.key(`k${index}`);
  }

  #prepare(one: CommitAction): Sent {
    // Where request IDs may be truncated, a server cannot tell any more which were used.
    const before =
      one.request === 'sent before' && !this.#idsMayBeGone ? fromNewest(this.#sent, one.back) : undefined;
    if (before !== undefined) {
      // What was rejected may commit when it is sent again.
      if (before.outcome === 'rejected') before.outcome = 'unknown';
      return before;
    }
    const asked = one.request === 'asked for' ? this.#asked.shift() : undefined;
    const reads: Precondition[] = [];
    if (one.reads === 'its key') reads.push(pointRead(this.#key(one.key)));
    if (one.reads === 'all keys') reads.push(rangeRead(this.#space.key('k'), this.#space.key('l')));
    const value = `${this.#step} ${this.#sent.length}`;
    const operation: Operation =
      one.change === 'write'
        ? write(this.#key(one.key), value)
        : one.change === 'delete'
          ? remove(this.#key(one.key))
          : removeRange(this.#key(one.key), this.#space.key('l'));
    const sent: Sent = {
      transaction: {
        requestId: asked?.requestId ?? this.#t.requestId(),
        leaderId: asked?.leaderId ?? this.#leaderId,
        readVersion: this.#versionAt(one.back),
        preconditions: reads,
        operations: [operation],
      },
      minVersion: this.#t.committed,
      step: this.#step,
      outcome: undefined,
      isAsked: asked !== undefined,
      notFound: asked !== undefined,
    };
    this.#sent.push(sent);
    return sent;
  }

  async #send(one: CommitAction, sent: Sent): Promise<void> {
    const isTwice = one.request === 'sent twice' && !this.#truncates;
    await allOf([this.#commit(sent), ...(isTwice ? [this.#commit(sent)] : [])]);
  }

  async #commit(sent: Sent): Promise<void> {
    const { transaction } = sent;
    const answer = await this.#t.api.commit(transaction, this.#space.name);
    if (answer.kind === 'committed') {
      const { outcome } = sent;
      if (typeof outcome === 'object')
        this.#t.check(
          'COMMIT-REQUEST-ID-REUSED',
          outcome.version === answer.version,
          `${transaction.requestId} committed at ${outcome.version} and again at ${answer.version}`,
        );
      this.#t.check(
        'STATUS-LATE-ARRIVAL',
        !sent.notFound,
        `the status of ${transaction.requestId} was answered as not found, and then it committed at ${answer.version}`,
      );
      sent.outcome = { version: answer.version, leaderId: answer.leaderId };
      return;
    }
    // The same request may have been sent before, or may be under way a second time.
    if (typeof sent.outcome === 'object' || sent.outcome === 'unknown') return;
    sent.outcome = await this.#outcomeOf(answer, sent);
  }

  async #outcomeOf(
    answer: Exclude<CommitAnswer, { kind: 'committed' }>,
    sent: Sent,
  ): Promise<'rejected' | 'unknown'> {
    const isFirst = this.#t.run.shared.ledger.byRequestId(sent.transaction.requestId).length === 1;
    if (answer.kind === 'unavailable' || !isFirst) return 'unknown';
    this.#t.check(
      'COMMIT-WRITE',
      answer.kind !== 'refused' || sent.isAsked || answer.httpStatus === 413,
      () => `a well-formed commit was refused with ${answer.httpStatus}`,
    );
    return 'rejected';
  }

  #minVersion(sent: Sent, from: Extract<Action, { kind: 'status' }>['from']): bigint {
    if (from === '0') return 0n;
    if (from === 'the newest version') return this.#newest;
    if (from === 'its version' && typeof sent.outcome === 'object') return sent.outcome.version;
    return sent.minVersion;
  }

  async #status(sent: Sent, from: Extract<Action, { kind: 'status' }>['from']): Promise<void> {
    const { requestId } = sent.transaction;
    const minVersion = this.#minVersion(sent, from);
    const before = sent.outcome;
    sent.isAsked = true;
    const answer = await this.#t.api.status(requestId, minVersion);
    if (answer.kind === 'committed') return this.#isCommitted(sent, answer);
    const isFromBelow =
      typeof before === 'object' ? minVersion < before.version : minVersion <= sent.minVersion;
    if (answer.kind === 'log_truncated') {
      this.#t.check(
        typeof before === 'object' ? 'STATUS-COMMITTED' : 'STATUS-NOT-FOUND',
        await isGone(this.#t, minVersion),
        `the status of ${requestId} from ${minVersion} is log_truncated, and the log is held from there`,
      );
      return;
    }
    const isFromIt =
      typeof before === 'object' && minVersion === before.version && !(await this.#mayBeTruncated());
    this.#t.check(
      isFromIt ? 'STATUS-MIN-VERSION' : 'STATUS-COMMITTED',
      typeof before !== 'object' || !(isFromBelow || isFromIt),
      () =>
        `${requestId} committed at ${(before as { version: bigint }).version}, and its status from ${minVersion} is id_not_found`,
    );
    if (!isFromBelow) return;
    // It was under way when it was asked for: then its outcome is final.
    this.#t.check(
      'STATUS-NOT-IN-FLIGHT',
      typeof sent.outcome !== 'object',
      `the status of ${requestId} was answered with id_not_found while it was under way, and it committed`,
    );
    sent.notFound = true;
  }

  #isCommitted(sent: Sent, { version, leaderId }: Extract<StatusAnswer, { kind: 'committed' }>): void {
    const { outcome, notFound, transaction } = sent;
    const { requestId } = transaction;
    this.#t.check(
      'STATUS-LATE-ARRIVAL',
      !notFound,
      `the status of ${requestId} was id_not_found, and then committed`,
    );
    this.#t.check(
      'STATUS-NOT-FOUND',
      outcome !== 'rejected',
      `${requestId} was rejected, and its status is committed`,
    );
    if (typeof outcome === 'object') {
      this.#t.check(
        'STATUS-COMMITTED',
        outcome.version === version,
        `${requestId} committed at ${outcome.version}, and its status says ${version}`,
      );
      this.#t.check(
        'STATUS-COMMITTED-LEADER',
        outcome.leaderId === leaderId,
        `${requestId} was committed by ${outcome.leaderId}, and its status says ${leaderId}`,
      );
    }
    sent.outcome = { version, leaderId };
  }

  async #statusOfNothing(from: Extract<Action, { kind: 'status' }>['from']): Promise<void> {
    const requestId = this.#t.requestId();
    const leaderId = this.#leaderId;
    const minVersion = from === '0' ? 0n : from === 'the newest version' ? this.#t.committed : this.#newest;
    const { kind } = await this.#t.api.status(requestId, minVersion);
    this.#t.check(
      'STATUS-NOT-FOUND',
      kind === 'id_not_found' || (kind === 'log_truncated' && (await isGone(this.#t, minVersion))),
      `a request that was never sent is ${kind} from ${minVersion}`,
    );
    this.#asked.push({ requestId, leaderId });
  }

  async #read(after: bigint, durable: boolean, inTwoParts: boolean): Promise<void> {
    const t = this.#t;
    const known = this.#sent.filter(({ outcome }) => typeof outcome === 'object');
    const newest = this.#newest;
    const reader = new LogFollower(t, { after, durable });
    let ending: 'reached' | 'truncated' = 'reached';
    if (inTwoParts) {
      const above = this.#versions.filter((version) => version > after);
      const middle = above[above.length >> 1];
      if (middle !== undefined) ending = await reader.readTo(middle, 'STREAM-COMPLETE');
      reader.close();
    }
    if (ending === 'reached') ending = await reader.readTo(newest, 'STREAM-COMPLETE');
    const { position } = reader;
    reader.close();
    if (ending === 'truncated') return this.#judgeTruncated(position);
    if (after < newest) this.#proofs.push({ version: after, step: this.#step });
    const shown = new Map(reader.events.map(({ version, requestId }) => [version, requestId]));
    for (const { outcome, transaction } of known) {
      if (typeof outcome !== 'object' || outcome.version <= after || outcome.version > newest) continue;
      t.check(
        'STREAM-COMPLETE',
        shown.get(outcome.version) === transaction.requestId,
        () =>
          `${transaction.requestId} committed at ${outcome.version}; a stream after=${after} shows ${shown.get(outcome.version) ?? 'nothing'} there`,
      );
    }
  }

  /** `after` was answered with 410. */
  async #judgeTruncated(after: bigint): Promise<void> {
    this.#t.check(
      'STREAM-AFTER-HELD',
      await this.#mayBeTruncated(),
      `after=${after} is answered with 410, although the log is held from further below`,
    );
    for (const { version, step } of this.#proofs) {
      const held = version <= after ? this.#policies.heldSince(step, version) : undefined;
      this.#t.check(
        'RETENTION-HONOURED',
        held === undefined,
        `after=${after} is answered with 410; a policy holds the log from ${held}, and after=${version} got a stream since it was set`,
      );
    }
  }

  async #truncate(): Promise<void> {
    const { truncate } = this.#t.hooks;
    let last = 0n;
    for (let index = 0; index < FILLER; index += 1) {
      const filler = await this.#t.write(
        [write(this.#space.key('filler'), `${this.#step} ${index}`)],
        this.#space,
      );
      last = filler.version;
    }
    await untilRecorded(this.#t, last);
    await truncate?.();
  }

  /** At the end every commit is in the log, or is not, as was answered; and what committed had preconditions that held. */
  async #compareWithLog(first: Transaction): Promise<void> {
    const t = this.#t;
    const end = await t.write([write(this.#space.key('end'), 'end')], this.#space);
    if ((await this.#tail.readTo(end.version, 'STREAM-COMPLETE')) === 'truncated') return;
    const versionOf = new Map(this.#tail.events.map(({ requestId, version }) => [requestId, version]));
    const committed = [{ version: this.#start, transaction: first }];
    for (const { transaction, outcome, notFound } of this.#sent) {
      const { requestId } = transaction;
      const version = versionOf.get(requestId);
      if (typeof outcome === 'object')
        t.check(
          'STREAM-COMPLETE',
          version === outcome.version,
          `${requestId} committed at ${outcome.version}, and the log has it ${version === undefined ? 'nowhere' : `at ${version}`}`,
        );
      t.check(
        'COMMIT-REJECTED-NO-EFFECT',
        outcome !== 'rejected' || version === undefined,
        `${requestId} was rejected, and the log has it at ${version}`,
      );
      t.check(
        'STATUS-NOT-IN-FLIGHT',
        !notFound || version === undefined,
        `the status of ${requestId} was id_not_found, and the log has it at ${version}`,
      );
      if (version !== undefined) committed.push({ version, transaction });
    }
    replay(committed);
  }
}

/** @throws Violation where a transaction committed although one of its preconditions did not hold */
function replay(committed: { readonly version: bigint; readonly transaction: Transaction }[]): void {
  const model = new SpaceModel();
  for (const { version, transaction } of committed.sort((a, b) => (a.version < b.version ? -1 : 1))) {
    const missed = model.missed(transaction.preconditions ?? [], transaction.readVersion);
    if (missed !== undefined)
      throw new Violation(
        'LOG-SERIALIZABLE',
        `version ${version} committed although ${show(missed.key)} had changed at version ${missed.version}: ${showPrecondition(missed.precondition, transaction.readVersion)} did not hold`,
      );
    model.apply(version, transaction.operations);
  }
}
