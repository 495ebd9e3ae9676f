import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpaceModel } from './space-model.js';
import { type Operation, pointRead, rangeRead, remove, removeRange, write } from './transaction.js';

/** A model after one transaction for each element, at versions 10, 20, 30 and so on. */
function modelOf(...transactions: readonly (readonly Operation[])[]): SpaceModel {
  const model = new SpaceModel();
  for (const [index, operations] of transactions.entries()) model.apply(BigInt(index + 1) * 10n, operations);
  return model;
}

test('the state is what the operations leave', () => {
  const model = modelOf(
    [write('a', '1'), write('b', '1'), write('c', '')],
    [write('a', '2'), remove('b'), remove('x')],
  );
  assert.deepEqual(
    [...model.state],
    [
      ['a', '2'],
      ['c', ''],
    ],
  );
});

test('apply names the keys whose content differs afterwards', () => {
  const model = modelOf([write('a', '1'), write('b', '1')]);
  assert.deepEqual(
    model.apply(20n, [write('a', '1'), write('b', '2'), write('c', ''), remove('d')]),
    ['b', 'c'],
    'an empty value is a value; the same value and a delete of nothing are no change',
  );
});

test('what a transaction takes back is no change', () => {
  const model = modelOf([write('a', '1')]);
  assert.deepEqual(model.apply(20n, [write('a', '2'), write('a', '1')]), []);
  assert.deepEqual(model.apply(30n, [remove('a'), write('a', '1')]), []);
  assert.deepEqual(model.apply(40n, [write('b', '1'), remove('b')]), []);
  assert.deepEqual(model.apply(50n, [removeRange('a', 'z'), write('a', '1')]), []);
  assert.equal(model.missed([rangeRead('', '\xff')], 10n), undefined);
});

test('what a later transaction takes back was changed all the same', () => {
  const model = modelOf([write('a', '1')], [write('a', '2')], [write('a', '1')]);
  assert.equal(model.missed([pointRead('a')], 10n)?.version, 20n);
  assert.equal(model.missed([pointRead('a')], 20n)?.version, 30n);
  assert.equal(model.missed([pointRead('a')], 30n), undefined);
});

test('a range delete removes what exists, and what the transaction itself wrote before', () => {
  const model = modelOf([write('a', '1'), write('b', '1'), write('d', '1')]);
  const operations = [write('bb', '2'), removeRange('b', 'd'), write('c', '3')];
  assert.deepEqual(
    model.effect(operations),
    new Map([
      ['bb', undefined],
      ['b', undefined],
      ['c', '3'],
    ]),
  );
  assert.deepEqual(model.apply(20n, operations), ['b', 'c']);
  assert.deepEqual([...model.state.keys()].sort(), ['a', 'c', 'd']);
});

test('a range delete takes its begin and not its end, by bytes', () => {
  const keys = ['a', 'a\x00', 'a\xff', 'b', 'b\x00', '\x80'];
  const model = modelOf(keys.map((key) => write(key, '1')));
  assert.deepEqual([...model.effect([removeRange('a\x00', 'b')]).keys()], ['a\x00', 'a\xff']);
  assert.deepEqual([...model.effect([removeRange('b', 'b')]).keys()], []);
  assert.deepEqual([...model.effect([removeRange('c', 'a')]).keys()], []);
  assert.deepEqual([...model.effect([removeRange('b', '\xff')]).keys()], ['b', 'b\x00', '\x80']);
});

test('effect leaves the model as it is', () => {
  const model = modelOf([write('a', '1')]);
  model.effect([removeRange('a', 'z'), write('b', '1')]);
  assert.deepEqual([...model.state], [['a', '1']]);
  assert.equal(model.missed([rangeRead('', '\xff')], 10n), undefined);
});

test('a point read misses a change, a creation and a deletion of its own key above its version', () => {
  const model = modelOf([write('a', '1')], [write('b', '1')], [remove('a')]);
  assert.equal(model.missed([pointRead('a')], 0n)?.version, 10n);
  assert.equal(model.missed([pointRead('a')], 9n)?.version, 10n);
  assert.equal(model.missed([pointRead('a')], 10n)?.version, 30n);
  assert.equal(model.missed([pointRead('a')], 30n), undefined);
  assert.equal(model.missed([pointRead('b')], 20n), undefined);
  assert.equal(model.missed([pointRead('c')], 0n), undefined);
});

test('a range read misses changes from its begin up to, not including, its end', () => {
  const model = modelOf([write('a', '1'), write('b', '1'), write('c', '1')], [write('b', '2')]);
  assert.deepEqual(model.missed([rangeRead('b', 'c')], 10n), {
    precondition: rangeRead('b', 'c'),
    key: 'b',
    version: 20n,
  });
  assert.equal(model.missed([rangeRead('a', 'b')], 10n), undefined);
  assert.equal(model.missed([rangeRead('b\x00', 'd')], 10n), undefined);
  assert.equal(model.missed([rangeRead('a', 'b\x00')], 10n)?.key, 'b');
  assert.equal(model.missed([rangeRead('c', 'd')], 0n)?.key, 'c');
});

test('a deleted key is in the ranges that held it', () => {
  const model = modelOf([write('a', '1')], [removeRange('a', 'b')]);
  assert.equal(model.missed([rangeRead('a', 'b')], 10n)?.version, 20n);
});

test('a precondition is checked at its own version, or else at the read_version', () => {
  const model = modelOf([write('a', '1')], [write('a', '2')]);
  assert.equal(model.missed([pointRead('a', 20n)], 0n), undefined);
  assert.equal(model.missed([pointRead('a', 10n)], 20n)?.version, 20n);
  assert.equal(model.missed([rangeRead('a', 'b', 20n)], 0n), undefined);
  assert.equal(model.missed([rangeRead('a', 'b', 0n)], 20n)?.version, 10n);
});

test('any precondition that misses a change counts, and no others', () => {
  const model = modelOf([write('a', '1')], [write('b', '1')]);
  assert.deepEqual(model.missed([pointRead('x'), pointRead('b'), pointRead('a')], 10n)?.key, 'b');
  assert.equal(model.missed([], 0n), undefined);
  assert.equal(model.missed([pointRead('x'), pointRead('a')], 10n), undefined);
});

test('changes above a limit do not count', () => {
  const model = modelOf([write('a', '1')], [write('a', '2')], [write('a', '3')]);
  assert.equal(model.missed([pointRead('a')], 10n, 19n), undefined);
  assert.equal(model.missed([pointRead('a')], 10n, 20n)?.version, 20n);
  assert.equal(model.missed([rangeRead('a', 'b')], 20n, 29n), undefined);
  assert.equal(model.missed([rangeRead('a', 'b')], 20n, 30n)?.version, 30n);
});
