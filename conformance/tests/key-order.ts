import { pointRead, rangeRead, removeRange, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { show } from '../wire/bytes.js';

const LONG = 'k'.repeat(80);

/**
 * Endings of keys, in byte order, that many another order confuses: signed bytes (7f, 80), UTF-16 (an astral
 * character and U+FFFF), text that is not UTF-8, base64 text (+ / 0 A a), length first, locale and case,
 * strings that end at a NUL, comparison of a prefix only.
 */
export const ENDINGS: readonly string[] = [
  '\x00',
  '\x00\x00',
  '\x00\x01',
  '\x01',
  '\x0a',
  ' ',
  '+',
  '/',
  '0',
  '10',
  '9',
  'A',
  'Z',
  '_',
  'a',
  'a\x00',
  'a\x00b',
  'aa',
  'a\xff',
  'b',
  `${LONG}a`,
  `${LONG}b`,
  `${LONG}${LONG}${LONG}a`,
  `${LONG}${LONG}${LONG}b`,
  'z',
  '\x7f',
  '\x80',
  '\xc3\xa9',
  '\xd5',
  '\xe1',
  '\xed\xa0\x80',
  '\xef\xbf\xbd',
  '\xef\xbf\xbf',
  '\xf0\x9f\x98\x80',
  '\xfe',
  '\xff',
  '\xff\x00',
  '\xff\xff',
].sort();

/** Around the lengths at which a server might cut, hash or refuse keys, in bytes. */
const LENGTHS = [64, 128, 255, 256, 257, 512, 1000, 1001, 1024, 1025, 2048, 4097];

/** Ranges around key `index` of `keys`: the narrow ones first, for they tell most. */
function rangesAround(
  t: TestContext,
  keys: readonly string[],
  index: number,
  limit: number,
): [string, string][] {
  const key = keys[index]!;
  const [below, above] = [keys[index - 1], keys[index + 1]];
  const narrow: [string, string][] = [[key, `${key}\x00`]];
  if (below !== undefined) narrow.push([below, `${key}\x00`], [`${below}\x00`, `${key}\x00`]);
  if (above !== undefined) narrow.push([key, above]);
  if (below !== undefined && above !== undefined) narrow.push([below, above]);
  const wide: [string, string][] = [];
  for (const begin of keys.slice(0, index + 1))
    for (const end of keys.slice(index + 1)) wide.push([begin, end]);
  return [...narrow, ...t.random.shuffle(wide)].filter(([begin, end]) => begin < end).slice(0, limit);
}

export const keyOrderTests: readonly Test[] = [
  {
    name: 'commit/key-order/range-reads',
    title:
      'A change of any key fails every range read that contains the key in byte order, among keys that other orders confuse.',
    requirements: ['LOG-KEY-ORDER-BYTES', 'COMMIT-RANGE-READ', 'COMMIT-PRECOND-RANGE-EMPTY'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const keys = ENDINGS.map((ending) => space.key(ending));
      await t.write(
        keys.map((key) => write(key, 'one')),
        space,
      );
      const deadline = performance.now() + t.lasting(4_000, 15_000);
      for (const index of t.random.shuffle([...keys.keys()])) {
        const key = keys[index]!;
        const before = t.committed;
        await t.write([write(key, `${index} ${t.random.below(1e9)}`)], space);
        const budget = performance.now() > deadline ? 5 : t.scale(16, 80);
        await t.each(rangesAround(t, keys, index, budget), 16, async ([begin, end]) => {
          await t.mustBeRejected(
            'LOG-KEY-ORDER-BYTES',
            `${show(key)} was written since version ${before}`,
            () => ({
              preconditions: [rangeRead(begin, end, before)],
              operations: [write(space.key('q outcome'), 'x')],
            }),
            space,
          );
        });
      }
    },
  },
  {
    name: 'commit/key-order/range-deletes',
    title: 'A range delete changes every key that exists in the range in byte order.',
    requirements: ['COMMIT-RANGE-DELETE', 'LOG-KEY-ORDER-BYTES'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const keys = ENDINGS.map((ending) => space.key(ending));
      for (let round = 0; round < t.scale(4, 16); round += 1) {
        await t.write(
          keys.map((key) => write(key, `${round}`)),
          space,
        );
        const before = t.committed;
        const first = t.random.below(keys.length - 1);
        const last = first + 1 + t.random.below(Math.min(keys.length - first - 1, 9));
        await t.write([removeRange(keys[first]!, keys[last]!)], space);
        await t.each(keys.slice(first, last), 8, async (key) => {
          await t.mustBeRejected(
            'COMMIT-RANGE-DELETE',
            `${show(key)} existed at ${before}, and [${show(keys[first]!)}, ${show(keys[last]!)}) was deleted since`,
            () => ({
              preconditions: [pointRead(key, before)],
              operations: [write(space.key('q outcome'), 'x')],
            }),
            space,
          );
        });
      }
    },
  },
  {
    name: 'commit/key-order/keys-are-told-apart',
    title: 'A change of any key fails point reads of that very key, however alike the keys are.',
    requirements: ['COMMIT-POINT-READ', 'LOG-KEY-ORDER-BYTES'],
    run: async (t) => {
      const space = t.space();
      const long = LENGTHS.flatMap((length) => {
        const key = space.key('n'.repeat(length - space.prefix.length));
        return [key, `${key.slice(0, -1)}m`];
      });
      const keys = [...ENDINGS.map((ending) => space.key(ending)), ...long];
      const few = keys.slice(0, ENDINGS.length);
      const writeAll = async (value: string): Promise<bigint> => {
        await t.write(
          few.map((key) => write(key, value)),
          space,
        );
        const { version } = await t.write(
          long.map((key) => write(key, value)),
          space,
        );
        return version;
      };
      const before = await writeAll('one');
      await writeAll('two');
      await t.each(keys, 6, async (key) => {
        await t.mustBeRejected(
          'COMMIT-POINT-READ',
          `${show(key)} was written since`,
          () => ({
            preconditions: [pointRead(key, before)],
            operations: [write(space.key('q outcome'), 'x')],
          }),
          space,
        );
      });
    },
  },
  {
    name: 'commit/key-order/precision',
    title: 'How often a change just outside a range, or of another key, causes a rejection.',
    requirements: ['COMMIT-ANSWER-STATUS', 'COMMIT-PRECOND-RANGE-END-EXCLUSIVE', 'COMMIT-PRECISION'],
    phase: 'alone',
    run: async (t) => {
      const space = t.space();
      const rejections = async (changed: string, begin: string, end: string): Promise<number> => {
        let rejected = 0;
        for (let tries = 0; tries < 4; tries += 1) {
          await t.now();
          const before = t.committed;
          await t.write([write(space.key(changed), `${t.random.below(1e9)}`)], space);
          const { answer } = await t.send(
            () => ({
              preconditions: [rangeRead(space.key(begin), space.key(end), before)],
              operations: [write(space.key('q outcome'), 'x')],
            }),
            space,
          );
          if (answer.kind === 'not_committed') rejected += 1;
        }
        return rejected;
      };
      const atEnd = await rejections('m', 'a', 'm');
      const beyond = await rejections('m\x00', 'a', 'm');
      const far = await rejections('z', 'a', 'm');
      t.saw(
        'COMMIT-PRECISION',
        `a change of the end of a range: ${atEnd} of 4 rejected; just beyond: ${beyond} of 4; far away: ${far} of 4`,
      );
      t.check(
        'COMMIT-PRECOND-RANGE-END-EXCLUSIVE',
        atEnd < 4 || beyond > 0,
        'a change of the very end of a range was rejected each time, one just beyond it never: the end is taken as part of the range',
      );
    },
  },
];
