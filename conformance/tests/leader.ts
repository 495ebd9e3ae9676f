import { type Operation, pointRead, remove, removeRange, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';

/** Leader ids that are not the one given, and yet like it. */
function others(leaderId: string): string[] {
  const last = leaderId.at(-1)!;
  const swapped = [...leaderId]
    .map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase()))
    .join('');
  return [
    `${leaderId}x`,
    `x${leaderId}`,
    ` ${leaderId}`,
    `${leaderId} `,
    leaderId.slice(0, -1) + (last === 'a' ? 'b' : 'a'),
    ...(leaderId.length > 1 ? [leaderId.slice(0, -1)] : []),
    ...(swapped === leaderId ? [] : [swapped]),
    'conformance-no-such-leader',
  ];
}

/** Whether two IDs have the same length and the same kinds of characters. */
const isAlike = (a: string, b: string): boolean =>
  a.replace(/[a-z0-9]/gi, 'x') === b.replace(/[a-z0-9]/gi, 'x');

export const leaderTests: readonly Test[] = [
  {
    name: 'commit/leader/other',
    title:
      'A commit that names another leader than the current one is not committed, with and without preconditions.',
    requirements: [
      'COMMIT-LEADER-CHANGED',
      'COMMIT-ANSWER-LEADER',
      'COMMIT-ANSWER-CONFLICTS',
      'COMMIT-ANSWER-STATUS',
    ],
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('k'), 'one')], space);
      const changes: readonly (readonly Operation[])[] = [
        [write(space.key('outcome'), 'x')],
        [remove(space.key('outcome'))],
        [removeRange(space.key('outcome'), space.key('outcomf'))],
        [],
      ];
      for (const [turn, wrong] of others((await t.now()).leaderId).entries()) {
        for (const [form, preconditions] of [undefined, [], [pointRead(space.key('k'))]].entries()) {
          // In turn, so that each comes with and without preconditions.
          const operations = changes[(turn + form) % changes.length]!;
          const { answer } = await t.send(
            () => ({
              leaderId: wrong,
              ...(preconditions === undefined ? {} : { preconditions }),
              operations,
            }),
            space,
          );
          t.check(
            'COMMIT-LEADER-CHANGED',
            // An ID of a form that the server does not give may be taken for malformed, and so may no operations.
            answer.kind === 'not_committed' ||
              (answer.kind === 'refused' && (operations.length === 0 || !isAlike(wrong, t.leaderId))),
            () =>
              `a commit that names leader ${wrong}, where ${t.leaderId} leads, was answered ${answer.kind === 'refused' ? answer.httpStatus : answer.kind}, not as not_committed`,
          );
          if (answer.kind !== 'not_committed') continue;
          t.check(
            'COMMIT-ANSWER-LEADER',
            answer.leaderId !== wrong,
            `the answer to a commit that names another leader, ${wrong}, names it as the leader`,
          );
          await t.commit(
            () => ({
              preconditions: [pointRead(space.key('retry'))],
              operations: [write(space.key('retry'), `${t.random.below(1e9)}`)],
            }),
            space,
          );
        }
      }
    },
  },
  {
    name: 'commit/leader/empty',
    title: 'A commit that names the empty leader is not committed.',
    requirements: ['COMMIT-LEADER-CHANGED'],
    run: async (t) => {
      const space = t.space();
      const { answer } = await t.send(
        () => ({ leaderId: '', operations: [write(space.key('k'), 'x')] }),
        space,
      );
      t.check(
        'COMMIT-LEADER-CHANGED',
        answer.kind !== 'committed',
        'a commit with an empty leader_id was committed',
      );
    },
  },
  {
    name: 'leader/one-for-all',
    title: 'Version, commit, status, event and checkpoint name the same leader.',
    requirements: [
      'LEADER-STABLE',
      'VERSION-LEADER',
      'EVENT-LEADER',
      'CHECKPOINT-LEADER',
      'STATUS-COMMITTED-LEADER',
      'STATUS-COMMITTED',
      'COMMIT-ANSWER-LEADER',
    ],
    run: async (t) => {
      const space = t.space();
      for (let tries = 0; tries < 10; tries += 1) {
        const first = await t.now();
        const stream = await t.api.stream({ after: first.version, durable: false }, 'STREAM-ACCEPTED');
        const commit = await t.write([write(space.key('k'), `${tries}`)], space);
        const event = (await stream.untilVersion(commit.version)).at(-1);
        const seen = await stream.until(
          (item) => item.kind === 'checkpoint' && item.version >= commit.version,
          `a checkpoint at or above ${commit.version}`,
          'CHECKPOINT-FOLLOWS',
        );
        const checkpoint = seen.at(-1);
        stream.close();
        const status = await t.api.status(commit.transaction.requestId!, first.version);
        const last = await t.now();
        if (first.leaderId !== last.leaderId) continue;
        const { leaderId } = first;
        t.check(
          'COMMIT-ANSWER-LEADER',
          commit.leaderId === leaderId,
          `a commit answer names ${commit.leaderId}, where ${leaderId} leads`,
        );
        t.check(
          'EVENT-LEADER',
          event?.leaderId === leaderId,
          `an event names ${event?.leaderId}, where ${leaderId} leads`,
        );
        t.check(
          'CHECKPOINT-LEADER',
          checkpoint?.kind === 'checkpoint' && checkpoint.leaderId === leaderId,
          `a checkpoint names another leader than ${leaderId}`,
        );
        if (status.kind === 'log_truncated') return;
        t.check(
          'STATUS-COMMITTED',
          status.kind === 'committed',
          `a commit was answered, and its status is ${status.kind}`,
        );
        t.check(
          'STATUS-COMMITTED-LEADER',
          status.kind === 'committed' && status.leaderId === leaderId,
          `a status names another leader than ${leaderId}`,
        );
        return;
      }
      t.giveUp('the leader changed each time');
    },
  },
];
