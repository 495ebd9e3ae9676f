import { KeySpace } from '../model/key-space.js';
import type { LogRecord } from '../model/log-view.js';
import { pointRead, rangeRead, removeRange, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { show, toBase64 } from '../wire/bytes.js';
import { toJson } from '../wire/json.js';
import { untilRecorded } from './until-recorded.js';

/**
 * Keys that cannot carry a prefix, so that only a log without any data may meet them: the empty one, those
 * that begin with the lowest and highest bytes, and names that plain objects of some languages have already.
 */
const KEYS = [
  '',
  '\x00',
  '\x01',
  '\x7f',
  '\x80',
  '\xff',
  '\xff\xff',
  '\xfe',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '0',
];

/** Keys across the whole range of first bytes, around what the run itself writes; some of them are numbers. */
const ACROSS = [
  '\x02a',
  '\x1fa',
  '05',
  '10',
  '1000',
  '2',
  '9',
  '\x3fa',
  '\x40a',
  '\x7fa',
  '\x81a',
  '\xbfa',
  '\xc0a',
  '\xe1a',
  '\xfda',
];

/** All keys are the run's own where the log was empty when it began, and nobody else has written. @throws Skip */
async function needLogOfOwn(t: TestContext): Promise<void> {
  if (!t.run.beganEmpty)
    t.skip('the server may have held data when the run began, which keys without a prefix might overwrite');
  const { hole } = t.run.recorder;
  if (hole !== undefined) t.skip(`others may write to the server, which cannot be told: ${hole}`);
  await untilRecorded(t, t.committed);
  const { ledger, view } = t.run.shared;
  const mark = toBase64(t.run.mark).slice(0, -4);
  const isOwn = ({ requestId, otherForms }: LogRecord): boolean =>
    ledger.byRequestId(requestId).length > 0 ||
    otherForms.every((operations) => operations.length === 0 || toJson(operations).includes(mark));
  if (!view.inOrder().every(isOwn))
    t.skip('others write to the server, whose data keys without a prefix might overwrite');
}

export const unusualKeyTests: readonly Test[] = [
  {
    name: 'commit/unusual-keys/changes-are-seen',
    title:
      'Changes of the empty key, of keys with extreme first bytes and of names with a meaning elsewhere are seen.',
    requirements: ['COMMIT-POINT-READ', 'COMMIT-RANGE-READ', 'LOG-KEY-ORDER-BYTES', 'COMMIT-EMPTY'],
    phase: 'alone',
    run: async (t) => {
      await needLogOfOwn(t);
      const space = new KeySpace('', `${t.run.mark}unusual`);
      for (const key of KEYS) {
        const { answer } = await t.send(() => ({ operations: [write(key, 'one')] }), space);
        if (key === '')
          t.saw(
            'COMMIT-EMPTY',
            `the empty key: ${answer.kind === 'refused' ? answer.httpStatus : answer.kind}`,
          );
        if (answer.kind !== 'committed') continue;
        await t.write([write(key, 'two')], space);
        for (const read of [pointRead(key, answer.version), rangeRead(key, `${key}\x00`, answer.version)]) {
          await t.mustBeRejected(
            read.type === 'point_read' ? 'COMMIT-POINT-READ' : 'COMMIT-RANGE-READ',
            `${show(key)} was changed`,
            () => ({ preconditions: [read], operations: [write(`${t.run.mark}outcome`, 'x')] }),
            space,
          );
        }
      }
    },
  },
  {
    name: 'commit/unusual-keys/ranges-over-first-bytes',
    title: 'Range reads and range deletes that reach over many first bytes miss nothing.',
    requirements: ['COMMIT-RANGE-READ', 'COMMIT-RANGE-DELETE', 'LOG-KEY-ORDER-BYTES'],
    phase: 'alone',
    run: async (t) => {
      await needLogOfOwn(t);
      const space = new KeySpace('', `${t.run.mark}across`);
      await t.write(
        ACROSS.map((key) => write(key, 'one')),
        space,
      );
      for (const [index, key] of ACROSS.entries()) {
        const before = t.committed;
        await t.write([write(key, 'two')], space);
        for (const begin of ['', ...ACROSS.slice(0, index + 1)]) {
          const end = t.random.pick([...ACROSS.slice(index + 1), '\xff']);
          await t.mustBeRejected(
            'LOG-KEY-ORDER-BYTES',
            `${show(key)} was changed`,
            () => ({
              preconditions: [rangeRead(begin, end, before)],
              operations: [write(`${t.run.mark}outcome`, 'x')],
            }),
            space,
          );
        }
      }
      // Nothing of the suite's other keys is in these ranges: they begin with a c.
      for (const [begin, end] of [
        ['\x02', '\x41'],
        ['\x7f', '\xff'],
      ] as const) {
        const before = t.committed;
        await t.write([removeRange(begin, end)], space);
        for (const key of ACROSS.filter((one) => one >= begin && one < end)) {
          await t.mustBeRejected(
            'COMMIT-RANGE-DELETE',
            `${show(key)} was deleted by a range`,
            () => ({
              preconditions: [pointRead(key, before)],
              operations: [write(`${t.run.mark}outcome`, 'x')],
            }),
            space,
          );
        }
      }
    },
  },
];
