import { SpaceModel } from '../model/space-model.js';
import {
  type Operation,
  pointRead,
  remove,
  removeRange,
  showOperation,
  write,
} from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { show } from '../wire/bytes.js';
import { hasEffectOf } from './event-effect.js';
import { LogReader } from './log-reader.js';

type Case = readonly [
  name: string,
  requirement: string,
  operations: (key: (ending: string) => string) => Operation[],
];

/** Each on top of keys a to e, which exist. */
const CASES: readonly Case[] = [
  ['a write', 'COMMIT-WRITE', (k) => [write(k('c'), 'new')]],
  ['a write of a new key', 'COMMIT-WRITE', (k) => [write(k('f'), 'new')]],
  ['a delete', 'COMMIT-DELETE', (k) => [remove(k('c'))]],
  ['a range delete', 'COMMIT-RANGE-DELETE', (k) => [removeRange(k('b'), k('d'))]],
  ['a range delete of everything', 'COMMIT-RANGE-DELETE', (k) => [removeRange(k(''), k('\xff'))]],
  [
    'two writes of one key',
    'COMMIT-OPERATIONS-ORDER',
    (k) => [write(k('c'), 'first'), write(k('c'), 'second')],
  ],
  ['write, then delete', 'COMMIT-OPERATIONS-ORDER', (k) => [write(k('c'), 'x'), remove(k('c'))]],
  ['delete, then write', 'COMMIT-OPERATIONS-ORDER', (k) => [remove(k('c')), write(k('c'), 'x')]],
  [
    'write, then range delete',
    'COMMIT-OPERATIONS-ORDER',
    (k) => [write(k('c'), 'x'), removeRange(k('a'), k('e'))],
  ],
  [
    'range delete, then write inside',
    'COMMIT-OPERATIONS-ORDER',
    (k) => [removeRange(k('a'), k('e')), write(k('c'), 'x')],
  ],
  [
    'overlapping range deletes and writes between',
    'COMMIT-OPERATIONS-ORDER',
    (k) => [removeRange(k('a'), k('c')), write(k('b'), '1'), removeRange(k('b'), k('e')), write(k('d'), '2')],
  ],
  [
    'all kinds',
    'COMMIT-OPERATIONS-ORDER',
    (k) => [
      write(k('x'), '1'),
      remove(k('a')),
      removeRange(k('c'), k('e')),
      write(k('a'), '2'),
      remove(k('x')),
    ],
  ],
];

/**
 * Commits `operations` on top of five keys, and checks that the stream shows what they do, and that whoever
 * has read a key that they changed is rejected.
 */
async function effectIsSeen(t: TestContext, requirement: string, operationsOf: Case[2]): Promise<void> {
  const space = t.space();
  const key = (ending: string): string => space.key(ending);
  const model = new SpaceModel();
  const setUp = ['a', 'b', 'c', 'd', 'e'].map((ending) => write(key(ending), 'old'));
  const before = await t.write(setUp, space);
  model.apply(before.version, setUp);
  const operations = operationsOf(key);
  const reader = await LogReader.open(t);
  const commit = await t.write(operations, space);
  t.check(
    'EVENT-OPERATIONS',
    hasEffectOf(await reader.at(commit.version), operations, model) !== false,
    () =>
      `on top of keys a to e, the operations that are streamed at ${commit.version} do not do what was sent: ${operations.map(showOperation).join('; ')}`,
  );
  for (const changed of model.apply(commit.version, operations)) {
    await t.mustBeRejected(
      requirement,
      `${show(changed)} was changed at ${commit.version}`,
      () => ({ preconditions: [pointRead(changed, before.version)], operations: [write(key('z'), 'x')] }),
      space,
    );
  }
}

