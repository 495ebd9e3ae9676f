import assert from 'node:assert/strict';
import { Core } from '../../src/core/core.js';
import { LeaderRig, settle } from '../support/leader-rig.js';
import { HeldLog } from './held-log.js';
import type { Age, Command, PlannedTransaction, Scenario, Settings } from './leader-commands.js';
import {
  type AskedStatus,
  type HistoricRecord,
  type History,
  isNotFound,
  type Moment,
  type ResolvedRead,
  recordsOf,
  type SentCommit,
  type StatusAnswer,
  TermRecorder,
  type Transaction,
  tagKey,
} from './leader-history.js';
import { WatchedFeed } from './watched-feed.js';

/** A transaction that nothing stands in the way of. */
const PROBE: PlannedTransaction = { id: undefined, termsAgo: 0, age: 0, reads: [], writes: [] };

/**
 * Plays a scenario on a leader and notes what it shows. Along the way it checks what can be seen only at the time:
 * what is in flight, and that nothing is said to be durable that is not.
 */
export class LeaderRun implements History {
  readonly settings: Settings;
  readonly sent: SentCommit[] = [];
  readonly asked: AskedStatus[] = [];
  readonly log: HistoricRecord[] = [];
  readonly feed: WatchedFeed;
  readonly #core = Core.load();
  readonly #log = new HeldLog();
  readonly #recorder: TermRecorder;
  readonly #rig: LeaderRig;
  #unanswered: SentCommit[] = [];
  #failures = 0;
  #freshIds = 0;

  constructor(settings: Settings) {
    this.settings = settings;
    this.feed = new WatchedFeed(this.#log, this.#core);
    this.#recorder = new TermRecorder(this.#core, this.feed.observer);
    this.#rig = new LeaderRig(settings, this.#log, this.#recorder);
  }

  get terms() {
    return this.#recorder.terms;
  }

  /** From the start of the leader to its end. */
  async play({ commands, stop }: Scenario): Promise<void> {
    try {
      await this.#rig.leader.start();
      for (const command of commands) {
        // Without a step between them, commands follow each other before any promise is heard of.
        const waiting = this.#perform(command);
        if (waiting !== undefined) await waiting;
        this.#observe();
      }
      if (stop === 'calm') await this.#calmDown();
      await this.#stop();
    } finally {
      this.feed.stop();
    }
  }

  #perform(command: Command): Promise<void> | undefined {
    switch (command.type) {
      case 'step':
        return steps(command.microtasks);
      case 'settle':
        return settle();
      case 'truncate':
        return this.#truncate(command.segments);
      case 'submit':
        this.#submit(command.transactions.map((plan) => this.#resolve(plan)));
        break;
      case 'repeat':
        this.#submit(this.sent.slice(-1 - command.back).slice(0, 1));
        break;
      case 'sync':
        this.#log.sync(command.batches);
        break;
      case 'fail':
        this.#fail();
        break;
      case 'status':
        this.#ask(this.#idOf(command.id), this.#recorder.versionAtAge(command.age));
        break;
      case 'hold':
        this.#log.gates[command.what].close();
        break;
      case 'release':
        this.#log.gates[command.what].open();
        break;
      case 'break':
        if (this.#log.gates[command.what].break()) this.#failures += 1;
        break;
      case 'subscribe':
        this.#subscribe(command.age, command.durable);
    }
    return undefined;
  }

  #resolve({ id, termsAgo, age, reads, writes }: PlannedTransaction): Transaction {
    const readVersion = this.#recorder.versionAtAge(age);
    return {
      requestId: id === undefined ? `fresh-id-number-${++this.#freshIds}` : this.#idOf(id),
      leaderId: this.terms.at(-1 - termsAgo)?.leaderId ?? 'nobody',
      readVersion,
      reads: reads.map((read) => {
        const version = read.age === undefined ? readVersion : this.#recorder.versionAtAge(read.age);
        return { begin: read.begin, end: read.end, version };
      }),
      writes,
    };
  }

