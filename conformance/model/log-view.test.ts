import assert from 'node:assert/strict';
import { test } from 'node:test';
import { breaks } from '../testing/breaks.js';
import { asShown, eventAt } from '../testing/events.js';
import { Ledger } from './ledger.js';
import { LogView } from './log-view.js';
import { type Operation, remove, removeRange, write } from './transaction.js';

const begin = (ledger: Ledger, requestId: string, operations: readonly Operation[]) =>
  ledger.begin({ requestId, leaderId: 'A', readVersion: 0n, operations }, undefined, 'test');

test('records are found by version and by request_id, and stand in order', () => {
  const view = new LogView(new Ledger());
  view.add(eventAt(100n, 20n));
  view.add(eventAt(20n, 3n));
  view.add(eventAt(3n, 0n));
  assert.deepEqual(
    view.inOrder().map(({ version, prevVersion }) => [version, prevVersion]),
    [
      [3n, 0n],
      [20n, 3n],
      [100n, 20n],
    ],
  );
  assert.equal(view.versionOf('request 20'), 20n);
  assert.equal(view.versionOf('request 4'), undefined);
  assert.equal(view.has(3n), true);
  assert.equal(view.has(4n), false);
  assert.equal(view.get(20n)?.requestId, 'request 20');
});

test('every stream shows the same transaction at one version', () => {
  for (const [requirement, difference] of [
    ['STREAM-SAME-LOG', { requestId: 'another' }],
    ['EVENT-PREV-VERSION', { prevVersion: 2n }],
    ['EVENT-LEADER', { leaderId: 'B' }],
  ] as const) {
    const view = new LogView(new Ledger());
    view.add(eventAt(5n, 3n));
    view.add(eventAt(5n, 3n));
    breaks(requirement, () => view.add(eventAt(5n, 3n, difference)));
  }
});

test('a timestamp may differ, and that is remembered', () => {
  const view = new LogView(new Ledger());
  view.add(eventAt(5n, 3n));
  view.add(eventAt(5n, 3n));
  assert.equal(view.timestampsDiffer, false);
  view.add(eventAt(5n, 3n, { timestamp: '2026-01-31T23:59:59.124Z' }));
  assert.equal(view.timestampsDiffer, true);
});

test('no request_id stands at two versions', () => {
  const ledger = new Ledger();
  const view = new LogView(ledger);
  view.add(eventAt(5n, 3n, { requestId: 'r' }));
  breaks('LOG-ONE-VERSION-EACH', () => view.add(eventAt(6n, 5n, { requestId: 'r' })));
  begin(ledger, 'sent once', []);
  view.add(eventAt(60n, 5n, { requestId: 'sent once' }));
  breaks('LOG-ONE-VERSION-EACH', () => view.add(eventAt(61n, 60n, { requestId: 'sent once' })));
  begin(ledger, 's', []);
  begin(ledger, 's', []);
  view.add(eventAt(7n, 5n, { requestId: 's' }));
  breaks('COMMIT-REQUEST-ID-REUSED', () => view.add(eventAt(8n, 7n, { requestId: 's' })));
});

const SENT = [write('k', 'v'), remove('l'), removeRange('a', 'b')];

/** How many other forms there are of operations that were sent as SENT and shown as `operations`. */
function formsOf(...shown: readonly (readonly unknown[])[]): number {
  const ledger = new Ledger();
  begin(ledger, 'request 5', SENT);
  const view = new LogView(ledger);
  for (const operations of shown) view.add(eventAt(5n, 3n, { operations }));
  return view.get(5n)!.otherForms.length;
}

test('operations that are shown as they were sent are no other form', () => {
  assert.equal(formsOf(asShown(SENT)), 0);
  assert.equal(formsOf(asShown(SENT).map((one) => ({ extra: 1, ...(one as object) }))), 0);
});

test('every other form is kept once', () => {
  assert.equal(formsOf(asShown([write('k', 'v')])), 1);
  assert.equal(formsOf([], [], asShown(SENT), []), 1);
  assert.equal(formsOf([], [1], [2]), 3);
  for (const other of [
    [...SENT, remove('l')],
    SENT.toReversed(),
    [write('k', 'w'), SENT[1]!, SENT[2]!],
    [write('j', 'v'), SENT[1]!, SENT[2]!],
    [SENT[0]!, remove('m'), SENT[2]!],
    [SENT[0]!, SENT[1]!, removeRange('a', 'c')],
    [SENT[0]!, SENT[1]!, removeRange('b', 'b')],
    [SENT[0]!, write('l', ''), SENT[2]!],
  ])
    assert.equal(formsOf(asShown(other)), 1);
});

test('of a request_id that was sent several times, any content will do', () => {
  const ledger = new Ledger();
  begin(ledger, 'request 5', [remove('other')]);
  begin(ledger, 'request 5', SENT);
  const view = new LogView(ledger);
  view.add(eventAt(5n, 3n, { operations: asShown(SENT) }));
  assert.equal(view.get(5n)?.otherForms.length, 0);
});