export const operationTests: readonly Test[] = [
  ...CASES.map(
    ([name, requirement, operationsOf]): Test => ({
      name: `commit/operations/${name.replace(/[^a-z]+/g, '-')}`,
      title: `The effect of ${name} is seen by later commits and by readers of the log.`,
      requirements: [requirement, 'EVENT-OPERATIONS'],
      run: (t) => effectIsSeen(t, requirement, operationsOf),
    }),
  ),
  {
    name: 'commit/operations/many',
    title: 'All of 300 operations of one transaction take effect.',
    requirements: ['COMMIT-WRITE', 'EVENT-OPERATIONS'],
    run: async (t) => {
      const space = t.space();
      const keys = Array.from({ length: 300 }, (_, index) => space.key(`${index}`));
      const before = await t.write([write(space.key('start'), 'x')], space);
      await t.write(
        keys.map((key) => write(key, 'value')),
        space,
      );
      const probes = [0, 1, 15, 16, 31, 32, 63, 64, 65, 99, 100, 127, 128, 199, 200, 255, 256, 298, 299];
      await t.each(probes, 4, async (probe) => {
        await t.mustBeRejected(
          'COMMIT-WRITE',
          `operation ${probe + 1} of 300 created ${show(keys[probe]!)}`,
          () => ({
            preconditions: [pointRead(keys[probe]!, before.version)],
            operations: [write(space.key('z'), 'x')],
          }),
          space,
        );
      });
    },
  },
  {
    name: 'commit/operations/more-than-a-thousand',
    title: 'All of 1100 operations of one transaction take effect and are streamed.',
    requirements: ['COMMIT-WRITE', 'EVENT-OPERATIONS'],
    run: async (t) => {
      const space = t.space();
      const key = (index: number): string => space.key(index.toString(36));
      const before = await t.write([write(space.key('start'), 'x')], space);
      const commit = await t.write(
        Array.from({ length: 1100 }, (_, index) => write(key(index), 'v')),
        space,
      );
      t.check('COMMIT-WRITE', commit.version > before.version, 'versions did not grow');
      await t.each([0, 999, 1000, 1023, 1024, 1099], 3, async (index) => {
        await t.mustBeRejected(
          'COMMIT-WRITE',
          `operation ${index + 1} of 1100 created the key`,
          () => ({
            preconditions: [pointRead(key(index), before.version)],
            operations: [write(space.key('z'), 'x')],
          }),
          space,
        );
      });
    },
  },
  {
    name: 'commit/operations/empty-value',
    title: 'Where an empty value is accepted, it is a value: the key exists, and the event shows it.',
    requirements: ['COMMIT-POINT-READ-EXISTENCE', 'EVENT-OPERATIONS', 'COMMIT-EMPTY'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const before = await t.write([write(space.key('start'), 'x')], space);
      const { answer } = await t.send(() => ({ operations: [write(key, '')] }), space);
      t.saw('COMMIT-EMPTY', `an empty value: ${answer.kind === 'refused' ? answer.httpStatus : answer.kind}`);
      if (answer.kind !== 'committed') return;
      const stale = async (version: bigint, why: string): Promise<void> => {
        await t.mustBeRejected(
          'COMMIT-POINT-READ-EXISTENCE',
          why,
          () => ({ preconditions: [pointRead(key, version)], operations: [write(space.key('z'), 'x')] }),
          space,
        );
      };
      await stale(before.version, 'the key was created with an empty value');
      await t.write([remove(key)], space);
      await stale(answer.version, 'the key, whose value was empty, was deleted');
    },
  },
  {
    name: 'commit/operations/values',
    title:
      'Values of all bytes, of every length around the padding of base64, and long ones are streamed as they were sent.',
    requirements: ['ENCODING-BASE64', 'EVENT-OPERATIONS', 'COMMIT-WRITE'],
    run: async (t) => {
      const space = t.space();
      const all = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join('');
      const values = [
        all,
        '\x00',
        '\xff',
        '\x00\x00',
        'ab',
        'abc',
        'abcd',
        '\xfb\xff\xfe',
        ...[1, 2, 3, 4, 5].map((n) => t.bytes(n)),
      ];
      for (const [index, value] of values.entries())
        await t.write([write(space.key(all + index), value)], space);
      for (const length of [1_000, 5_000, 20_000, 40_000]) {
        if (length * 1.5 > (t.hooks.maxCommitBytes ?? 1e6)) continue;
        const key = space.key(`${length}`);
        const before = t.committed;
        await t.write([write(key, t.bytes(length))], space);
        await t.mustBeRejected(
          'COMMIT-WRITE',
          `the key was written with a value of ${length} bytes`,
          () => ({ preconditions: [pointRead(key, before)], operations: [write(space.key('z'), 'x')] }),
          space,
        );
      }
      const marker = await t.write([write(space.key('end'), 'x')], space);
      const stream = await t.api.stream({ after: t.run.startVersion });
      await stream.untilVersion(marker.version, 'STREAM-COMPLETE');
    },
  },
  {
    name: 'commit/operations/no-op',
    title: 'Whether what changes nothing counts as a change.',
    requirements: ['COMMIT-ANSWER-STATUS', 'COMMIT-NO-OP-CHANGE'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const observe = async (name: string, setUp: Operation, noOp: Operation): Promise<void> => {
        await t.write([setUp], space);
        const before = t.committed;
        await t.write([noOp], space);
        const { answer } = await t.send(
          () => ({ preconditions: [pointRead(key, before)], operations: [write(space.key('z'), 'x')] }),
          space,
        );
        t.saw('COMMIT-NO-OP-CHANGE', `${name}: ${answer.kind === 'committed' ? 'no change' : 'a change'}`);
      };
      await observe('writing the value that the key has', write(key, 'same'), write(key, 'same'));
      await observe('deleting what does not exist', remove(key), remove(key));
    },
  },
];
