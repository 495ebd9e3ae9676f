import { type Operation, pointRead, remove, removeRange, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import { commitOrRefusal } from './commit-or-refusal.js';

export const versionTests: readonly Test[] = [
  {
    name: 'version/fields',
    title: 'The answer is JSON with an integer version and a leader_id.',
    requirements: [
      'VERSION-FIELDS',
      'FIELD-VERSION-INTEGER',
      'FIELD-LEADER-STRING',
      'ENCODING-JSON',
      'LEADER-FORMAT',
    ],
    run: async (t) => {
      const { leaderId } = await t.api.version();
      t.saw('LEADER-FORMAT', `${leaderId.length} characters, such as ${leaderId.slice(0, 60)}`);
    },
  },
  {
    name: 'version/never-behind',
    title:
      'Queries sent after a commit was answered are never behind it, while several clients write and ask.',
    requirements: ['VERSION-NOT-BEHIND', 'COMMIT-VISIBLE', 'LEADER-STABLE', 'VERSION-LEADER'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      let writing = 4;
      const writeAndAsk = async (writer: number): Promise<void> => {
        for (let index = 0; index < t.scale(12, 50); index += 1) {
          await t.write([write(space.key(`${writer}`), `${index}`)], space);
          await t.now();
        }
      };
      const writers = Array.from({ length: 4 }, (_, writer) =>
        writeAndAsk(writer).finally(() => {
          writing -= 1;
        }),
      );
      const readers = Array.from({ length: 4 }, async () => {
        while (writing > 0) await t.now();
      });
      await Promise.all([...writers, ...readers]);
    },
  },
  {
    name: 'version/whatever-was-committed',
    title: 'The version is not behind a commit, whatever kinds of operations it has.',
    requirements: ['VERSION-NOT-BEHIND', 'COMMIT-VISIBLE'],
    run: async (t) => {
      const space = t.space();
      const [key, end] = [space.key('k'), space.key('l')];
      const kinds: readonly (readonly Operation[])[] = [
        [write(key, 'x')],
        [write(key, 'x')],
        [remove(key)],
        [remove(key)],
        [removeRange(key, end)],
        [write(key, 'y'), remove(key)],
        [],
      ];
      for (const operations of kinds) {
        const preconditions = [pointRead(space.key('absent'))];
        // No operations at all may be refused.
        for (const reads of [undefined, preconditions])
          await commitOrRefusal(t, () => ({ operations, ...(reads && { preconditions: reads }) }), space);
        await t.now();
      }
    },
  },
  {
    name: 'version/not-ahead',
    title:
      'A version that was answered is committed: what commits later is above it, also when nothing is under way.',
    requirements: ['VERSION-NOT-AHEAD', 'LOG-VERSIONS-GROW'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      for (let index = 0; index < 5; index += 1) {
        const before = await t.now();
        const { version } = await t.write([write(space.key('k'), `${index}`)], space);
        t.check(
          'VERSION-NOT-AHEAD',
          version > before.version,
          `${before.version} was answered, and the next transaction committed at ${version}`,
        );
      }
    },
  },
];
