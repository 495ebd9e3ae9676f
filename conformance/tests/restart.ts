import type { KeySpace } from '../model/key-space.js';
import type { LogEvent } from '../model/log-view.js';
import { SpaceModel } from '../model/space-model.js';
import {
  type Operation,
  type Precondition,
  pointRead,
  rangeRead,
  remove,
  removeRange,
  type Transaction,
  write,
} from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Commit, TestContext } from '../run/test-context.js';
import { blame } from './blame.js';
import { commitWithoutId } from './commit-without-id.js';
import { hasEffectOf } from './event-effect.js';
import { holdLog } from './hold-log.js';
import { LogFollower, logAsItIs, readLog } from './log-follower.js';
import { restartPolicyTests } from './restart-policies.js';
import { restartServer } from './restart-server.js';
import { restartUnderLoad } from './restart-under-load.js';
import { sendAsIs } from './send-as-is.js';
import { untilRecorded } from './until-recorded.js';

const transactionFor = (
  t: TestContext,
  key: string,
  value = 'x',
): Transaction & { readonly requestId: string } => ({
  leaderId: t.leaderId,
  readVersion: t.committed,
  requestId: t.requestId(),
  operations: [write(key, value)],
});

/** What a log breaks that is no longer what it was. */
const CHANGED = ['STREAM-SAME-LOG', 'STREAM-COMPLETE', 'STREAM-AFTER'];

/** Events of the log after a restart have all commits of one key space, in order, as they were answered. */
function checkCommits(t: TestContext, events: readonly LogEvent[], commits: readonly Commit[]): void {
  const before = new SpaceModel();
  for (const { version, leaderId, transaction } of commits) {
    const event = events.find((one) => one.version === version);
    t.check(
      'LOG-DURABLE',
      event !== undefined &&
        (transaction.requestId ?? event.requestId) === event.requestId &&
        hasEffectOf(event, transaction.operations, before) !== false,
      () =>
        `version ${version} was answered as committed; after a restart the log has ${event === undefined ? 'nothing' : 'something else'} there`,
    );
    t.check(
      'EVENT-LEADER',
      event?.leaderId === leaderId,
      () =>
        `version ${version} was committed by ${leaderId}; after a restart its event names ${event?.leaderId}`,
    );
    before.apply(version, transaction.operations);
  }
}

/** Reads the log from `base`, which a policy holds, up to `version`. */
async function checkLog(
  t: TestContext,
  base: bigint,
  version: bigint,
  commits: readonly Commit[],
): Promise<void> {
  for (const durable of [true, false]) {
    const events = await blame('LOG-DURABLE', CHANGED, () =>
      readLog(t, { after: base, durable }, version, 'LOG-DURABLE'),
    );
    t.check(
      'LOG-DURABLE',
      events !== 'truncated',
      `after a restart, after=${base} is answered with 410, although a policy holds it`,
    );
    if (events !== 'truncated') checkCommits(t, events, commits);
  }
}

const TRIES = 40;
/** Commits what a server may also refuse; undefined where it does, or rejects it again and again. */
async function commitIfAllowed(
  t: TestContext,
  space: KeySpace,
  operations: readonly Operation[],
): Promise<Commit | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const { answer, transaction } = await t.send(() => ({ operations }), space);
    if (answer.kind === 'committed') return { ...answer, transaction };
    if (answer.kind === 'refused') return undefined;
  }
  return undefined;
}

