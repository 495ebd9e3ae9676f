import type { CommitAnswer } from '../api/answers.js';
import type { KeySpace } from '../model/key-space.js';
import { pointRead, rangeRead, removeRange, type Transaction, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Build, TestContext } from '../run/test-context.js';

/**
 * Sends transactions so that they arrive as nearly at the same moment as a client can make them: each on a
 * connection of its own, all of it sent but the last byte, and then the last bytes.
 */
async function atOnce(t: TestContext, space: KeySpace, builds: readonly Build[]): Promise<CommitAnswer[]> {
  const basis = await t.now();
  const open = builds.map((build) =>
    t.api.openCommit(
      { leaderId: basis.leaderId, readVersion: basis.version, requestId: t.requestId(), ...build(basis) },
      space.name,
    ),
  );
  await Promise.all(open.map((one) => one.sendMost()));
  return Promise.all(open.map((one) => one.finish()));
}

/** The same over the connections that are open anyway. */
async function together(t: TestContext, space: KeySpace, builds: readonly Build[]): Promise<CommitAnswer[]> {
  const basis = await t.now();
  return Promise.all(
    builds.map((build) => {
      const transaction: Transaction = {
        leaderId: basis.leaderId,
        readVersion: basis.version,
        requestId: t.requestId(),
        ...build(basis),
      };
      return t.api.commit(transaction, space.name);
    }),
  );
}

const WAYS = [atOnce, together];

const committedOf = (answers: readonly CommitAnswer[]): bigint[] =>
  answers.flatMap((answer) => (answer.kind === 'committed' ? [answer.version] : [])).sort();

/** Of transactions that exclude each other, at most one may commit in each round. */
async function atMostOne(
  t: TestContext,
  rounds: number,
  what: string,
  buildsFor: (space: KeySpace, round: number) => readonly Build[],
  setUp: (space: KeySpace) => ReturnType<Build>['operations'],
): Promise<void> {
  const space = t.space();
  await t.write(setUp(space), space);
  for (let round = 0; round < rounds; round += 1) {
    const answers = await WAYS[round % WAYS.length]!(t, space, buildsFor(space, round));
    const versions = committedOf(answers);
    t.check(
      'LOG-SERIALIZABLE',
      versions.length <= 1,
      () =>
        `${what}: ${versions.length} of ${answers.length} transactions that exclude each other committed, at ${versions.join(', ')}`,
    );
  }
}