  /** Submits all in one batch. */
  #submit(transactions: readonly Transaction[]): void {
    const sentAt = this.#now();
    const first = this.sent.length;
    for (const transaction of transactions) {
      const commit: SentCommit = {
        ...transaction,
        tag: this.sent.length,
        sentAt,
        ahead: this.#unanswered.length,
        idMayBeTaken: this.#idMayBeTaken(transaction.requestId),
        answer: undefined,
      };
      this.sent.push(commit);
      this.#unanswered.push(commit);
    }
    this.#rig.submit(
      ...this.sent.slice(first).map(({ tag, requestId, leaderId, readVersion, reads, writes }) => ({
        id: requestId,
        leaderId,
        readVersion,
        reads: reads.map(readOf),
        writes: [...writes, tagKey(tag)],
      })),
    );
  }

  /** New ones come into use as others are used up. */
  #idOf(id: number): string {
    return `id-number-${id + Math.floor(this.sent.length / 8)}`;
  }

  #idMayBeTaken(requestId: string): boolean {
    if (this.#unanswered.some((commit) => commit.requestId === requestId)) return true;
    return this.asked.some(({ requestId: asked, answer }) => {
      if (asked !== requestId) return false;
      if (answer === undefined) return true;
      return isNotFound(answer.status) && answer.at.terms === this.terms.length;
    });
  }

  /** A log fails when it writes, which it does for a term. */
  #fail(): void {
    if (this.#rig.leader.latest === undefined) return;
    this.#failures += 1;
    this.#log.fail();
  }

  #ask(requestId: string, minVersion: number): void {
    const asked: AskedStatus = { requestId, minVersion, askedAt: this.#now(), answer: undefined };
    this.asked.push(asked);
    const answer = (status: StatusAnswer) => {
      asked.answer = { status, at: this.#now() };
    };
    this.#rig.leader.statusOf(requestId, minVersion).then(answer, () => answer({ status: 'failed' }));
  }

  #subscribe(age: Age | undefined, durable: boolean): void {
    this.feed.subscribe(age === undefined ? undefined : this.#recorder.versionAtAge(age), durable);
  }

  async #truncate(segments: number): Promise<void> {
    await this.#readLog();
    this.#observe();
    await this.#log.truncate(Math.max(0, Math.min(segments, this.#log.segments().length - 1)));
    this.feed.observer.truncated();
  }

  /** Everything that is possible happens; then the leader takes commits again, whatever went on before. */
  async #calmDown(): Promise<void> {
    for (const gate of Object.values(this.#log.gates)) gate.open();
    await this.#finish(() => this.#rig.leader.available && this.#allAnswered);
    this.#submit([this.#resolve(PROBE)]);
    this.#log.sync();
    this.#observe();
    assert.equal(this.sent.at(-1)?.answer?.outcome.kind, 'committed', 'a leader at rest does not commit');
    await this.#readLog();
    await this.feed.checkComplete(this.log);
  }

  async #stop(): Promise<void> {
    let stopped = false;
    const stopping = this.#rig.leader.stop().then(() => {
      stopped = true;
    });
    this.#submit([this.#resolve(PROBE)]);
    this.#observe();
    await settle();
    for (const gate of Object.values(this.#log.gates)) gate.open();
    await this.#finish(() => stopped && this.#allAnswered);
    await stopping;
    await this.#readLog();
    await this.feed.checkComplete(this.log);
    assert.equal(this.#rig.leader.latest, undefined, 'a term is open after the stop');
    assert.equal(this.#rig.leader.inFlightBytes, 0);
  }

  get #allAnswered(): boolean {
    return this.#unanswered.length === 0 && this.asked.every(({ answer }) => answer !== undefined);
  }

  async #finish(done: () => boolean): Promise<void> {
    for (let rounds = 0; !done(); rounds += 1) {
      assert.ok(rounds < 100, `never done: ${done}, ${this.#unanswered.length} unanswered`);
      this.#observe();
      this.#log.sync();
      this.#observe();
      await settle();
      this.#observe();
    }
  }

  /** Notes new answers, and checks what they and the leader say about this moment. */
  #observe(): void {
    const { leader, answers } = this.#rig;
    const at = this.#now();
    const before = this.#unanswered;
    this.#unanswered = before.filter(({ tag }) => !answers.has(tag));
    for (const commit of before) {
      const outcome = answers.get(commit.tag);
      if (outcome === undefined) continue;
      commit.answer = { outcome, at };
      if (outcome.kind === 'committed')
        assert.ok(outcome.version <= at.durableVersion, 'committed too early');
      // The newest version to retry with, and no newer one.
      if (outcome.kind === 'not-committed')
        assert.equal(outcome.version, at.durableVersion, 'not the durable version');
    }
    assert.equal(leader.inFlightCount, this.#unanswered.length, 'in flight is what has no answer');
    assert.ok(leader.inFlightCount <= this.settings.maxInFlight, 'more in flight than the bound');
    // An ID that is fenced and looked up once more counts twice.
    assert.ok(leader.fenceCount <= 2 * this.settings.maxFences, 'more fences than the bound');
    if (leader.latest === undefined) return;
    const latest = { version: at.durableVersion, leaderId: this.terms.at(-1)?.leaderId };
    assert.deepEqual(leader.latest, latest, 'the latest version is not the durable one');
  }

  #now(): Moment {
    const { leader } = this.#rig;
    return {
      terms: this.terms.length,
      termOpen: leader.latest !== undefined,
      available: leader.available,
      durableVersion: this.#log.durableVersion,
      acceptedVersion: this.#recorder.acceptedVersion,
      truncatedThrough: this.#log.truncatedThrough,
      failures: this.#failures,
    };
  }

  /** Notes what has become durable since it was called last. */
  async #readLog(): Promise<void> {
    for (;;) {
      const after = this.log.at(-1)?.version ?? 0;
      const block = await this.#log.read(after);
      if (block === undefined) return;
      this.log.push(...recordsOf(this.#core, block.bytes, block.leaderId));
    }
  }
}

async function steps(microtasks: number): Promise<void> {
  for (let left = microtasks; left > 0; left -= 1) await undefined;
}

const readOf = ({ begin, end, version }: ResolvedRead) =>
  end === undefined ? { key: begin, version } : { begin, end, version };
