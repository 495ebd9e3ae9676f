import { setTimeout as sleep } from 'node:timers/promises';
import type { CommitAnswer, Committed, StatusAnswer } from '../api/answers.js';
import { decodeVersion } from '../api/decode.js';
import type { KeySpace } from '../model/key-space.js';
import type { LogEvent } from '../model/log-view.js';
import { pointRead, type Transaction, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import type { Bytes } from '../wire/bytes.js';
import { NoAnswer } from '../wire/http.js';
import { blame } from './blame.js';
import { hasEffectOf } from './event-effect.js';
import { holdLog } from './hold-log.js';
import { LogFollower, logAsItIs, readLog } from './log-follower.js';
import { restartServer } from './restart-server.js';

/** A commit that was under way, or answered, before the server was killed. */
interface Sent {
  readonly transaction: Transaction & { readonly requestId: string };
  /** The key that it alone writes. */
  readonly key: Bytes;
  /** The highest version that was known to be committed when it was sent. */
  readonly minVersion: bigint;
  readonly answer: CommitAnswer;
}

type Acknowledged = Sent & { readonly answer: Committed };

const WRITERS = 16;
/** Slow servers are killed before they have answered as many commits as fast ones. */
const LONGEST_LOAD_MS = 3_000;
const STATUSES = 160;
const SAMPLE = 6;
const QUIET_MS = 500;
/** What a log breaks that is no longer what it was. */
const CHANGED = ['STREAM-SAME-LOG', 'STREAM-COMPLETE', 'STREAM-AFTER'];

const isAcknowledged = (sent: Sent): sent is Acknowledged => sent.answer.kind === 'committed';
const isUnanswered = ({ answer }: Sent): boolean => answer.kind === 'unavailable';
const isRejected = ({ answer }: Sent): boolean => answer.kind === 'not_committed';

/** Clients that each send one commit after the other, until the server is gone. */
class Load {
  readonly sent: Sent[] = [];
  /** What GET /v1/version answered meanwhile. */
  readonly answered = new Set<bigint>();
  readonly #t: TestContext;
  readonly #space: KeySpace;
  #leaderId: string;
  #stopped = false;

  constructor(t: TestContext, space: KeySpace) {
    this.#t = t;
    this.#space = space;
    this.#leaderId = t.leaderId;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Asks for the version until the server is gone, or stops answering so. */
  async watchVersion(): Promise<void> {
    while (!this.#stopped) {
      try {
        const answer = await this.#t.api.raw('GET', '/v1/version');
        if (answer.status === 200) this.answered.add(decodeVersion(answer).version);
      } catch (error) {
        if (error instanceof NoAnswer) return;
        throw error;
      }
      await sleep(2);
    }
  }

  /** Resolves once `commits` have been answered as committed. */
  async until(commits: number): Promise<void> {
    const deadline = performance.now() + LONGEST_LOAD_MS;
    while (this.sent.filter(isAcknowledged).length < commits && performance.now() < deadline) await sleep(5);
  }

  async write(writer: number): Promise<void> {
    const t = this.#t;
    const hot = this.#space.key('hot');
    for (let index = 0; !this.#stopped; index += 1) {
      const key = this.#space.key(`${writer} ${index} ${this.sent.length}`);
      const minVersion = t.committed;
      const contends = writer % 4 === 0;
      const transaction = {
        requestId: t.requestId(),
        leaderId: this.#leaderId,
        readVersion: minVersion,
        preconditions: contends ? [pointRead(hot)] : [pointRead(key)],
        operations: [
          write(key, t.bytes(1 + t.random.below(1000))),
          ...(contends ? [write(hot, `${writer} ${index}`)] : []),
        ],
      };
      const answer = await t.api.commit(transaction, this.#space.name);
      this.sent.push({ transaction, key, minVersion, answer });
      if (answer.kind === 'refused')
        throw new Violation(
          'COMMIT-WRITE',
          `a well-formed commit was refused with ${answer.httpStatus}: ${answer.body.slice(0, 200)}`,
        );
      if (answer.kind === 'unavailable') {
        if (answer.httpStatus === undefined) return;
        await sleep(20);
      } else this.#leaderId = answer.leaderId;
    }
  }
}

/** The last ones, and some of those before, spread evenly. */
function sampleOf<T>(items: readonly T[], size: number): readonly T[] {
  const last = items.slice(-Math.ceil(size / 2));
  const others = items.slice(0, items.length - last.length);
  const step = Math.max(1, Math.ceil(others.length / Math.floor(size / 2)));
  return [...others.filter((_, index) => index % step === 0), ...last];
}

/** The log as it is after the restart. */
class Log {
  readonly events: readonly LogEvent[];
  readonly #byVersion: ReadonlyMap<bigint, LogEvent>;
  readonly #byRequestId: ReadonlyMap<string, LogEvent>;

  constructor(events: readonly LogEvent[]) {
    this.events = events;
    this.#byVersion = new Map(events.map((event) => [event.version, event]));
    this.#byRequestId = new Map(events.map((event) => [event.requestId, event]));
  }

  get(version: bigint): LogEvent | undefined {
    return this.#byVersion.get(version);
  }

  of(requestId: string): LogEvent | undefined {
    return this.#byRequestId.get(requestId);
  }

  after(version: bigint): readonly LogEvent[] {
    return this.events.filter((event) => event.version > version);
  }
}

/** @throws Violation where the log does not have what `shown` was seen to be before the restart */
function checkKept(
  t: TestContext,
  log: Log,
  shown: Pick<LogEvent, 'version' | 'requestId'>,
  by: string,
): LogEvent {
  const kept = log.get(shown.version);
  t.check(
    'LOG-DURABLE',
    kept?.requestId === shown.requestId,
    () =>
      `${shown.requestId} was ${by} at version ${shown.version}; after the restart the log has ${kept === undefined ? 'nothing' : kept.requestId} there`,
  );
  return kept!;
}

function checkAcknowledged(t: TestContext, log: Log, { transaction, answer }: Acknowledged): void {
  const { version, leaderId } = answer;
  const kept = checkKept(t, log, { version, requestId: transaction.requestId }, 'answered as committed');
  t.check(
    'LOG-DURABLE',
    hasEffectOf(kept, transaction.operations) !== false,
    `the operations of version ${version} are not what they were before the restart`,
  );
  t.check(
    'EVENT-LEADER',
    kept.leaderId === leaderId,
    `version ${version} was committed by ${leaderId}; after the restart its event names ${kept.leaderId}`,
  );
}

async function checkStatusOfAcknowledged(t: TestContext, sent: Acknowledged): Promise<void> {
  const { requestId } = sent.transaction;
  const { version, leaderId } = sent.answer;
  const status = await t.api.status(requestId, sent.minVersion);
  t.check(
    'STATUS-DURABLE',
    status.kind === 'committed' && status.version === version,
    () =>
      `${requestId} was answered as committed at ${version}; after the restart its status from ${sent.minVersion} is ${status.kind}${status.kind === 'committed' ? ` at ${status.version}` : ''}`,
  );
  t.check(
    'STATUS-COMMITTED-LEADER',
    status.kind !== 'committed' || status.leaderId === leaderId,
    () =>
      `${requestId} was committed by leader ${leaderId}; after the restart its status names another leader`,
  );
}

function checkUnanswered(
  t: TestContext,
  log: Log,
  { transaction, minVersion }: Sent,
  status: StatusAnswer,
): void {
  const { requestId } = transaction;
  const event = log.of(requestId);
  if (status.kind === 'committed') {
    t.check(
      'STATUS-DURABLE',
      event?.version === status.version,
      `the status of ${requestId} is committed at ${status.version}, and the log has it ${event === undefined ? 'nowhere' : `at ${event.version}`}`,
    );
    for (const [id, leaderId] of [
      ['STATUS-COMMITTED-LEADER', status.leaderId],
      ['EVENT-LEADER', event?.leaderId],
    ] as const)
      t.check(
        id,
        leaderId === transaction.leaderId,
        `${requestId} named leader ${transaction.leaderId}, committed, and is shown with leader ${leaderId}`,
      );
    t.check(
      'LOG-DURABLE',
      event === undefined || hasEffectOf(event, transaction.operations) !== false,
      `the operations of version ${status.version} are not those that were sent`,
    );
  } else if (status.kind === 'id_not_found')
    t.check(
      'STATUS-NOT-IN-FLIGHT',
      event === undefined,
      () =>
        `the status of ${requestId} from ${minVersion} was id_not_found after the restart, and the log has it at version ${event?.version}`,
    );
}

/** A stream from where a reader stopped shows just what the whole log shows. */
async function checkResumes(t: TestContext, log: Log, position: bigint, end: bigint): Promise<void> {
  const wanted = log.after(position).map(({ version }) => version);
  for (const durable of [true, false]) {
    const events = await blame('STREAM-RESUME', ['STREAM-AFTER', 'STREAM-COMPLETE'], () =>
      readLog(t, { after: position, durable }, end, 'STREAM-RESUME'),
    );
    t.check(
      'STREAM-RESUME',
      events !== 'truncated',
      `after the restart, after=${position} is answered with 410, although a policy holds it`,
    );
    if (events === 'truncated') continue;
    const versions = events.map(({ version }) => version).filter((version) => version <= end);
    t.check(
      'STREAM-RESUME',
      versions.join() === wanted.join(),
      () =>
        `a stream after=${position} with durable=${durable} shows versions ${versions.slice(0, 8).join(', ')}..., and the log has ${wanted.slice(0, 8).join(', ')}...`,
    );
  }
}

/** Compares what the log still shows with what was known of it, where nothing new can be committed. */
async function checkWhatIsLeft(
  t: TestContext,
  base: bigint,
  load: Load,
  streamed: readonly LogEvent[],
): Promise<void> {
  const log = new Log(await blame('LOG-DURABLE', CHANGED, () => logAsItIs(t, base)));
  for (const one of load.sent.filter(isAcknowledged)) checkAcknowledged(t, log, one);
  for (const event of streamed) checkKept(t, log, event, 'streamed with durable=true');
}

async function killUnderLoad(t: TestContext, base: bigint): Promise<void> {
  const space = t.space();
  const { version: start } = await t.write([write(space.key('hot'), 'start')], space);
  const durable = new LogFollower(t, { after: start, durable: true });
  const early = new LogFollower(t, { after: start, durable: false });
  for (const reader of [durable, early]) {
    const refused = await reader.connect();
    t.check(
      'STREAM-AFTER-HELD',
      refused === undefined,
      `after=${start}, which a policy holds, was answered with ${refused}`,
    );
  }
  const load = new Load(t, space);
  const writers = Array.from({ length: WRITERS }, (_, writer) => load.write(writer));
  writers.push(load.watchVersion());
  const ended = Promise.allSettled(writers);
  await load.until(t.scale(48, 160));
  const restarted = await restartServer(t, {
    work: writers,
    stop: () => load.stop(),
    // Whoever has forgotten versions has most likely lost transactions, which says more.
    lookBack: async () => {
      await durable.drain(QUIET_MS);
      await checkWhatIsLeft(t, base, load, durable.events);
    },
  });
  await ended;
  for (const version of load.answered)
    t.check(
      'VERSION-DURABLE',
      restarted.now.version >= version,
      `GET /v1/version answered ${version}, and after the restart ${restarted.now.version}`,
    );
  await durable.drain(QUIET_MS);
  await early.drain(QUIET_MS);

  const { sent } = load;
  const acknowledged = sent.filter(isAcknowledged);
  const unanswered = sent.filter(isUnanswered);
  if (acknowledged.length === 0) t.giveUp(`nothing committed within ${LONGEST_LOAD_MS} ms`);
  await blame(
    'LOG-VERSIONS-NOT-REUSED',
    ['LOG-VERSIONS-GROW', 'VERSION-NOT-AHEAD', 'CHECKPOINT-DURABLE'],
    () => t.write([write(space.key('first'), 'after the restart')], space),
  );
  await t.each(sampleOf(acknowledged, STATUSES), 8, (one) => checkStatusOfAcknowledged(t, one));
  const statuses = new Map<Sent, StatusAnswer>();
  await t.each(sampleOf(unanswered, STATUSES), 8, async (one) => {
    const status = await t.api.status(one.transaction.requestId, one.minVersion);
    t.check(
      'STATUS-NOT-FOUND',
      status.kind !== 'log_truncated',
      `the status of ${one.transaction.requestId} is log_truncated, although a policy holds the log from below`,
    );
    statuses.set(one, status);
  });
  await t.each(sampleOf(sent.filter(isRejected), SAMPLE), 4, async ({ transaction, minVersion }) => {
    const { kind } = await t.api.status(transaction.requestId, minVersion);
    t.check(
      'STATUS-NOT-FOUND',
      kind === 'id_not_found',
      `${transaction.requestId} was rejected; after the restart its status is ${kind}`,
    );
  });
  // What was said not to be in flight any more may still arrive.
  await t.each([...statuses], 4, async ([{ transaction }, status]) => {
    if (status.kind !== 'id_not_found') return;
    const answer = await t.api.commit(transaction, space.name);
    t.check(
      'STATUS-LATE-ARRIVAL',
      answer.kind !== 'committed',
      `after the restart the status of ${transaction.requestId} was id_not_found, and then it committed`,
    );
  });
  const { version: end } = await t.write([write(space.key('end'), 'x')], space);

  const events = await blame('LOG-DURABLE', CHANGED, () => readLog(t, { after: base }, end, 'LOG-DURABLE'));
  if (events === 'truncated')
    throw new Violation(
      'LOG-DURABLE',
      `after the restart, after=${base} is answered with 410, although a policy holds it`,
    );
  const log = new Log(events);
  for (const one of acknowledged) checkAcknowledged(t, log, one);
  for (const event of durable.events) checkKept(t, log, event, 'streamed with durable=true');
  for (const event of early.events) checkKept(t, log, event, 'streamed before a checkpoint');
  for (const [one, status] of statuses) checkUnanswered(t, log, one, status);
  for (const { version, requestId, leaderId } of early.accepted) {
    t.check(
      'VERSION-DURABLE',
      !load.answered.has(version) || log.get(version)?.requestId === requestId,
      `GET /v1/version answered ${version}; after the restart the log no longer has the transaction that was streamed at that version`,
    );
    t.check(
      'STREAM-ACCEPTED-COMMITS',
      !restarted.sameLeader ||
        leaderId !== restarted.now.leaderId ||
        log.get(version)?.requestId === requestId,
      `version ${version} was accepted and streamed, its leader still leads, and the log does not have it`,
    );
  }
  for (const position of new Set([durable.position, early.position]))
    await checkResumes(t, log, position, end);
  const changed = [...statuses].flatMap(([one, { kind }]) => (kind === 'committed' ? [one] : []));
  for (const { key, minVersion } of [...changed.slice(0, SAMPLE), ...acknowledged.slice(-SAMPLE)]) {
    await t.mustBeRejected(
      'COMMIT-PRECONDITION-OLD',
      'its key was written after that version, before the restart',
      () => ({ preconditions: [pointRead(key, minVersion)], operations: [write(space.key('outcome'), 'x')] }),
      space,
    );
  }
}

export const restartUnderLoad: Test = {
  name: 'restart/under-load',
  title:
    'Killed with many commits under way: what was acknowledged or streamed as durable is there, and every other commit has one final outcome.',
  requirements: [
    'LOG-DURABLE',
    'VERSION-DURABLE',
    'LOG-VERSIONS-NOT-REUSED',
    'COMMIT-WRITE',
    'STATUS-DURABLE',
    'STATUS-COMMITTED-LEADER',
    'STATUS-NOT-IN-FLIGHT',
    'STATUS-LATE-ARRIVAL',
    'STATUS-NOT-FOUND',
    'EVENT-LEADER',
    'STREAM-RESUME',
    'STREAM-COMPLETE',
    'STREAM-ACCEPTED-COMMITS',
    'EVENT-PREV-VERSION',
    'LEADER-STABLE',
    'COMMIT-PRECONDITION-OLD',
    'LOG-SERIALIZABLE',
  ],
  needs: ['restart'],
  phase: 'disruptive',
  run: async (t) => {
    await t.now();
    const { base, release } = await holdLog(t);
    for (let round = 0; round < (t.options.depth === 'soak' ? 5 : t.scale(1, 2)); round += 1)
      await killUnderLoad(t, base);
    await release();
  },
};