export const concurrencyTests: readonly Test[] = [
  {
    name: 'concurrency/lost-update',
    title:
      'Of many clients that read one key at one version and write it at the same moment, at most one commits.',
    requirements: ['LOG-SERIALIZABLE', 'COMMIT-POINT-READ'],
    phase: 'alone',
    run: (t) =>
      atMostOne(
        t,
        t.scale(6, 24),
        'read and write of one key',
        (space, round) =>
          Array.from(
            { length: 24 },
            (_, client): Build =>
              () => ({
                preconditions: [pointRead(space.key('hot'))],
                operations: [write(space.key('hot'), `${round} ${client}`)],
              }),
          ),
        (space) => [write(space.key('hot'), 'start')],
      ),
  },
  {
    name: 'concurrency/two-clients',
    title:
      'Of two clients that read one key at one version and write it at the same moment, at most one commits.',
    requirements: ['LOG-SERIALIZABLE', 'COMMIT-POINT-READ'],
    phase: 'alone',
    run: (t) =>
      atMostOne(
        t,
        t.scale(10, 60),
        'read and write of one key',
        (space, round) =>
          ['one', 'two'].map(
            (client): Build =>
              () => ({
                preconditions: [pointRead(space.key(`hot ${round % 3}`))],
                operations: [write(space.key(`hot ${round % 3}`), `${round} ${client}`)],
              }),
          ),
        (space) => [write(space.key('hot 0'), 'start')],
      ),
  },
  {
    name: 'concurrency/many-reads',
    title: 'The same when each transaction reads many keys, which takes longer to check.',
    requirements: ['LOG-SERIALIZABLE', 'COMMIT-PRECONDITIONS-ALL'],
    phase: 'alone',
    run: (t) =>
      atMostOne(
        t,
        t.scale(6, 24),
        'read of many keys, and write of one of them',
        (space, round) =>
          Array.from(
            { length: 6 },
            (_, client): Build =>
              () => {
                const hot = space.key('hot');
                const others = Array.from({ length: 30 + 30 * (round % 5) }, (__, index) =>
                  index % 10 === 0
                    ? rangeRead(space.key(`r ${index}`), space.key(`r ${index}~`))
                    : pointRead(space.key(`p ${index}`)),
                );
                const at = round % 3 === 0 ? 0 : round % 3 === 1 ? others.length : others.length >> 1;
                return {
                  preconditions: [...others.slice(0, at), pointRead(hot), ...others.slice(at)],
                  operations: [write(hot, `${round} ${client}`)],
                };
              },
          ),
        (space) => [write(space.key('hot'), 'start')],
      ),
  },
  {
    name: 'concurrency/write-skew',
    title: 'Two transactions that each read what the other writes do not both commit.',
    requirements: ['LOG-SERIALIZABLE', 'COMMIT-PRECONDITIONS-ALL'],
    phase: 'alone',
    run: (t) =>
      atMostOne(
        t,
        t.scale(8, 40),
        'write skew',
        (space, round) => {
          const [a, b] = [space.key('a'), space.key('b')];
          return [a, b].map(
            (mine): Build =>
              () => ({
                preconditions: [pointRead(a), pointRead(b)],
                operations: [write(mine, `${round}`)],
              }),
          );
        },
        (space) => [write(space.key('a'), 'start'), write(space.key('b'), 'start')],
      ),
  },
  {
    name: 'concurrency/phantom',
    title: 'Of transactions that each read a range and write a new key into it, at most one commits.',
    requirements: ['LOG-SERIALIZABLE', 'COMMIT-RANGE-READ'],
    phase: 'alone',
    run: (t) =>
      atMostOne(
        t,
        t.scale(8, 30),
        'insertion into a range that was read',
        (space, round) =>
          Array.from(
            { length: 6 },
            (_, client): Build =>
              () => ({
                preconditions: [rangeRead(space.key('r'), space.key('s'))],
                operations: [write(space.key(`r ${round} ${client}`), 'x')],
              }),
          ),
        (space) => [write(space.key('r'), 'start')],
      ),
  },
  {
    name: 'concurrency/range-delete',
    title: 'A range delete and a write inside, both of which read the range, do not both commit.',
    requirements: ['LOG-SERIALIZABLE', 'COMMIT-RANGE-DELETE'],
    phase: 'alone',
    run: (t) =>
      atMostOne(
        t,
        t.scale(8, 30),
        'range delete against write',
        (space, round) => [
          // What is deleted has to exist, or nothing changes: the deleter writes it too.
          () => ({
            preconditions: [rangeRead(space.key('a'), space.key('z'))],
            operations: [
              removeRange(space.key('a'), space.key('z')),
              write(space.key('m'), `deleter ${round}`),
            ],
          }),
          () => ({
            preconditions: [pointRead(space.key('m'))],
            operations: [write(space.key('k'), `${round}`), write(space.key('m'), `writer ${round}`)],
          }),
        ],
        (space) => [write(space.key('m'), 'start')],
      ),
  },
  {
    name: 'concurrency/bank',
    title:
      'Clients that move amounts between keys, each with its reads as preconditions, under load: the log is serializable.',
    requirements: ['LOG-SERIALIZABLE', 'LOG-ONE-VERSION-EACH', 'COMMIT-VISIBLE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const accounts = Array.from({ length: 5 }, (_, index) => space.key(`account ${index}`));
      await t.write(
        accounts.map((key) => write(key, '0')),
        space,
      );
      const clients = Array.from({ length: 10 }, (_, client) => client);
      await t.each(clients, clients.length, async (client) => {
        for (let turn = 0; turn < t.scale(6, 30); turn += 1) {
          const [from, to] = t.random.shuffle(accounts);
          const basis = turn % 3 === 0 ? await t.now() : { version: t.committed, leaderId: t.leaderId };
          await t.send(
            () => ({
              readVersion: basis.version,
              leaderId: basis.leaderId,
              preconditions:
                turn % 4 === 0
                  ? [rangeRead(space.key('account'), space.key('account~'))]
                  : [pointRead(from!), pointRead(to!)],
              operations: [write(from!, `${client} ${turn} out`), write(to!, `${client} ${turn} in`)],
            }),
            space,
          );
        }
      });
    },
  },
  {
    name: 'concurrency/versions-are-unique',
    title:
      'Transactions that are sent at the same moment each get a version of their own, in one order for all.',
    requirements: ['LOG-ONE-VERSION-EACH', 'LOG-VERSIONS-GROW', 'EVENT-VERSION', 'STREAM-COMPLETE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('start'), 'x')], space);
      const start = t.committed;
      const stream = await t.api.stream({ after: start });
      const seen = new Set<bigint>();
      for (let round = 0; round < t.scale(4, 12); round += 1) {
        const answers = await WAYS[round % WAYS.length]!(
          t,
          space,
          Array.from(
            { length: 24 },
            (_, client): Build =>
              () => ({
                operations: [write(space.key(`${client}`), `${round}`)],
              }),
          ),
        );
        for (const version of committedOf(answers)) {
          t.check(
            'LOG-ONE-VERSION-EACH',
            !seen.has(version),
            `version ${version} was answered to two commits`,
          );
          seen.add(version);
        }
      }
      const last = await t.write([write(space.key('end'), 'x')], space);
      const events = await stream.untilVersion(last.version, 'STREAM-COMPLETE');
      const streamed = new Set(events.map(({ version }) => version));
      for (const version of seen) {
        t.check(
          'STREAM-COMPLETE',
          streamed.has(version),
          `version ${version} was answered as committed and not streamed`,
        );
      }
    },
  },
  {
    name: 'concurrency/disjoint-writers',
    title: 'Clients that read and write keys of their own under load all get through in the end.',
    requirements: ['COMMIT-RETRY', 'LOG-SERIALIZABLE'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const clients = Array.from({ length: 8 }, (_, client) => space.key(`client ${client}`));
      // Whoever commits makes a server with coarse conflict ranges reject the others: they take turns in the end.
      await t.each(clients, clients.length, async (key) => {
        for (let turn = 0; turn < t.scale(3, 10); turn += 1) {
          await t.commit(
            () => ({ preconditions: [pointRead(key)], operations: [write(key, `${turn}`)] }),
            space,
          );
        }
      });
    },
  },
];
