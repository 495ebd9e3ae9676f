import type { KeySpace } from '../model/key-space.js';
import {
  type Operation,
  type Precondition,
  pointRead,
  rangeRead,
  remove,
  removeRange,
  write,
} from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { Build, TestContext } from '../run/test-context.js';
import { CONFLICT_CASES, type ConflictCase } from './conflict-cases.js';

/** What a transaction with a stale read might try to do, in forms that a server may decide in ways of their own. */
const ATTEMPTS: readonly ((space: KeySpace, name: string) => readonly Operation[])[] = [
  (space, name) => [write(space.key('outcome'), name)],
  (space) => [remove(space.key('outcome'))],
  (space) => [removeRange(space.key('outcome'), space.key('outcome~'))],
  // What it read itself.
  (space, name) => [write(space.key('k'), name), write(space.key('d'), name)],
  (space, name) => Array.from({ length: 70 }, (_, index) => write(space.key(`outcome ${index}`), name)),
];

/** Plays one case: a stale read is rejected, in whichever way it names its version; a fresh one commits. */
async function play(t: TestContext, one: ConflictCase): Promise<void> {
  const space = t.space();
  const before = await t.write(one.before(space), space);
  for (const operations of one.changes(space)) await t.write(operations, space);
  const why = `the read is from version ${before.version}, and since then: ${one.name}`;
  const operations = t.random.pick(ATTEMPTS)(space, one.name);
  const stale: readonly Build[] = [
    () => ({ readVersion: before.version, preconditions: [one.read(space)], operations }),
    () => ({ preconditions: [one.read(space, before.version)], operations }),
    () => ({ requestId: undefined, preconditions: [one.read(space, before.version)], operations }),
  ];
  for (const build of stale) await t.mustBeRejected(one.requirement, why, build, space);
  await t.commit(
    () => ({ preconditions: [one.read(space)], operations: [write(space.key('outcome'), 'fresh')] }),
    space,
  );
}

const slug = (name: string): string => name.toLowerCase().replace(/[^a-z]+/g, '-');

const caseTests: readonly Test[] = CONFLICT_CASES.map((one) => ({
  name: `commit/stale/${one.reads}/${slug(one.name)}`,
  title: `A ${one.reads} read does not hold any more: ${one.name}.`,
  requirements: [one.requirement, 'COMMIT-RETRY', 'COMMIT-ANSWER-CONFLICTS', 'COMMIT-ANSWER-RETRY-VERSION'],
  run: (t) => play(t, one),
}));

/** Many unchanged keys, and one that changed, at every place among the preconditions. */
async function oneOfMany(t: TestContext, count: number): Promise<void> {
  const space = t.space();
  const changed = space.key('changed');
  const before = await t.write([write(changed, 'one')], space);
  await t.write([write(changed, 'two')], space);
  const places = [
    ...new Set([0, 1, count >> 1, count - 2, count - 1].filter((place) => place >= 0 && place < count)),
  ];
  for (const [turn, place] of places.entries()) {
    const stale =
      turn % 2 === 0
        ? pointRead(changed, before.version)
        : rangeRead(changed, `${changed}\x00`, before.version);
    const preconditions = Array.from({ length: count }, (_, index): Precondition => {
      if (index === place) return stale;
      const key = space.key(`untouched ${index}`);
      return index % 3 === 0 ? rangeRead(key, `${key}!`) : pointRead(key);
    });
    const answer = await t.mustBeRejected(
      'COMMIT-PRECONDITIONS-ALL',
      `precondition ${place + 1} of ${count} does not hold`,
      () => ({ preconditions, operations: [write(space.key('outcome'), 'x')] }),
      space,
    );
    t.saw(
      'COMMIT-ANSWER-CONFLICTS-ALL',
      answer.conflicts.length > 1 ? 'more than those that failed' : 'only what failed',
    );
  }
}

