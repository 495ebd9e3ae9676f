import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitAnswer, Committed } from '../api/answers.js';
import { Api, type Shared } from '../api/api.js';
import { requirement } from '../catalogue/catalogue.js';
import { KeySpace } from '../model/key-space.js';
import type { Operation, Transaction } from '../model/transaction.js';
import { showTransaction } from '../model/transaction.js';
import type { Bytes } from '../wire/bytes.js';
import { Transcript } from '../wire/transcript.js';
import type { Hooks, RunOptions } from './options.js';
import { Random } from './random.js';
import type { Recorder } from './recorder.js';
import type { Failure } from './result.js';
import type { Test } from './test.js';
import { Incomplete, Skip, Violation } from './violation.js';

/** Where a client stands: whom it takes for the leader, and at which version it reads. */
export interface Basis {
  readonly leaderId: string;
  readonly version: bigint;
}

/** A transaction for a client that stands at `basis`: leader and read_version are those of the basis. */
export type Build = (basis: Basis) => Pick<Transaction, 'operations'> & Partial<Transaction>;

/** How many rejections without any change in between are taken for a refusal for good. */
const QUIET_REJECTIONS = 40;
const REJECTIONS = 400;

/** A commit that takes longer than this, in milliseconds, makes tests repeat less. */
export const USUAL_PACE_MS = 25;
const LEAST_SCALE = 3;

/** What the tests of one run have in common. */
export interface Run {
  readonly shared: Shared;
  readonly options: RunOptions;
  readonly recorder: Recorder;
  /** The version at which the run began. */
  readonly startVersion: bigint;
  /** Whether the log held no transaction then; false where that cannot be told. */
  readonly beganEmpty: boolean;
  /** Begins every key and policy of the run. */
  readonly mark: string;
  nextSpace: number;
  /** Every policy that a test may have made. */
  readonly policies: Set<string>;
  /** How long one commit takes, in milliseconds. */
  readonly paceMs: number;
}

/** A commit that was refused although it is well-formed; a server may have a smaller limit than we know of. */
function refusal(
  id: string,
  transaction: Transaction,
  answer: Extract<CommitAnswer, { kind: 'refused' }>,
): Violation | Skip {
  if (answer.httpStatus === 413) return new Skip('the server takes no commit of this size');
  return new Violation(
    id,
    `a well-formed commit (${showTransaction(transaction)}) was refused with ${answer.httpStatus}: ${answer.body.slice(0, 200)}`,
  );
}

export type Commit = Committed & { readonly transaction: Transaction };

/** What a test works with. */
export class TestContext {
  readonly api: Api;
  readonly transcript = new Transcript();
  readonly random: Random;
  readonly run: Run;
  readonly test: Test;
  /** Failures beside the one that ends the test. */
  readonly failures: Failure[] = [];
  #leaderId: string;

  constructor(run: Run, test: Test, leaderId: string, repetition: number) {
    this.run = run;
    this.test = test;
    this.api = new Api(run.shared, this.transcript, test.name);
    this.random = Random.for(run.options.seed + repetition, test.name);
    this.#leaderId = leaderId;
  }

  get options(): RunOptions {
    return this.run.options;
  }

  get hooks(): Hooks {
    return this.run.options.hooks;
  }

  /** Whom this test takes for the leader. */
  get leaderId(): string {
    return this.#leaderId;
  }

  /** How often to repeat: `quick` times in a quick run, otherwise `normal`, and less on a slow server. */
  scale(quick: number, normal: number): number {
    const asked = this.options.depth === 'quick' ? quick : normal;
    const slower = Math.max(1, this.run.paceMs / USUAL_PACE_MS);
    return Math.max(Math.min(asked, LEAST_SCALE), Math.round(asked / slower));
  }

  /** How long to go on, in milliseconds: `quick` in a quick run, otherwise `normal`. */
  lasting(quick: number, normal: number): number {
    return this.options.depth === 'quick' ? quick : normal;
  }

  /** A broken MUST ends the test; a broken SHOULD is reported, and the test goes on. */
  check(id: string, holds: boolean, message: string | (() => string)): void {
    if (holds) return;
    const { level } = requirement(id);
    const text = typeof message === 'string' ? message : message();
    if (level === 'MUST') throw new Violation(id, text);
    this.alsoBroken(new Violation(id, text));
  }

  /** Reports a violation and goes on; one per requirement is enough. */
  alsoBroken(violation: Violation): void {
    if (this.failures.some((failure) => failure.requirement === violation.requirement)) return;
    this.failures.push({
      requirement: violation.requirement,
      level: requirement(violation.requirement).level,
      message: violation.message,
      counterexample: violation.counterexample,
      timeline: this.transcript.timeline,
      exchanges: this.transcript.exchanges,
    });
  }

  /** Records what the server does where the specification leaves a choice. */
  saw(id: string, text: string): void {
    this.run.shared.saw(id, text);
  }

  /** @throws Skip */
  skip(reason: string): never {
    throw new Skip(reason);
  }

  /** @throws Incomplete */
  giveUp(reason: string): never {
    throw new Incomplete(reason);
  }

  /** A key space of its own. */
  space(): KeySpace {
    this.run.nextSpace += 1;
    return new KeySpace(`${this.run.mark}${this.run.nextSpace}/`);
  }

  /** A request_id that was never used before, longer than any likely minimum. */
  requestId(): string {
    const least = this.hooks.minRequestIdLength ?? 0;
    return randomUUID().padEnd(least, 'x');
  }

  /** The name of a policy that was never used before; it is deleted at the end of the run. */
  policyId(ending = ''): string {
    const id = `${this.run.mark.replaceAll('/', '-')}${randomUUID().slice(0, 8)}${ending}`;
    this.run.policies.add(id);
    return id;
  }

