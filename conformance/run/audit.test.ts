import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outcome } from '../model/ledger.js';
import { Ledger } from '../model/ledger.js';
import { type LogEvent, LogView } from '../model/log-view.js';
import {
  type Operation,
  pointRead,
  rangeRead,
  remove,
  removeRange,
  type Transaction,
  write,
} from '../model/transaction.js';
import { asShown, eventAt } from '../testing/events.js';
import { auditOf } from './audit.js';
import type { Run } from './test-context.js';
import { Violation } from './violation.js';

const START = 5n;

/** A run whose ledger and log a test makes by hand. */
class History {
  readonly ledger = new Ledger();
  readonly view = new LogView(this.ledger);
  readonly observations: string[] = [];
  /** What the recorder found. */
  violations: Violation[] = [];
  hole: string | undefined;
  last: bigint | undefined;
  #sent = 0;
  #streamed = START;

  /** Sends a transaction; what is left out is made up. */
  send(transaction: Partial<Transaction>, space: string | undefined = 'space') {
    this.#sent += 1;
    return this.ledger.begin(
      { requestId: `r${this.#sent}`, leaderId: 'A', readVersion: START, operations: [], ...transaction },
      space,
      'a/test',
    );
  }

  /** Streams a transaction behind those before. */
  stream(version: bigint, requestId: string, operations: readonly unknown[], rest: Partial<LogEvent> = {}) {
    this.view.add(eventAt(version, this.#streamed, { requestId, operations, ...rest }));
    this.#streamed = version;
  }

  /** Sends, commits and streams a transaction. */
  commit(version: bigint, transaction: Partial<Transaction>, shown?: readonly unknown[]): void {
    const attempt = this.send(transaction);
    const { requestId, operations } = attempt.transaction;
    this.stream(version, requestId!, shown ?? asShown(operations));
    this.ledger.settle(attempt, { kind: 'committed', version, leaderId: 'A' });
  }

  /** Sends a transaction that is answered otherwise. */
  answer(transaction: Partial<Transaction>, outcome: Outcome): void {
    this.ledger.settle(this.send(transaction), outcome);
  }

  audit() {
    const run = {
      shared: {
        ledger: this.ledger,
        view: this.view,
        saw: (requirement: string, text: string) => this.observations.push(`${requirement}: ${text}`),
      },
      startVersion: START,
      recorder: {
        violations: this.violations,
        hole: this.hole,
        last: this.last ?? this.#streamed,
      },
    } as unknown as Run;
    return auditOf(run);
  }

  broken(): string[] {
    return this.audit().violations.map(({ requirement }) => requirement);
  }
}

const REJECTED = { kind: 'not_committed', leaderChanged: false } as const;
const write1 = (key: string): readonly Operation[] => [write(key, '1')];

test('a history in which all is well', () => {
  const history = new History();
  history.commit(6n, { operations: write1('a') });
  history.commit(8n, { operations: [write('a', '2')], preconditions: [pointRead('a')], readVersion: 6n });
  history.answer({ operations: write1('b'), preconditions: [pointRead('a')], readVersion: 6n }, REJECTED);
  history.answer({ operations: write1('b') }, { kind: 'refused', status: 400 });
  history.answer({ operations: write1('b') }, { kind: 'unknown' });
  history.send({});
  const { violations, replayed, precision } = history.audit();
  assert.deepEqual(violations, []);
  assert.equal(replayed, 2);
  assert.deepEqual(precision, { committed: 1, rejected: 1, rejectedWithoutNeed: 0 });
  assert.deepEqual(history.observations, []);
});

test('what the recorder found comes first', () => {
  const history = new History();
  history.violations = [new Violation('EVENT-FIELDS', 'x')];
  history.answer({ requestId: 'x' }, { kind: 'committed', version: 5n, leaderId: 'A' });
  assert.deepEqual(history.broken(), ['EVENT-FIELDS', 'STREAM-COMPLETE']);
});

test('a commit whose precondition did not hold', () => {
  for (const [preconditions, readVersion, holds] of [
    [[pointRead('a')], 6n, false],
    [[pointRead('a')], 7n, true],
    [[pointRead('a', 6n)], 7n, false],
    [[pointRead('a', 7n)], 6n, true],
    [[rangeRead('a', 'b')], 6n, false],
    [[rangeRead('a\x00', 'b')], 6n, true],
    [[pointRead('b'), pointRead('a')], 6n, false],
    [[pointRead('b')], 0n, true],
    [[], 0n, true],
  ] as const) {
    const history = new History();
    history.commit(6n, { operations: write1('a') });
    history.commit(7n, { operations: [write('a', '2')] });
    history.commit(8n, { preconditions, readVersion });
    assert.deepEqual(
      history.broken(),
      holds ? [] : ['LOG-SERIALIZABLE'],
      JSON.stringify(String(readVersion)),
    );
  }
});

test('a transaction does not break its own preconditions, and no change does in another space', () => {
  const history = new History();
  history.commit(6n, { operations: write1('a'), preconditions: [pointRead('a')] });
  const other = history.send({ operations: [write('b', '2')] }, 'other');
  history.stream(7n, other.transaction.requestId!, asShown(other.transaction.operations));
  history.commit(8n, { preconditions: [pointRead('b')], readVersion: START });
  assert.deepEqual(history.broken(), []);
});

test('the log counts, not the order of the answers', () => {
  const history = new History();
  const late = history.send({ operations: write1('a') });
  const reader = history.send({ preconditions: [pointRead('a')] });
  history.ledger.settle(reader, { kind: 'committed', version: 7n, leaderId: 'A' });
  history.ledger.settle(late, { kind: 'committed', version: 6n, leaderId: 'A' });
  history.stream(6n, late.transaction.requestId!, asShown(late.transaction.operations));
  history.stream(7n, reader.transaction.requestId!, []);
  assert.deepEqual(history.broken(), ['LOG-SERIALIZABLE']);
});

test('what was never answered changes keys if the log has it', () => {
  for (const inLog of [true, false]) {
    const history = new History();
    history.answer({ requestId: 'lost', operations: write1('a') }, { kind: 'unknown' });
    if (inLog) history.stream(6n, 'lost', asShown(write1('a')));
    history.commit(7n, { preconditions: [pointRead('a')] });
    assert.deepEqual(history.broken(), inLog ? ['LOG-SERIALIZABLE'] : []);
  }
});

test('a commit that was answered and is not in the log', () => {
  const history = new History();
  history.commit(6n, {});
  history.answer({}, { kind: 'committed', version: 7n, leaderId: 'A' });
  assert.deepEqual(history.broken(), [], 'the record does not reach so far');
  history.commit(8n, {});
  assert.deepEqual(history.broken(), ['STREAM-COMPLETE']);
  history.hole = 'truncated';
  assert.deepEqual(history.broken(), [], 'the record has a hole');
});

test('a commit that the log has at another version than was answered', () => {
  const history = new History();
  history.answer({ requestId: 'x' }, { kind: 'committed', version: 7n, leaderId: 'A' });
  history.stream(6n, 'x', []);
  assert.deepEqual(history.broken(), ['COMMIT-ANSWER-VERSION']);
});

test('what was rejected or refused, and shows up', () => {
  for (const [outcome, requirement] of [
    [REJECTED, 'COMMIT-REJECTED-NO-EFFECT'],
    [{ kind: 'not_committed', leaderChanged: true }, 'COMMIT-REJECTED-NO-EFFECT'],
    [{ kind: 'refused', status: 400 }, 'COMMIT-MALFORMED-NO-EFFECT'],
  ] as const) {
    const history = new History();
    history.answer({ requestId: 'x' }, outcome);
    assert.deepEqual(history.broken(), []);
    history.stream(6n, 'x', []);
    assert.deepEqual(history.broken(), [requirement]);
  }
});

test('a request_id that was used again may be in the log by its other use', () => {
  for (const other of [{ kind: 'committed', version: 6n, leaderId: 'A' }, { kind: 'unknown' }] as const) {
    const history = new History();
    history.answer({ requestId: 'x' }, other);
    history.stream(6n, 'x', []);
    history.answer({ requestId: 'x' }, { kind: 'refused', status: 400 });
    history.answer({ requestId: 'x' }, REJECTED);
    assert.deepEqual(history.broken(), []);
  }
});

test('an answer that is repeated belongs to the transaction that committed', () => {
  const history = new History();
  history.commit(6n, { requestId: 'x', operations: write1('a') });
  history.answer(
    { requestId: 'x', operations: write1('b'), preconditions: [pointRead('c')] },
    { kind: 'committed', version: 6n, leaderId: 'A' },
  );
  history.commit(7n, { preconditions: [pointRead('b')], readVersion: START });
  assert.deepEqual(history.broken(), []);
  history.commit(8n, { preconditions: [pointRead('a')], readVersion: START });
  assert.deepEqual(history.broken(), ['LOG-SERIALIZABLE']);
});

test('what was rejected first, and then sent again without an answer, is what was sent again', () => {
  const history = new History();
  history.answer(
    { requestId: 'x', operations: write1('a'), preconditions: [pointRead('a')], readVersion: START },
    REJECTED,
  );
  history.answer({ requestId: 'x', operations: write1('b') }, { kind: 'unknown' });
  history.stream(6n, 'x', asShown(write1('b')));
  history.commit(7n, { preconditions: [pointRead('a')], readVersion: START });
  assert.deepEqual(history.broken(), []);
  history.commit(8n, { preconditions: [pointRead('b')], readVersion: START });
  assert.deepEqual(history.broken(), ['LOG-SERIALIZABLE']);
});

test('one version that was answered to two commits', () => {
  const two = (one: Partial<Transaction>, other: Partial<Transaction>): string[] => {
    const history = new History();
    for (const transaction of [one, other])
      history.answer(transaction, { kind: 'committed', version: 6n, leaderId: 'A' });
    history.stream(6n, '7f1d0c9e-3b52-4b0a-9f3e-000000000000', []);
    return history.broken().filter((requirement) => requirement === 'LOG-ONE-VERSION-EACH');
  };
  assert.deepEqual(two({ requestId: 'x' }, { requestId: 'y' }), ['LOG-ONE-VERSION-EACH']);
  assert.deepEqual(two({ requestId: 'x' }, { requestId: 'x' }), []);
  // Without an id, no two requests are the same.
  const anonymous = new History();
  for (let count = 0; count < 2; count += 1) {
    const attempt = anonymous.ledger.begin(
      { leaderId: 'A', readVersion: START, operations: [] },
      'space',
      'a/test',
    );
    anonymous.ledger.settle(attempt, { kind: 'committed', version: 6n, leaderId: 'A' });
  }
  anonymous.stream(6n, '7f1d0c9e-3b52-4b0a-9f3e-000000000000', []);
  assert.deepEqual(anonymous.broken(), ['LOG-ONE-VERSION-EACH']);
});

test('a version that the log gives to another request', () => {
  const history = new History();
  history.answer({ requestId: 'x' }, { kind: 'committed', version: 6n, leaderId: 'A' });
  history.stream(6n, 'y', []);
  assert.deepEqual(history.broken(), ['EVENT-REQUEST-ID']);
});

test('a leader that the log names otherwise', () => {
  const history = new History();
  history.answer({ requestId: 'x' }, { kind: 'committed', version: 6n, leaderId: 'A' });
  history.stream(6n, 'x', [], { leaderId: 'B' });
  assert.deepEqual(history.broken(), ['EVENT-LEADER']);
});

test('a commit without request_id has a UUID in the log', () => {
  for (const [requestId, isUuid] of [
    ['7f1d0c9e-3b52-4b0a-9f3e-0123456789ab', true],
    ['7F1D0C9E-3B52-4B0A-9F3E-0123456789AB', true],
    ['7f1d0c9e3b524b0a9f3e0123456789ab', false],
    ['7f1d0c9e-3b52-4b0a-9f3e-0123456789abc', false],
    ['', false],
  ] as const) {
    const history = new History();
    const attempt = history.ledger.begin(
      { leaderId: 'A', readVersion: START, operations: [] },
      'space',
      'a/test',
    );
    history.ledger.settle(attempt, { kind: 'committed', version: 6n, leaderId: 'A' });
    history.stream(6n, requestId, []);
    assert.deepEqual(history.broken(), isUuid ? [] : ['COMMIT-REQUEST-ID-GENERATED'], requestId);
  }
});

const chained = (...records: readonly (readonly [bigint, bigint])[]): History => {
  const history = new History();
  for (const [version, prev] of records) history.view.add(eventAt(version, prev));
  history.last = records.at(-1)![0];
  return history;
};

test('the log is one chain, from the beginning of the run on', () => {
  assert.deepEqual(chained([7n, 5n], [9n, 7n]).broken(), []);
  assert.deepEqual(chained([7n, 3n], [9n, 7n]).broken(), [], 'the run may begin between two transactions');
  assert.deepEqual(chained([3n, 1n], [4n, 2n], [7n, 4n]).broken(), [], 'what was before does not count');
  assert.deepEqual(chained([7n, 6n]).broken(), ['STREAM-COMPLETE']);
  assert.deepEqual(chained([7n, 5n], [9n, 8n]).broken(), ['STREAM-COMPLETE']);
  assert.deepEqual(chained([7n, 5n], [9n, 5n]).broken(), ['EVENT-PREV-VERSION']);
});

test('what the recorder has not read, or has not read as a whole, is no chain', () => {
  const unread = chained([7n, 5n], [9n, 8n]);
  unread.last = 7n;
  assert.deepEqual(unread.broken(), []);
  const holed = chained([7n, 5n], [9n, 8n]);
  holed.hole = 'truncated';
  assert.deepEqual(holed.broken(), []);
});

/** Streams what had been sent as `sent` as `shown`, where a, b and m exist. */
function shownAs(sent: readonly Operation[], shown: readonly unknown[]): History {
  const history = new History();
  history.commit(6n, { operations: [write('a', '1'), write('b', '1'), write('m', '1')] });
  history.commit(7n, { operations: sent }, shown);
  return history;
}

test('operations that are streamed in another form have the same effect', () => {
  for (const [sent, shown] of [
    [[write('a', '2'), write('a', '3')], [write('a', '3')]],
    [[removeRange('a', 'c')], [remove('b'), remove('a')]],
    [[removeRange('a', 'c')], [removeRange('a', 'b\x00')]],
    [[write('a', '1')], []],
    [[remove('x')], []],
    [[], [write('a', '1')]],
    [
      [write('x', '1'), removeRange('m', 'z')],
      [remove('m'), remove('x')],
    ],
  ] as const) {
    const history = shownAs(sent, asShown(shown));
    assert.deepEqual(history.broken(), []);
    assert.deepEqual(history.observations, [
      'EVENT-OPERATIONS-SHAPE: not always the operations as they were sent',
    ]);
  }
});

test('operations that are streamed with another effect are told', () => {
  for (const [sent, shown] of [
    [[write('a', '2'), write('a', '3')], [write('a', '2')]],
    [[write('a', '2')], []],
    [[write('x', '')], []],
    [[remove('a')], [write('a', '')]],
    [[removeRange('a', 'c')], [remove('a')]],
    [[removeRange('a', 'b')], [removeRange('a', 'c')]],
    [[write('a', '2')], [write('a', '2'), remove('m')]],
    [
      [write('b', '2'), removeRange('a', 'c')],
      [removeRange('a', 'c'), write('b', '2')],
    ],
  ] as const)
    assert.deepEqual(shownAs(sent, asShown(shown)).broken(), ['EVENT-OPERATIONS']);
});

test('what is streamed does not change what was committed', () => {
  const history = shownAs([write('a', '2')], []);
  history.commit(8n, { preconditions: [pointRead('a')], readVersion: 6n });
  assert.deepEqual(history.broken(), ['EVENT-OPERATIONS', 'LOG-SERIALIZABLE']);
});

test('base64 that is none is told, and a shape of its own is recorded', () => {
  assert.deepEqual(shownAs(write1('a'), [{ type: 'delete', key: 'YQ' }]).broken(), ['ENCODING-BASE64']);
  const own = shownAs(write1('a'), [{ set: ['a', '1'] }]);
  assert.deepEqual(own.broken(), []);
  assert.deepEqual(own.observations, [
    'EVENT-OPERATIONS-SHAPE: elements of a shape of their own: [{"set":["a","1"]}]',
  ]);
});

test('a transaction that belongs to no space is not replayed', () => {
  const history = new History();
  for (const [version, transaction] of [
    [6n, { operations: write1('a') }],
    [7n, { operations: [], preconditions: [pointRead('a')] }],
  ] as const) {
    const requestId = `${version}`;
    const attempt = history.ledger.begin(
      { requestId, leaderId: 'A', readVersion: START, ...transaction },
      undefined,
      'a/test',
    );
    history.ledger.settle(attempt, { kind: 'committed', version, leaderId: 'A' });
    history.stream(version, requestId, asShown(transaction.operations));
  }
  assert.deepEqual(history.broken(), []);
});

test('a cause may have a higher version than what was sent after it', () => {
  const history = new History();
  history.commit(6n, { operations: write1('a') });
  const cause = history.send({ operations: [write('a', '2')] });
  const other = history.send({ operations: write1('b') });
  history.answer({ preconditions: [pointRead('a')], readVersion: 6n }, REJECTED);
  for (const [version, { transaction }] of [
    [7n, other],
    [8n, cause],
  ] as const)
    history.stream(version, transaction.requestId!, asShown(transaction.operations));
  assert.deepEqual(history.audit().precision, { committed: 0, rejected: 1, rejectedWithoutNeed: 0 });
});

test('rejections are counted, and those that were not needed', () => {
  const history = new History();
  history.commit(6n, { operations: write1('a') });
  const read = { preconditions: [pointRead('a')] };
  history.answer({ ...read, readVersion: START }, REJECTED);
  history.answer({ ...read, readVersion: 6n }, REJECTED);
  // What is sent before the rejection is answered may be the cause.
  const early = history.send({ ...read, readVersion: 6n });
  const cause = history.send({ operations: [write('a', '2')] });
  history.ledger.settle(early, REJECTED);
  history.stream(7n, cause.transaction.requestId!, asShown(cause.transaction.operations));
  history.ledger.settle(cause, { kind: 'committed', version: 7n, leaderId: 'A' });
  history.answer({ ...read, readVersion: 7n }, REJECTED);
  // What is sent afterwards is not.
  history.commit(8n, { operations: [write('a', '3')] });
  assert.deepEqual(history.audit().precision, { committed: 0, rejected: 4, rejectedWithoutNeed: 2 });
  history.answer({ ...read, readVersion: 8n }, { kind: 'not_committed', leaderChanged: true });
  history.answer({ preconditions: [], readVersion: 8n }, REJECTED);
  history.ledger.settle(history.send({ ...read, readVersion: 8n }, 'another space'), REJECTED);
  history.commit(9n, { ...read, readVersion: 8n });
  assert.deepEqual(history.audit().precision, { committed: 1, rejected: 4, rejectedWithoutNeed: 2 });
});