/** Transactions of several kinds, each on keys of its own. */
async function commitSeveralKinds(t: TestContext, space: KeySpace): Promise<Commit[]> {
  const key = (name: string): string => space.key(name);
  const commits = [
    await t.write([write(key('one'), t.bytes(100))], space),
    await t.write(
      [write(key('several a'), t.bytes(10)), write(key('several b'), t.bytes(10)), remove(key('several a'))],
      space,
    ),
    // Not the same in another order, nor with one operation for each key at the place of its first.
    await t.write(
      [
        write(key('order a'), 'one'),
        removeRange(key('order'), key('order~')),
        write(key('order a'), 'two'),
        write(key('order b'), 'one'),
        remove(key('order b')),
        write(key('order b'), 'two'),
      ],
      space,
    ),
    // What the first of them has written is still there when the second one takes it away.
    await t.write([write(key('x'), 'one'), write(key('x a'), 'one'), write(key('y'), 'one')], space),
    await t.write([removeRange(key('x'), key('y'))], space),
    await t.write([write(key('large'), t.bytes(4000))], space),
    // Servers like to treat large values in a way of their own, if they take them at all.
    await commitIfAllowed(t, space, [write(key('larger'), t.bytes(20_000))]),
    await commitIfAllowed(t, space, [write(key('larger yet'), t.bytes(40_000))]),
    await commitIfAllowed(t, space, [write(key('largest'), t.bytes(100_000))]),
    await commitIfAllowed(t, space, []),
    await t.write([remove(key('absent')), removeRange(key('u'), key('v'))], space),
    await commitIfAllowed(t, space, [write(key('empty'), '')]),
    await t.write([write(key('\xff\x80\x00\xc3'), '\xff\x80\x00\xc3'), remove(key('\xfe'))], space),
    await commitWithoutId(t, key('without id'), space),
    await t.write([write(key('last'), 'x')], space),
  ];
  return commits.filter((commit) => commit !== undefined);
}

/** Changes of keys in many ways, and for each a read from before it. */
async function changesOf(
  t: TestContext,
  space: KeySpace,
): Promise<{ before: bigint; reads: readonly Precondition[] }> {
  const key = (name: string): string => space.key(name);
  await t.write(
    [
      write(key('changed'), 'one'),
      write(key('deleted'), 'one'),
      write(key('range a'), 'one'),
      write(key('twice'), 'one'),
    ],
    space,
  );
  const { version: before } = await t.write([write(key('other'), 'x')], space);
  await t.write([write(key('changed'), 'two'), write(key('twice'), 'two')], space);
  await t.write([remove(key('deleted')), write(key('created'), 'one')], space);
  await t.write([removeRange(key('range'), key('range~')), write(key('twice'), 'one')], space);
  const points = ['changed', 'deleted', 'created', 'range a', 'twice'].map((name) => pointRead(key(name)));
  return {
    before,
    reads: [
      ...points,
      rangeRead(key('c'), key('d')),
      rangeRead(key('range'), key('range~')),
      rangeRead(space.prefix, space.end),
    ],
  };
}