  /** The highest version known to be committed; costs no request. */
  get committed(): bigint {
    return this.run.shared.witness.knowledge().committed.version;
  }

  /** Asks the server where it stands. */
  async now(): Promise<Basis> {
    const { version, leaderId } = await this.api.version();
    this.#leaderId = leaderId;
    return { version, leaderId };
  }

  /** Sends one transaction, again with a new request_id as long as the server is unavailable. */
  async send(
    build: Build,
    space?: KeySpace,
  ): Promise<{ answer: Exclude<CommitAnswer, { kind: 'unavailable' }>; transaction: Transaction }> {
    const deadline = performance.now() + this.options.patienceMs;
    for (let tries = 0; ; tries += 1) {
      const basis = tries === 0 ? { leaderId: this.#leaderId, version: this.committed } : await this.now();
      const transaction: Transaction = {
        leaderId: basis.leaderId,
        readVersion: basis.version,
        requestId: this.requestId(),
        ...build(basis),
      };
      const answer = await this.api.commit(transaction, space?.name);
      if (answer.kind !== 'unavailable') {
        if (answer.kind !== 'refused') this.#leaderId = answer.leaderId;
        return { answer, transaction };
      }
      if (performance.now() > deadline)
        throw answer.httpStatus === undefined
          ? new Violation(this.test.requirements[0], `no answer to a commit: ${answer.why}`)
          : new Incomplete(
              `the server answered ${answer.httpStatus} to commits for ${this.options.patienceMs} ms`,
            );
      await sleep(20 + this.random.below(100));
    }
  }

  /**
   * Commits a transaction that has to commit in the end: every rejection is retried with the more recent
   * version that it came with, or that GET /v1/version gives.
   * @param requirement blamed when it is refused as malformed
   * @throws Violation, Incomplete
   */
  async commit(
    build: Build,
    space?: KeySpace,
    requirementId: string = this.test.requirements[0],
  ): Promise<Commit> {
    let quiet = 0;
    let next: Basis | undefined;
    for (let tries = 0; tries < REJECTIONS; tries += 1) {
      const retryAt = next;
      let readAt = 0n;
      const { answer, transaction } = await this.send((current) => {
        const basis = retryAt ?? current;
        readAt = basis.version;
        return { readVersion: basis.version, leaderId: basis.leaderId, ...build(basis) };
      }, space);
      if (answer.kind === 'committed') return { ...answer, transaction };
      if (answer.kind === 'refused') throw refusal(requirementId, transaction, answer);
      next = tries % 2 === 0 ? { version: answer.version, leaderId: answer.leaderId } : await this.now();
      const unchanged = answer.leaderId === transaction.leaderId && next.version === readAt;
      quiet = unchanged ? quiet + 1 : 0;
      if (quiet >= QUIET_REJECTIONS)
        throw new Violation(
          'COMMIT-RETRY',
          `${quiet} times in a row, with the current version and while nothing else committed, the server rejected: ${showTransaction(transaction)}`,
        );
      if (tries > 4) await sleep(this.random.below(20));
    }
    throw new Incomplete(
      `${REJECTIONS} retries did not get a transaction through: others write all the time`,
    );
  }

  /** Commits operations without preconditions. */
  write(operations: readonly Operation[], space?: KeySpace): Promise<Commit> {
    return this.commit(() => ({ operations }), space);
  }

  /**
   * Sends a transaction that must not commit.
   * @param id blamed when it does, or when it is refused as malformed
   * @param why what makes a precondition of it fail
   */
  async mustBeRejected(
    id: string,
    why: string,
    build: Build,
    space?: KeySpace,
  ): Promise<Extract<CommitAnswer, { kind: 'not_committed' }>> {
    const { answer, transaction } = await this.send(build, space);
    if (answer.kind === 'committed')
      throw new Violation(
        id,
        `committed at ${answer.version} although ${why}: ${showTransaction(transaction)}`,
      );
    if (answer.kind === 'refused') throw refusal(id, transaction, answer);
    const leaderStayed = answer.leaderId === transaction.leaderId;
    this.check(
      'COMMIT-ANSWER-CONFLICTS',
      !leaderStayed || answer.conflicts.length > 0,
      () => `the leader did not change, and conflicts is empty, although ${why}`,
    );
    return answer;
  }

  /** Waits until `done` gives something other than undefined, asking again and again. */
  async until<T>(waitingFor: string, id: string, done: () => Promise<T | undefined>): Promise<T> {
    const deadline = performance.now() + this.options.patienceMs;
    for (;;) {
      const result = await done();
      if (result !== undefined) return result;
      if (performance.now() > deadline)
        throw new Violation(id, `waited ${this.options.patienceMs} ms in vain for ${waitingFor}`);
      await sleep(25);
    }
  }

  /** Runs `work` for every item, at most `width` at a time. The first error ends it. */
  async each<T>(
    items: readonly T[],
    width: number,
    work: (item: T, index: number) => Promise<void>,
  ): Promise<void> {
    let next = 0;
    let failed = false;
    await Promise.all(
      Array.from({ length: Math.min(width, items.length) }, async () => {
        while (next < items.length && !failed) {
          const index = next;
          next += 1;
          try {
            await work(items[index]!, index);
          } catch (error) {
            failed = true;
            throw error;
          }
        }
      }),
    );
  }

  /** A long text of bytes, each of them equally likely. */
  bytes(length: number): Bytes {
    let bytes = '';
    for (let index = 0; index < length; index += 1) bytes += String.fromCharCode(this.random.below(256));
    return bytes;
  }
}
