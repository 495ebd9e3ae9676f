import type { CommitAnswer, Committed } from '../api/answers.js';
import type { KeySpace } from '../model/key-space.js';
import { pointRead, type Transaction, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { toJson } from '../wire/json.js';
import { blame } from './blame.js';
import { checkStatus } from './check-status.js';
import { commitWithoutId } from './commit-without-id.js';
import { LogReader } from './log-reader.js';
import { requestIdIdentityTests } from './request-id-identity.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Sends a used request_id again, until the server answers. */
async function reuse(
  t: TestContext,
  again: Transaction,
  space: KeySpace,
  first: bigint,
  how: string,
): Promise<void> {
  for (let tries = 0; tries < 20; tries += 1) {
    const answer = await t.api.commit(again, space.name);
    t.check(
      'COMMIT-REQUEST-ID-REUSED',
      answer.kind !== 'committed' || answer.version === first,
      () => `a request_id that had committed at ${first} committed again at ${versionOf(answer)}: ${how}`,
    );
    if (answer.kind !== 'unavailable') return;
    await t.now();
  }
  t.giveUp(`${again.requestId}, sent again, was not answered`);
}

/** Long IDs, and those outside ASCII, are told to be used before as others are; where they are accepted at all. */
async function reuseOfUnusualIds(t: TestContext, space: KeySpace): Promise<void> {
  for (const requestId of [`${t.requestId()}${'x'.repeat(70)}`, `é😀${t.requestId()}`]) {
    const basis = await t.now();
    const transaction: Transaction = {
      leaderId: basis.leaderId,
      readVersion: basis.version,
      requestId,
      operations: [write(space.key('unusual'), 'first')],
    };
    const answer = await t.api.commit(transaction, space.name);
    if (answer.kind !== 'committed') continue;
    await reuse(t, transaction, space, answer.version, `a request_id of ${requestId.length} characters`);
    const { leaderId, version: readVersion } = await t.now();
    const other = {
      ...transaction,
      leaderId,
      readVersion,
      operations: [write(space.key('unusual'), 'other')],
    };
    await reuse(
      t,
      other,
      space,
      answer.version,
      `a request_id of ${requestId.length} characters, other content`,
    );
  }
}

const versionOf = (answer: CommitAnswer): bigint | undefined =>
  answer.kind === 'committed' ? answer.version : undefined;

/** Sends one request_id `width` times at once, and gives it with all the answers. */
async function reuseAtOnce(
  t: TestContext,
  width: number,
  space: KeySpace,
  isSameBody: boolean,
): Promise<{ requestId: string; answers: readonly CommitAnswer[] }> {
  const { leaderId, version: readVersion } = await t.now();
  const requestId = t.requestId();
  const answers = await Promise.all(
    Array.from({ length: width }, (_, index) =>
      t.api.commit(
        {
          requestId,
          leaderId,
          readVersion,
          operations: [write(space.key(isSameBody ? 'k' : `${index}`), requestId)],
        },
        space.name,
      ),
    ),
  );
  const versions = new Set(answers.flatMap((answer) => versionOf(answer) ?? []));
  t.check(
    'COMMIT-REQUEST-ID-REUSED',
    versions.size <= 1,
    () => `one request_id, sent ${width} times at once, committed at versions ${[...versions].join(', ')}`,
  );
  return { requestId, answers };
}

/** Looks whether the log has each request_id at most once, and where the answers say. */
async function auditReuse(
  t: TestContext,
  reader: LogReader,
  space: KeySpace,
  rounds: readonly Awaited<ReturnType<typeof reuseAtOnce>>[],
): Promise<void> {
  const events = await reader.upToNow(space);
  for (const { requestId, answers } of rounds) {
    const found = events.filter((event) => event.requestId === requestId);
    t.check(
      'COMMIT-REQUEST-ID-REUSED',
      found.length <= 1,
      () => `the log has ${requestId} at versions ${found.map(({ version }) => version).join(', ')}`,
    );
    const answered = answers.some(({ kind }) => kind === 'unavailable' || kind === 'committed');
    t.check(
      'COMMIT-REJECTED-NO-EFFECT',
      answered || found.length === 0,
      () =>
        `the log has ${requestId}, and every one of the ${answers.length} requests with it was rejected or refused`,
    );
  }
}

export const commitRequestIdTests: readonly Test[] = [
  ...requestIdIdentityTests,
  {
    name: 'commit/request-id/omitted',
    title: 'A commit without request_id is accepted, and gets a UUID of its own.',
    requirements: [
      'COMMIT-REQUEST-ID-OPTIONAL',
      'COMMIT-REQUEST-ID-GENERATED',
      'COMMIT-ANSWER-GENERATED-ID',
      'STATUS-GENERATED-ID',
    ],
    run: async (t) => {
      const space = t.space();
      const reader = await LogReader.open(t);
      const minVersion = t.committed;
      const answers: Committed[] = [];
      for (let index = 0; index < 3; index += 1)
        answers.push(await commitWithoutId(t, space.key('k'), space));
      answers.push(
        ...(await Promise.all(
          Array.from({ length: t.scale(30, 80) }, (_, index) =>
            commitWithoutId(t, space.key(`${index}`), space),
          ),
        )),
      );
      const ids = new Map<string, bigint>();
      for (const { version, requestId } of answers) {
        // Two transactions with one id are found by whoever reads the log.
        const event = await blame('COMMIT-REQUEST-ID-GENERATED', ['LOG-ONE-VERSION-EACH'], () =>
          reader.at(version),
        );
        t.check(
          'COMMIT-REQUEST-ID-GENERATED',
          UUID.test(event.requestId) && !ids.has(event.requestId),
          () =>
            `a commit without request_id has ${toJson(event.requestId)} in the log: not a UUID of its own`,
        );
        ids.set(event.requestId, version);
        t.saw('COMMIT-ANSWER-GENERATED-ID', requestId ? 'it does' : 'it does not');
        t.check(
          'COMMIT-REQUEST-ID-GENERATED',
          !requestId || requestId === event.requestId,
          `a commit without request_id was answered ${requestId}, and has ${event.requestId} in the log`,
        );
      }
      for (const [requestId, version] of [...ids].slice(0, 9)) {
        const status = await t.api.status(requestId, minVersion);
        t.saw('STATUS-GENERATED-ID', status.kind);
        if (status.kind === 'committed') checkStatus(t, 'STATUS-COMMITTED', requestId, status, version);
      }
    },
  },
  {
    name: 'commit/request-id/echoed',
    title: 'An answer has the request_id that the request carried, committed or not.',
    requirements: ['COMMIT-ANSWER-REQUEST-ID'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const before = await t.write([write(key, 'one')], space);
      await t.write([write(key, 'two')], space);
      for (const preconditions of [
        [pointRead(key, before.version)],
        [pointRead(key), pointRead(key, before.version)],
      ]) {
        await t.mustBeRejected(
          'COMMIT-POINT-READ',
          'the key was changed',
          () => ({ preconditions, operations: [write(key, 'three')] }),
          space,
        );
      }
      // Every answer is compared with its request; some servers refuse a leader that has no form they know.
      await t.send(() => ({ leaderId: `${t.leaderId}x`, operations: [write(key, 'three')] }), space);
    },
  },
  {
    name: 'commit/request-id/reused',
    title: 'A request_id that committed does not commit again, with the same or other content, now or later.',
    requirements: ['COMMIT-REQUEST-ID-REUSED'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const reader = await LogReader.open(t);
      const first = await t.write([write(space.key('k'), 'first')], space);
      const { transaction, version } = first;
      const fresh = async (key: string): Promise<Transaction> => {
        const { leaderId, version: readVersion } = await t.now();
        return { ...transaction, leaderId, readVersion, operations: [write(space.key(key), 'again')] };
      };
      await reuse(t, transaction, space, version, 'the same request');
      await reuse(t, await fresh('k'), space, version, 'the newest version and other content');
      await reuse(t, await fresh('other'), space, version, 'another key');
      await reuse(
        t,
        { ...(await fresh('k')), preconditions: [pointRead(space.key('never'))] },
        space,
        version,
        'a precondition more',
      );
      // A server that truncates need not remember longer than it keeps.
      const between = Math.min(t.scale(60, 300), Math.floor((t.hooks.truncationKeeps ?? 1200) / 4));
      const began = performance.now();
      await t.each(Array.from({ length: between }), 20, async (_, index) => {
        if (performance.now() - began < 2 * t.options.patienceMs)
          await t.write([write(space.key(`${index % 7}`), `${index}`)], space);
      });
      await reuseOfUnusualIds(t, space);
      // What a server has forgotten, it cannot tell to be used.
      if ((await t.api.status(transaction.requestId!, version)).kind === 'committed') {
        await reuse(t, transaction, space, version, `the same request, ${between} commits later`);
        await reuse(t, await fresh('later'), space, version, `other content, ${between} commits later`);
      }
      const found = (await reader.upToNow(space)).filter(
        ({ requestId }) => requestId === transaction.requestId,
      );
      t.check(
        'COMMIT-REQUEST-ID-REUSED',
        found.length === 1,
        () => `the log has ${transaction.requestId} ${found.length} times`,
      );
    },
  },
  {
    name: 'commit/request-id/reused-at-once',
    title: 'A request_id that is sent several times at the same moment commits once at most.',
    requirements: ['COMMIT-REQUEST-ID-REUSED', 'COMMIT-REJECTED-NO-EFFECT'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const reader = await LogReader.open(t);
      const rounds: Awaited<ReturnType<typeof reuseAtOnce>>[] = [];
      for (let round = 0; round < t.scale(4, 16); round += 1) {
        rounds.push(await reuseAtOnce(t, round % 4 < 2 ? 2 : 16, space, round % 2 === 0));
      }
      await auditReuse(t, reader, space, rounds);
    },
  },
  {
    name: 'commit/request-id/reused-after-rejection',
    title:
      'A request_id that was rejected or refused commits at one version at most when it is sent again and again.',
    requirements: ['COMMIT-REQUEST-ID-REUSED'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const before = await t.write([write(key, 'one')], space);
      await t.write([write(key, 'two')], space);
      let requestId = '';
      await t.mustBeRejected(
        'COMMIT-POINT-READ',
        'the key was changed',
        () => {
          requestId = t.requestId();
          return {
            requestId,
            preconditions: [pointRead(key, before.version)],
            operations: [write(key, 'three')],
          };
        },
        space,
      );
      const versions = new Set<bigint>();
      for (let sending = 0; sending < 4; sending += 1) {
        const { leaderId, version: readVersion } = await t.now();
        const answer = await t.api.commit(
          { requestId, leaderId, readVersion, operations: [write(key, 'four')] },
          space.name,
        );
        if (answer.kind === 'committed') versions.add(answer.version);
      }
      t.check(
        'COMMIT-REQUEST-ID-REUSED',
        versions.size <= 1,
        () => `${requestId} committed at versions ${[...versions].join(', ')}`,
      );
    },
  },
];