export const restartTests: readonly Test[] = [
  {
    name: 'restart/quiet',
    title: 'Killed while nothing is under way, twice in a row: the log goes on just where it ended.',
    requirements: [
      'LOG-DURABLE',
      'VERSION-DURABLE',
      'LOG-VERSIONS-NOT-REUSED',
      'STATUS-DURABLE',
      'STATUS-COMMITTED-LEADER',
      'EVENT-LEADER',
      'STREAM-RESUME',
      'STREAM-AFTER-DEFAULT',
      'EVENT-PREV-VERSION',
      'STATUS-NOT-FOUND',
    ],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      await t.now();
      const { base, release } = await holdLog(t);
      const space = t.space();
      const commits = await commitSeveralKinds(t, space);
      for (let round = 0; round < 2; round += 1) {
        // The audit compares: one version has the same request_id before and after, also a generated one.
        await untilRecorded(t, commits.at(-1)!.version);
        await restartServer(t, { lookBack: async () => checkCommits(t, await logAsItIs(t, base), commits) });
        const last = commits.at(-1)!;
        await checkLog(t, base, last.version, commits);
        for (const { transaction, version, leaderId } of commits) {
          const { requestId } = transaction;
          if (requestId === undefined) continue;
          const status = await t.api.status(requestId, base);
          t.check(
            'STATUS-DURABLE',
            status.kind === 'committed' && status.version === version,
            () => `a request committed at ${version}; after a restart its status is ${status.kind}`,
          );
          t.check(
            'STATUS-COMMITTED-LEADER',
            status.kind === 'committed' && status.leaderId === leaderId,
            `the status of version ${version} names another leader after a restart`,
          );
        }
        const unknown = await t.api.status(t.requestId(), base);
        t.check(
          'STATUS-NOT-FOUND',
          unknown.kind === 'id_not_found',
          `after a restart, a request that was never sent is ${unknown.kind} from ${base}, although the log is held from there`,
        );
        const readers = [true, false].map((durable) => new LogFollower(t, { after: last.version, durable }));
        for (const reader of readers) {
          const refused = await reader.connect();
          t.check(
            'STREAM-RESUME',
            refused === undefined,
            `after a restart, after=${last.version}, the last version, is answered with ${refused}`,
          );
        }
        const live = [
          await t.api.stream({}, 'STREAM-AFTER-DEFAULT'),
          await t.api.stream({ durable: false }, 'STREAM-AFTER-DEFAULT'),
        ];
        const next = await blame(
          'LOG-VERSIONS-NOT-REUSED',
          ['LOG-VERSIONS-GROW', 'VERSION-NOT-AHEAD', 'CHECKPOINT-DURABLE'],
          () => t.write([write(space.key(`next ${round}`), t.bytes(100))], space),
        );
        await blame('STREAM-RESUME', ['STREAM-AFTER', 'STREAM-COMPLETE'], async () => {
          for (const reader of readers) await reader.readTo(next.version, 'STREAM-RESUME');
        });
        for (const stream of live) await stream.untilVersion(next.version, 'STREAM-AFTER-DEFAULT');
        for (const reader of [...readers, ...live]) reader.close();
        commits.push(next);
      }
      await release();
    },
  },
  restartUnderLoad,
  {
    name: 'restart/old-leader',
    title: 'After a restart, whoever names a leader of before is rejected, unless that leader still leads.',
    requirements: ['LEADER-FENCED-AFTER-RESTART', 'LEADER-NEW-AFTER-RESTART', 'LEADER-STABLE'],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      const space = t.space();
      const leaders = new Set([(await t.now()).leaderId]);
      await t.write([write(space.key('k'), 'one')], space);
      for (let round = 0; round < t.scale(1, 2); round += 1) {
        const { now } = await restartServer(t);
        for (const version of [now.version, (await t.write([write(space.key('k'), 'two')], space)).version]) {
          for (const leaderId of leaders) {
            if (leaderId === t.leaderId) continue;
            for (const preconditions of [undefined, [pointRead(space.key('k'), version)]]) {
              const answer = await blame(
                'LEADER-FENCED-AFTER-RESTART',
                ['LEADER-STABLE', 'COMMIT-ANSWER-LEADER'],
                () =>
                  sendAsIs(
                    t,
                    {
                      ...transactionFor(t, space.key('outcome')),
                      leaderId,
                      readVersion: version,
                      ...(preconditions === undefined ? {} : { preconditions }),
                    },
                    space,
                  ),
              );
              t.check(
                'LEADER-FENCED-AFTER-RESTART',
                answer.kind !== 'committed',
                `a commit that names leader ${leaderId} committed after a restart, where ${t.leaderId} leads`,
              );
            }
          }
        }
        leaders.add((await t.now()).leaderId);
      }
    },
  },
  {
    name: 'restart/preconditions-of-before',
    title:
      'What changed before a restart still breaks preconditions from before the change; with a fresh version a client gets through.',
    requirements: ['COMMIT-PRECONDITION-OLD', 'LOG-SERIALIZABLE', 'COMMIT-RETRY'],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      await t.now();
      const space = t.space();
      const { before, reads } = await changesOf(t, space);
      for (let round = 0; round < t.scale(1, 2); round += 1) {
        const restarted = await restartServer(t);
        for (const leaderId of new Set([restarted.before, restarted.now.leaderId])) {
          for (const [index, read] of reads.entries()) {
            const isDefault = index % 2 === 0;
            await blame('COMMIT-PRECONDITION-OLD', ['LEADER-STABLE'], () =>
              t.mustBeRejected(
                'COMMIT-PRECONDITION-OLD',
                'what it read changed before the restart',
                (basis) => ({
                  leaderId: leaderId === restarted.before ? leaderId : basis.leaderId,
                  readVersion: isDefault ? before : basis.version,
                  preconditions: [isDefault ? read : { ...read, version: before }],
                  operations: [write(space.key('outcome'), 'x')],
                }),
                space,
              ),
            );
          }
        }
        await t.commit(
          () => ({ preconditions: [reads[0]!], operations: [write(space.key('changed'), `${round}`)] }),
          space,
          'COMMIT-RETRY',
        );
        await t.mustBeRejected(
          'COMMIT-PRECONDITION-OLD',
          'what it read changed after the restart',
          () => ({
            readVersion: restarted.now.version,
            preconditions: [reads[0]!],
            operations: [write(space.key('outcome'), 'x')],
          }),
          space,
        );
      }
    },
  },
  {
    name: 'restart/request-ids',
    title:
      'A request_id that was used, or whose status was answered as not found, before a restart commits nothing after it.',
    requirements: ['STATUS-LATE-ARRIVAL', 'COMMIT-REQUEST-ID-REUSED', 'STATUS-DURABLE'],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      await t.now();
      const { base, release } = await holdLog(t);
      const space = t.space();
      const committed: Commit[] = [];
      for (let index = 0; index < 4; index += 1)
        committed.push(await t.write([write(space.key(`${index}`), 'x')], space));
      const asked = Array.from({ length: 4 }, (_, index) => transactionFor(t, space.key(`asked ${index}`)));
      for (const { requestId } of asked) {
        const { kind } = await t.api.status(requestId, t.committed);
        t.check(
          'STATUS-NOT-FOUND',
          kind === 'id_not_found',
          `the status of a request that was never sent is ${kind}`,
        );
      }
      await restartServer(t);
      for (const transaction of asked) {
        const { requestId, readVersion } = transaction;
        const answer = await blame('STATUS-LATE-ARRIVAL', ['LEADER-STABLE'], () =>
          sendAsIs(t, transaction, space),
        );
        t.check(
          'STATUS-LATE-ARRIVAL',
          answer.kind !== 'committed',
          `the status of ${requestId} was id_not_found, and it committed after a restart`,
        );
        const { kind } = await t.api.status(requestId, readVersion);
        t.check(
          'STATUS-LATE-ARRIVAL',
          kind !== 'committed',
          `the status of ${requestId} went from id_not_found to committed across a restart`,
        );
      }
      for (const { transaction, version } of committed) {
        const { kind } = await t.api.status(transaction.requestId!, base);
        t.check(
          'STATUS-DURABLE',
          kind === 'committed',
          `a request committed at ${version}; after a restart its status is ${kind}`,
        );
        for (const again of [
          transaction,
          { ...transactionFor(t, space.key('again')), requestId: transaction.requestId! },
        ]) {
          const answer = await sendAsIs(t, again, space);
          t.check(
            'COMMIT-REQUEST-ID-REUSED',
            answer.kind !== 'committed' || answer.version === version,
            () =>
              `${transaction.requestId} committed at ${version}, and after a restart again${answer.kind === 'committed' ? ` at ${answer.version}` : ''}`,
          );
        }
      }
      const { version: end } = await t.write([write(space.key('end'), 'x')], space);
      await checkLog(t, base, end, committed);
      await release();
    },
  },
  ...restartPolicyTests,
];
