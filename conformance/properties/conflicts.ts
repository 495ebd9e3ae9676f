import fc from 'fast-check';
import type { CommitAnswer } from '../api/answers.js';
import type { KeySpace } from '../model/key-space.js';
import { SpaceModel } from '../model/space-model.js';
import {
  type Operation,
  type Precondition,
  pointRead,
  rangeRead,
  remove,
  removeRange,
  showOperation,
  showPrecondition,
  type Transaction,
  write,
} from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import { ENDINGS } from '../tests/key-order.js';
import { show } from '../wire/bytes.js';
import { checkProperty } from './check-property.js';

/** Keys are places in the list of endings; versions are counted back from the newest known. */
interface Read {
  readonly key: number;
  /** 0 makes a point read; otherwise the range reaches over so many keys. */
  readonly width: number;
  /** 0 reads at the newest version, 1 at the one before, and so on. */
  readonly age: number;
  /** Names its version itself, rather than by read_version. */
  readonly ownVersion: boolean;
}

interface Change {
  readonly kind: 'write' | 'delete' | 'range_delete';
  readonly key: number;
  readonly width: number;
}

interface Step {
  readonly reads: readonly Read[];
  readonly changes: readonly Change[];
}

/** Transactions of one wave are sent at the same time; waves follow each other. */
type History = readonly (readonly Step[])[];

const place = fc.nat({ max: ENDINGS.length - 2 });

const read: fc.Arbitrary<Read> = fc.record({
  key: place,
  width: fc.oneof(
    { weight: 3, arbitrary: fc.constant(0) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 8 }) },
  ),
  age: fc.oneof(
    { weight: 2, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 6 }) },
  ),
  ownVersion: fc.boolean(),
});

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('write', 'write', 'delete', 'range_delete'),
  key: place,
  width: fc.integer({ min: 1, max: 8 }),
});

const step: fc.Arbitrary<Step> = fc.record({
  reads: fc.array(read, { maxLength: 3 }),
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
});

const history = (width: number): fc.Arbitrary<History> =>
  fc.array(fc.array(step, { minLength: 1, maxLength: width }), { minLength: 2, maxLength: 14 });

const at = (space: KeySpace, index: number): string =>
  space.key(ENDINGS[Math.min(index, ENDINGS.length - 1)]!);

function preconditionOf(space: KeySpace, one: Read, version: bigint | undefined): Precondition {
  return one.width === 0
    ? pointRead(at(space, one.key), version)
    : rangeRead(
        at(space, one.key),
        one.key + one.width >= ENDINGS.length ? space.end : at(space, one.key + one.width),
        version,
      );
}

function operationOf(space: KeySpace, one: Change, value: string): Operation {
  if (one.kind === 'write') return write(at(space, one.key), value);
  if (one.kind === 'delete') return remove(at(space, one.key));
  return removeRange(at(space, one.key), at(space, Math.min(one.key + one.width, ENDINGS.length - 1)));
}

/** Sends a history to the server, and replays what it committed. */
async function play(t: TestContext, waves: History): Promise<void> {
  const space = t.space();
  // Half of the keys exist from the start, so that deletes change something.
  const existing = ENDINGS.filter((_, index) => index % 2 === 0).map((ending) =>
    write(space.key(ending), 'start'),
  );
  const start = await t.write(existing, space);
  const known = [start.version];
  const committed: { version: bigint; transaction: Transaction }[] = [start];
  let unknown = false;
  for (const [turn, wave] of waves.entries()) {
    const newestFirst = [...known].sort((a, b) => (a > b ? -1 : 1));
    const versionAt = (age: number): bigint => newestFirst[Math.min(age, newestFirst.length - 1)]!;
    const answers = await Promise.all(
      wave.map(
        async ({ reads, changes }, index): Promise<{ answer: CommitAnswer; transaction: Transaction }> => {
          const shared = reads.find(({ ownVersion }) => !ownVersion);
          const transaction: Transaction = {
            leaderId: t.leaderId,
            requestId: t.requestId(),
            readVersion: versionAt(shared?.age ?? 0),
            preconditions: reads.map((one) =>
              preconditionOf(space, one, one.ownVersion || one !== shared ? versionAt(one.age) : undefined),
            ),
            operations: changes.map((one, place) => operationOf(space, one, `${turn} ${index} ${place}`)),
          };
          return { answer: await t.api.commit(transaction, space.name), transaction };
        },
      ),
    );
    for (const { answer, transaction } of answers) {
      if (answer.kind === 'committed') {
        committed.push({ version: answer.version, transaction });
        known.push(answer.version);
      } else if (answer.kind === 'unavailable') unknown = true;
      else if (answer.kind === 'refused')
        throw new Violation(
          'COMMIT-WRITE',
          `a well-formed commit was refused with ${answer.httpStatus}: ${answer.body.slice(0, 200)}`,
        );
      else if (answer.leaderId !== transaction.leaderId) await t.now();
    }
  }
  // Without the outcome of each, the state is not known; the audit at the end of the run knows it.
  if (!unknown) replay(committed);
}

/** @throws Violation where a transaction committed although one of its preconditions did not hold */
function replay(committed: readonly { version: bigint; transaction: Transaction }[]): void {
  const model = new SpaceModel();
  const inOrder = [...committed].sort((a, b) => (a.version < b.version ? -1 : 1));
  for (const { version, transaction } of inOrder) {
    const missed = model.missed(transaction.preconditions ?? [], transaction.readVersion);
    if (missed !== undefined)
      throw new Violation(
        missed.precondition.type === 'point_read' ? 'COMMIT-POINT-READ' : 'COMMIT-RANGE-READ',
        `version ${version} committed although ${show(missed.key)} had changed at version ${missed.version}: ${showPrecondition(missed.precondition, transaction.readVersion)} did not hold`,
      );
    model.apply(version, transaction.operations);
  }
}

function showHistory(t: TestContext, waves: History): string {
  const space = t.space();
  return waves
    .map((wave, turn) => {
      const lines = wave.map(({ reads, changes }) => {
        const conditions = reads.map((one) =>
          showPrecondition(preconditionOf(space, one, undefined), 0n).replace(
            / at version 0$/,
            one.age === 0 ? ' at the newest version' : ` ${one.age} versions back`,
          ),
        );
        const operations = changes.map((one) => showOperation(operationOf(space, one, '...')));
        return `${conditions.length > 0 ? `if ${conditions.join(' and ')}: ` : ''}${operations.join(', ')}`;
      });
      return `${turn + 1}. ${lines.join('\n   and at the same time: ')}`.replaceAll(space.prefix, '');
    })
    .join('\n');
}

const conflictProperty = (
  name: string,
  title: string,
  width: number,
  quick: number,
  normal: number,
): Test => ({
  name,
  title,
  requirements: [
    'LOG-SERIALIZABLE',
    'COMMIT-POINT-READ',
    'COMMIT-RANGE-READ',
    'LOG-KEY-ORDER-BYTES',
    'COMMIT-WRITE',
  ],
  phase: 'alone',
  run: (t) =>
    checkProperty(
      t,
      'a history of transactions',
      history(width),
      t.options.runs ?? t.scale(quick, normal),
      (waves) => showHistory(t, waves),
      (waves) => play(t, waves),
    ),
});

export const conflictPropertyTests: readonly Test[] = [
  conflictProperty(
    'property/conflicts',
    'Whatever transactions are sent one after the other: what commits had preconditions that held.',
    1,
    40,
    200,
  ),
  conflictProperty(
    'property/conflicts-at-once',
    'Whatever transactions are sent, several at the same time: what commits had preconditions that held.',
    6,
    25,
    120,
  ),
];
