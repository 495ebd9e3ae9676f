import { setTimeout as sleep } from 'node:timers/promises';
import type { StatusAnswer } from '../api/answers.js';
import { pointRead, type Transaction, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Commit, TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';

/**
 * Checks the status of a request that committed; says whether the server still knows. Request IDs may be
 * truncated, except right after the commit, which is for the caller to judge.
 */
function checkFound(t: TestContext, answer: StatusAnswer, commit: Commit, minVersion: bigint): boolean {
  if (answer.kind === 'log_truncated') return false;
  t.check(
    minVersion === commit.version ? 'STATUS-MIN-VERSION' : 'STATUS-COMMITTED',
    answer.kind === 'committed',
    () =>
      `${commit.transaction.requestId} committed at ${commit.version}; its status from min_version ${minVersion} is ${answer.kind}`,
  );
  if (answer.kind !== 'committed') return false;
  t.check(
    'STATUS-COMMITTED',
    answer.version === commit.version,
    `a request committed at ${commit.version}, and its status says ${answer.version}`,
  );
  t.check(
    'STATUS-COMMITTED-LEADER',
    answer.leaderId === commit.leaderId,
    `a request was committed by leader ${commit.leaderId}, and its status says ${answer.leaderId}`,
  );
  return true;
}

const transactionFor = (t: TestContext, key: string): Transaction => ({
  leaderId: t.leaderId,
  readVersion: t.committed,
  requestId: t.requestId(),
  operations: [write(key, 'x')],
});

/** Commits whose status is asked while they are under way, a little earlier or later each time. */
async function raceWithStatus(
  t: TestContext,
  rounds: number,
  width: number,
  valueLength: number,
): Promise<void> {
  const space = t.space();
  await t.write([write(space.key('start'), 'x')], space);
  const stream = await t.api.stream({ after: t.committed });
  const notFound = new Set<string>();
  for (let round = 0; round < rounds; round += 1) {
    const { version: minVersion, leaderId } = await t.now();
    await Promise.all(
      Array.from({ length: width }, async (_, index) => {
        const transaction: Transaction = {
          ...transactionFor(t, space.key(`${index}`)),
          leaderId,
          operations: [write(space.key(`${index}`), 'v'.repeat(valueLength))],
        };
        const requestId = transaction.requestId!;
        const open = t.api.openCommit(transaction, space.name);
        await open.sendMost();
        const answer = open.finish();
        // What goes wrong with it is thrown below, unless the status is wrong before.
        answer.catch(() => undefined);
        const delay = t.random.below(8);
        if (delay > 3) await sleep(delay - 3);
        const status = await t.api.status(requestId, minVersion);
        const outcome = await answer;
        if (outcome.kind === 'refused' && outcome.httpStatus === 413)
          t.skip('the server takes no commit of this size');
        if (status.kind === 'id_not_found') notFound.add(requestId);
        t.check(
          'STATUS-NOT-IN-FLIGHT',
          outcome.kind !== 'committed' || status.kind === 'committed',
          () =>
            `the status of ${requestId} was ${status.kind}, and then its commit was answered as committed`,
        );
        t.check(
          'STATUS-NOT-IN-FLIGHT',
          status.kind !== 'committed' || outcome.kind === 'committed' || outcome.kind === 'unavailable',
          () =>
            `the status of ${requestId} was committed, and then its commit was answered with ${outcome.kind}`,
        );
        t.check(
          'STATUS-COMMITTED',
          status.kind !== 'committed' || outcome.kind !== 'committed' || status.version === outcome.version,
          `the status and the answer of ${requestId} name different versions`,
        );
      }),
    );
  }
  const marker = await t.write([write(space.key('end'), 'x')], space);
  for (const event of await stream.untilVersion(marker.version)) {
    if (notFound.has(event.requestId))
      throw new Violation(
        'STATUS-NOT-IN-FLIGHT',
        `the status of ${event.requestId} was id_not_found, and the log has it at version ${event.version}`,
      );
  }
}

export const statusTests: readonly Test[] = [
  {
    name: 'status/committed',
    title:
      'A request that committed is found with its version and leader, from its version, from before it, and from 0.',
    requirements: [
      'STATUS-COMMITTED',
      'STATUS-VALUES',
      'STATUS-COMMITTED-LEADER',
      'STATUS-MIN-VERSION',
      'STATUS-MIN-VERSION-LATER',
    ],
    run: async (t) => {
      const space = t.space();
      const before = t.committed;
      const commits: Commit[] = [];
      for (let index = 0; index < 6; index += 1) {
        commits.push(
          index % 2 === 0
            ? await t.write([write(space.key('k'), `${index}`)], space)
            : await t.commit(
                () => ({
                  preconditions: [pointRead(space.key('k'))],
                  operations: [write(space.key('k'), `${index}`)],
                }),
                space,
              ),
        );
      }
      for (const commit of commits) {
        for (const minVersion of [before, commit.version - 1n, commit.version]) {
          checkFound(t, await t.api.status(commit.transaction.requestId!, minVersion), commit, minVersion);
        }
        const fromStart = await t.api.status(commit.transaction.requestId!, 0n);
        checkFound(t, fromStart, commit, 0n);
      }
      const [first, last] = [commits[0]!, commits.at(-1)!];
      const later = await t.api.status(first.transaction.requestId!, last.version);
      t.saw('STATUS-MIN-VERSION-LATER', later.kind);
      if (later.kind === 'committed') checkFound(t, later, first, last.version);
    },
  },
  {
    name: 'status/at-once',
    title: 'As soon as a commit is answered, its status is known.',
    requirements: ['STATUS-COMMITTED', 'COMMIT-VISIBLE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const { version: before } = await t.now();
      let found = 0;
      await t.each(Array.from({ length: t.scale(24, 120) }), 8, async (_, index) => {
        const commit = await t.write([write(space.key(`${index % 5}`), `${index}`)], space);
        const minVersion = index % 2 === 0 ? before : commit.version;
        const answer = await t.api.status(commit.transaction.requestId!, minVersion);
        if (checkFound(t, answer, commit, minVersion)) found += 1;
      });
      t.check('STATUS-COMMITTED', found > 0, 'not one commit was found right after it was answered');
    },
  },
  {
    name: 'status/not-found',
    title: 'A request that was never sent, was rejected, or was refused, is not found.',
    requirements: ['STATUS-NOT-FOUND', 'STATUS-VALUES', 'COMMIT-REJECTED-NO-EFFECT'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const expectNotFound = async (requestId: string, minVersion: bigint, what: string): Promise<void> => {
        const answer = await t.api.status(requestId, minVersion);
        t.check('STATUS-NOT-FOUND', answer.kind !== 'committed', `the status of ${what} is ${answer.kind}`);
      };
      const before = await t.write([write(key, 'one')], space);
      // Nothing after the newest version can be truncated, unless others write at this very moment.
      const kinds = new Set<string>();
      for (let tries = 0; tries < 5 && !kinds.has('id_not_found'); tries += 1) {
        kinds.add((await t.api.status(t.requestId(), t.committed)).kind);
      }
      t.check(
        'STATUS-NOT-FOUND',
        kinds.has('id_not_found'),
        () =>
          `the status of requests that were never sent, from the newest version on, is ${[...kinds].join(' or ')}`,
      );
      await t.write([write(key, 'two')], space);
      // A commit that is sent again, because the server was unavailable, carries another ID.
      let rejected = '';
      await t.mustBeRejected(
        'COMMIT-POINT-READ',
        'the key was changed',
        () => {
          rejected = t.requestId();
          return {
            requestId: rejected,
            preconditions: [pointRead(key, before.version)],
            operations: [write(key, 'x')],
          };
        },
        space,
      );
      await expectNotFound(rejected, before.version, 'a request that was rejected');
      let wrongLeader = '';
      await t.send(() => {
        wrongLeader = t.requestId();
        return { requestId: wrongLeader, leaderId: `${t.leaderId}x`, operations: [write(key, 'x')] };
      }, space);
      await expectNotFound(wrongLeader, before.version, 'a request to another leader');
      const malformed = t.requestId();
      await t.api.commitBody(
        JSON.stringify({
          request_id: malformed,
          leader_id: t.leaderId,
          read_version: 0,
          operations: [{ type: 'unknown' }],
        }),
      );
      await expectNotFound(malformed, before.version, 'a request that was refused');
    },
  },
  {
    name: 'status/parameters',
    title:
      'Without request_id or min_version, or with a min_version that is no integer, some 4xx is answered.',
    requirements: ['STATUS-PARAMETERS'],
    run: async (t) => {
      const id = t.requestId();
      for (const query of [
        '',
        `?request_id=${id}`,
        '?min_version=0',
        `?request_id=${id}&min_version=abc`,
        `?request_id=${id}&min_version=1.5`,
      ]) {
        const { status } = await t.api.get(`/v1/status${query}`);
        t.check(
          'STATUS-PARAMETERS',
          status >= 400 && status < 500,
          `GET /v1/status${query} answered ${status}`,
        );
      }
    },
  },
  {
    name: 'status/in-flight',
    title:
      'A status that is asked while the commit is under way waits for its outcome, or keeps it from committing.',
    requirements: ['STATUS-NOT-IN-FLIGHT', 'STATUS-COMMITTED'],
    phase: 'alone',
    run: (t) => raceWithStatus(t, t.scale(8, 40), 6, 10),
  },
  {
    name: 'status/in-flight-large',
    title: 'The same with commits that take longer to read and write.',
    requirements: ['STATUS-NOT-IN-FLIGHT'],
    phase: 'alone',
    run: (t) =>
      raceWithStatus(t, t.scale(3, 12), 4, Math.min(30_000, (t.hooks.maxCommitBytes ?? 60_000) / 2)),
  },
  {
    name: 'status/late-arrival',
    title:
      'A request whose status was answered as not found before it arrived does not commit, however often it is sent.',
    requirements: ['STATUS-LATE-ARRIVAL'],
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('start'), 'x')], space);
      for (let round = 0; round < t.scale(3, 8); round += 1) {
        const transaction = transactionFor(t, space.key(`${round}`));
        const requestId = transaction.requestId!;
        const status = await t.api.status(requestId, t.committed);
        t.check(
          'STATUS-NOT-FOUND',
          status.kind !== 'committed',
          `the status of a request that was never sent is ${status.kind}`,
        );
        for (let sending = 1; sending <= 2; sending += 1) {
          const answer = await t.api.commit(transaction, space.name);
          t.check(
            'STATUS-LATE-ARRIVAL',
            answer.kind !== 'committed',
            `the status of ${requestId} was id_not_found, and then it committed when it was sent for the ${sending === 1 ? 'first' : 'second'} time`,
          );
        }
        const later = await t.api.status(requestId, transaction.readVersion);
        t.check(
          'STATUS-LATE-ARRIVAL',
          later.kind !== 'committed',
          `the status of ${requestId} went from id_not_found to committed`,
        );
      }
    },
  },
  {
    name: 'status/late-arrival-half-sent',
    title:
      'A request that was sent but for its last byte when its status was answered as not found does not commit.',
    requirements: ['STATUS-LATE-ARRIVAL', 'STATUS-NOT-IN-FLIGHT'],
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('start'), 'x')], space);
      for (let round = 0; round < t.scale(2, 5); round += 1) {
        const transaction = transactionFor(t, space.key(`${round}`));
        const open = t.api.openCommit(transaction, space.name);
        await open.sendMost();
        const status = await t.api.status(transaction.requestId!, t.committed);
        t.check(
          'STATUS-NOT-FOUND',
          status.kind !== 'committed',
          `the status of a request that was not sent to its end is ${status.kind}`,
        );
        const answer = await open.finish();
        t.check(
          'STATUS-LATE-ARRIVAL',
          answer.kind !== 'committed',
          `the status of ${transaction.requestId} was id_not_found, and then it committed`,
        );
      }
    },
  },
  {
    name: 'status/late-arrival-many',
    title: 'The same when the status of many requests was asked meanwhile, and others committed.',
    requirements: ['STATUS-LATE-ARRIVAL'],
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('start'), 'x')], space);
      const fenced = Array.from({ length: t.scale(40, 200) }, (_, index) =>
        transactionFor(t, space.key(`${index}`)),
      );
      await t.each(fenced, 8, async ({ requestId, readVersion }) => {
        await t.api.status(requestId!, readVersion);
      });
      for (let index = 0; index < 20; index += 1)
        await t.write([write(space.key('other'), `${index}`)], space);
      await t.each(fenced, 8, async (transaction) => {
        const answer = await t.api.commit(transaction, space.name);
        t.check(
          'STATUS-LATE-ARRIVAL',
          answer.kind !== 'committed',
          `the status of ${transaction.requestId} was id_not_found, and then it committed`,
        );
      });
    },
  },
];