export const conflictTests: readonly Test[] = [
  ...caseTests,
  ...[2, 3, 9, 17, 33, 65, 101].map(
    (count): Test => ({
      name: `commit/preconditions/one-of-${count}`,
      title: `One precondition of ${count} that does not hold is enough, wherever it stands.`,
      requirements: ['COMMIT-PRECONDITIONS-ALL', 'COMMIT-ANSWER-CONFLICTS'],
      run: (t) => oneOfMany(t, count),
    }),
  ),
  {
    name: 'commit/preconditions/one-of-hundreds',
    title: 'One precondition of 257, 600 and 1025 that does not hold is enough.',
    requirements: ['COMMIT-PRECONDITIONS-ALL'],
    run: async (t) => {
      for (const count of [257, 600, 1025]) {
        if (count * 160 < (t.hooks.maxCommitBytes ?? 1e6)) await oneOfMany(t, count);
      }
    },
  },
  {
    name: 'commit/preconditions/none',
    title: 'A commit without preconditions, or with an empty list, commits whatever was changed.',
    requirements: ['COMMIT-PRECONDITIONS-OPTIONAL'],
    run: async (t) => {
      const space = t.space();
      const { version } = await t.write([write(space.key('k'), 'one')], space);
      await t.write([write(space.key('k'), 'two')], space);
      await t.commit(() => ({ operations: [write(space.key('k'), 'three')] }), space);
      await t.commit(() => ({ preconditions: [], operations: [write(space.key('k'), 'four')] }), space);
      t.check('COMMIT-PRECONDITIONS-OPTIONAL', t.committed > version, 'versions did not grow');
    },
  },
  {
    name: 'commit/preconditions/version-overrides-read-version',
    title: 'A precondition with a version of its own is checked there, also when that is version 0.',
    requirements: ['COMMIT-PRECONDITION-VERSION'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const first = await t.write([write(key, 'one')], space);
      await t.write([write(key, 'two')], space);
      for (const version of [first.version, first.version - 1n, 0n]) {
        for (const precondition of [pointRead(key, version), rangeRead(space.prefix, space.end, version)]) {
          await t.mustBeRejected(
            'COMMIT-PRECONDITION-VERSION',
            `the precondition names version ${version}, and its key changed since`,
            () => ({ preconditions: [precondition], operations: [write(space.key('outcome'), 'x')] }),
            space,
          );
        }
      }
      await t.mustBeRejected(
        'COMMIT-READ-VERSION-DEFAULT',
        'read_version is 0, the precondition names no version, and its key changed since',
        () => ({
          readVersion: 0n,
          preconditions: [pointRead(key)],
          operations: [write(space.key('outcome'), 'x')],
        }),
        space,
      );
    },
  },
  {
    name: 'commit/preconditions/read-version-is-the-default',
    title: 'A precondition without a version is checked at read_version, also beside others that have one.',
    requirements: ['COMMIT-READ-VERSION-DEFAULT'],
    run: async (t) => {
      const space = t.space();
      const [stale, fresh] = [space.key('stale'), space.key('fresh')];
      const old = await t.write([write(stale, 'one'), write(fresh, 'one')], space);
      const newest = await t.write([write(stale, 'two')], space);
      for (const preconditions of [
        [pointRead(stale)],
        [pointRead(fresh, newest.version), pointRead(stale)],
        [pointRead(stale), pointRead(fresh, newest.version)],
        [rangeRead(fresh, `${fresh}\x00`, newest.version), rangeRead(stale, `${stale}\x00`)],
      ]) {
        await t.mustBeRejected(
          'COMMIT-READ-VERSION-DEFAULT',
          `read_version is ${old.version}, and a key whose precondition names no version changed since`,
          () => ({ readVersion: old.version, preconditions, operations: [write(space.key('outcome'), 'x')] }),
          space,
        );
      }
    },
  },
  {
    name: 'commit/preconditions/versions-differ',
    title: 'Each of several preconditions is checked at its own version.',
    requirements: ['COMMIT-PRECONDITION-VERSIONS-DIFFER'],
    run: async (t) => {
      const space = t.space();
      const [a, b] = [space.key('a'), space.key('b')];
      const v1 = await t.write([write(a, '1'), write(b, '1')], space);
      const v2 = await t.write([write(a, '2')], space);
      const v3 = await t.write([write(b, '2')], space);
      const stale: readonly (readonly Precondition[])[] = [
        // a is read after its change, b before.
        [pointRead(a, v3.version), pointRead(b, v2.version)],
        [pointRead(b, v2.version), pointRead(a, v3.version)],
        // b is read after its change, a before.
        [pointRead(a, v1.version), pointRead(b, v3.version)],
        [pointRead(b, v3.version), pointRead(a, v1.version)],
        [rangeRead(a, `${a}\x00`, v1.version), rangeRead(b, `${b}\x00`, v3.version)],
        [rangeRead(b, `${b}\x00`, v3.version), pointRead(a, v1.version)],
        // One key, read twice.
        [pointRead(a, v3.version), pointRead(a, v1.version)],
        [pointRead(a, v1.version), pointRead(a, v3.version)],
      ];
      for (const preconditions of stale) {
        for (const readVersion of [v1.version, v3.version]) {
          await t.mustBeRejected(
            'COMMIT-PRECONDITION-VERSIONS-DIFFER',
            'one of the preconditions was read before its key changed',
            () => ({ readVersion, preconditions, operations: [write(space.key('outcome'), 'x')] }),
            space,
          );
        }
      }
    },
  },
  {
    name: 'commit/preconditions/future',
    title: 'A precondition at a version that the log has not reached does not make a commit.',
    requirements: ['COMMIT-PRECONDITION-FUTURE'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      await t.write([write(key, 'one')], space);
      const far = t.committed + 2n ** 40n;
      for (const [readVersion, preconditions] of [
        [far, [pointRead(key)]],
        [t.committed, [pointRead(key, far)]],
        [t.committed, [rangeRead(space.prefix, space.end, far)]],
        [t.committed, [pointRead(space.key('other')), pointRead(key, far)]],
      ] as const) {
        const { answer } = await t.send(
          () => ({ readVersion, preconditions, operations: [write(space.key('outcome'), 'x')] }),
          space,
        );
        t.check(
          'COMMIT-PRECONDITION-FUTURE',
          answer.kind !== 'committed',
          `committed although a precondition names version ${far}, which the log has not reached`,
        );
        t.saw(
          'COMMIT-FIELDS-LENIENT',
          `a version that the log has not reached: ${answer.kind === 'refused' ? answer.httpStatus : answer.kind}`,
        );
      }
    },
  },
  {
    name: 'commit/preconditions/own-writes',
    title: 'A transaction that writes what it reads commits, again and again.',
    requirements: ['COMMIT-PRECONDITION-OWN-WRITES', 'COMMIT-RETRY'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('counter');
      for (let count = 0; count < 6; count += 1) {
        await t.commit(
          ({ version }) => ({
            preconditions: [pointRead(key), rangeRead(space.prefix, space.end, version)],
            operations: [write(key, `${count}`), write(space.key(`log ${count}`), 'x')],
          }),
          space,
        );
      }
    },
  },
  {
    name: 'commit/preconditions/chain-of-changes',
    title: 'At each version of a key that changes again and again, exactly the reads from before fail.',
    requirements: ['COMMIT-POINT-READ', 'COMMIT-RANGE-READ'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const versions: bigint[] = [];
      for (let index = 0; index < 12; index += 1) {
        versions.push((await t.write([write(key, `${index}`)], space)).version);
      }
      await t.each(versions.slice(0, -1), 4, async (version, index) => {
        await t.mustBeRejected(
          index % 2 === 0 ? 'COMMIT-POINT-READ' : 'COMMIT-RANGE-READ',
          `the key was read at ${version} and changed at ${versions[index + 1]}`,
          () => ({
            preconditions: [
              index % 2 === 0 ? pointRead(key, version) : rangeRead(space.prefix, space.end, version),
            ],
            operations: [write(space.key('outcome'), 'x')],
          }),
          space,
        );
      });
    },
  },
  {
    name: 'commit/preconditions/whatever-it-does',
    title: 'A stale read is rejected whatever the transaction wants to do, also when it wants nothing.',
    requirements: ['COMMIT-PRECONDITIONS-ALL', 'LOG-SERIALIZABLE'],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const before = await t.write([write(key, 'one'), write(space.key('outcome'), 'x')], space);
      await t.write([write(key, 'two')], space);
      for (const attempt of [...ATTEMPTS.map((one) => one(space, 'attempt')), []]) {
        for (const precondition of [
          pointRead(key, before.version),
          rangeRead(space.prefix, space.end, before.version),
        ]) {
          const { answer } = await t.send(
            () => ({ preconditions: [precondition], operations: attempt }),
            space,
          );
          t.check(
            'COMMIT-PRECONDITIONS-ALL',
            answer.kind !== 'committed',
            `committed although its read is from version ${before.version} and the key was changed since, with ${attempt.length} operations of type ${attempt[0]?.type ?? 'none'}`,
          );
        }
      }
    },
  },
  {
    name: 'commit/preconditions/wide-range',
    title: 'A range read over hundreds of keys does not hold once any one of them has changed.',
    requirements: ['COMMIT-RANGE-READ'],
    run: async (t) => {
      const space = t.space();
      const keys = Array.from({ length: 320 }, (_, index) => space.key(`k${String(index).padStart(4, '0')}`));
      await t.write(
        keys.slice(0, 160).map((key) => write(key, 'one')),
        space,
      );
      await t.write(
        keys.slice(160).map((key) => write(key, 'one')),
        space,
      );
      for (const index of [0, 99, 100, 101, 160, 255, 256, 319]) {
        const before = t.committed;
        await t.write([index % 2 === 0 ? write(keys[index]!, `two ${index}`) : remove(keys[index]!)], space);
        await t.mustBeRejected(
          'COMMIT-RANGE-READ',
          `key ${index + 1} of 320 in the range was changed`,
          () => ({
            preconditions: [rangeRead(space.key('k'), space.key('l'), before)],
            operations: [write(space.key('z'), 'x')],
          }),
          space,
        );
      }
    },
  },
  {
    name: 'commit/preconditions/old',
    title: 'A change is not forgotten, however many transactions followed it.',
    requirements: ['COMMIT-PRECONDITION-OLD'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const marks: { key: string; before: bigint }[] = [];
      const fillers = t.scale(400, 4000);
      const deadline = performance.now() + t.lasting(3_000, 20_000);
      for (let mark = 0; mark < 10 && performance.now() < deadline; mark += 1) {
        const key = space.key(`mark ${mark}`);
        await t.write([write(key, 'one')], space);
        const before = t.committed;
        await t.write([mark % 2 === 0 ? write(key, 'two') : removeRange(key, `${key}\x00`)], space);
        marks.push({ key, before });
        await t.each(Array.from({ length: fillers / 10 }), 16, async (_, index) => {
          if (performance.now() > deadline) return;
          const many = index % 50 === 0 ? 100 : 1;
          await t.write(
            Array.from({ length: many }, (__, one) =>
              write(space.key(`filler ${mark} ${index} ${one}`), 'x'),
            ),
            space,
          );
        });
      }
      for (const { key, before } of marks) {
        for (const precondition of [pointRead(key, before), rangeRead(key, `${key}\x00`, before)]) {
          await t.mustBeRejected(
            'COMMIT-PRECONDITION-OLD',
            `the key was read at ${before} and changed after that, about ${t.committed - before} versions ago`,
            () => ({ preconditions: [precondition], operations: [write(space.key('outcome'), 'x')] }),
            space,
          );
        }
      }
    },
  },
  {
    name: 'commit/answer/conflicts-name-the-cause',
    title: 'Of a stale and a fresh precondition, the stale one is listed.',
    requirements: ['COMMIT-ANSWER-CONFLICTS-CAUSE', 'COMMIT-ANSWER-CONFLICTS', 'COMMIT-ANSWER-CONFLICTS-ALL'],
    // A coarse server that stops at the first conflict names another one while others write.
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const key = space.key('stale');
      const stales = [
        (version: bigint): Precondition => pointRead(key, version),
        (version: bigint): Precondition => rangeRead(key, `${key}\x00`, version),
      ];
      for (const stale of stales) {
        for (const first of [true, false]) {
          await causeIsListed(t, space, (version) =>
            first
              ? [stale(version), pointRead(space.key('fresh'))]
              : [pointRead(space.key('fresh')), stale(version)],
          );
        }
      }
    },
  },
  {
    name: 'commit/answer/retry-version',
    title: 'The version of a rejection is new enough to retry with, while others write the same key.',
    requirements: [
      'COMMIT-ANSWER-RETRY-VERSION',
      'COMMIT-ANSWER-LEADER',
      'COMMIT-RETRY',
      'COMMIT-NOT-COMMITTED-CODE',
    ],
    run: async (t) => {
      const space = t.space();
      const key = space.key('k');
      const start = await t.write([write(key, 'start')], space);
      for (let round = 0; round < 5; round += 1) {
        const change = await t.write([write(key, `${round}`)], space);
        const answer = await t.mustBeRejected(
          'COMMIT-POINT-READ',
          'the key was changed',
          () => ({
            readVersion: start.version,
            preconditions: [pointRead(key)],
            operations: [write(key, 'x')],
          }),
          space,
        );
        t.check(
          'COMMIT-ANSWER-RETRY-VERSION',
          answer.leaderId !== change.leaderId || answer.version >= change.version,
          `version ${answer.version} to retry with is below the change at ${change.version} that caused the rejection`,
        );
      }
    },
  },
];

/**
 * A stale precondition beside one that holds. A conservative server that stops at the first may list the
 * other one now and then; one that never lists the cause breaks the rule.
 */
async function causeIsListed(
  t: TestContext,
  space: ReturnType<TestContext['space']>,
  preconditionsAt: (stale: bigint) => readonly Precondition[],
): Promise<void> {
  const key = space.key('stale');
  let listed = '';
  for (let tries = 0; tries < 20; tries += 1) {
    const before = await t.write([write(key, `before ${tries}`)], space);
    await t.write([write(key, `after ${tries}`)], space);
    const preconditions = preconditionsAt(before.version);
    const sentTo = await t.now();
    const answer = await t.mustBeRejected(
      'COMMIT-POINT-READ',
      'its key was changed',
      (basis) => ({
        readVersion: basis.version,
        preconditions,
        operations: [write(space.key('outcome'), 'x')],
      }),
      space,
    );
    if (answer.leaderId !== sentTo.leaderId) continue;
    const isCause = (one: Precondition): boolean =>
      one.type === 'point_read' ? one.key === key : one.begin === key;
    if (answer.conflicts.some(isCause)) return;
    listed = answer.conflicts.map((one) => one.type).join(', ');
  }
  if (listed === '') t.giveUp('the leader changed each time');
  t.check(
    'COMMIT-ANSWER-CONFLICTS-CAUSE',
    false,
    `20 times in a row, conflicts listed a precondition that held (${listed}), and not the one whose key had changed`,
  );
}
