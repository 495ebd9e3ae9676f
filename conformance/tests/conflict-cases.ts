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

/** A change after which a read from before it does not hold any more. */
export interface ConflictCase {
  readonly name: string;
  readonly reads: 'point' | 'range';
  readonly requirement: string;
  /** What exists at the version that is read. */
  readonly before: (space: KeySpace) => readonly Operation[];
  /** One transaction after another. */
  readonly changes: (space: KeySpace) => readonly (readonly Operation[])[];
  readonly read: (space: KeySpace, version?: bigint) => Precondition;
}

const k = (space: KeySpace): string => space.key('k');

const pointCase = (
  name: string,
  requirement: string,
  before: ConflictCase['before'],
  changes: ConflictCase['changes'],
): ConflictCase => ({
  name,
  reads: 'point',
  requirement,
  before,
  changes,
  read: (space, version) => pointRead(k(space), version),
});

const POINT_CASES: readonly ConflictCase[] = [
  pointCase(
    'other value',
    'COMMIT-POINT-READ',
    (s) => [write(k(s), 'one')],
    (s) => [[write(k(s), 'two')]],
  ),
  pointCase(
    'value of the same length that differs in the last byte',
    'COMMIT-POINT-READ',
    (s) => [write(k(s), `${'v'.repeat(100)}\x00`)],
    (s) => [[write(k(s), `${'v'.repeat(100)}\xff`)]],
  ),
  pointCase(
    'longer value that begins with the old one',
    'COMMIT-POINT-READ',
    (s) => [write(k(s), 'one')],
    (s) => [[write(k(s), 'one\x00')]],
  ),
  pointCase(
    'came into being',
    'COMMIT-POINT-READ-EXISTENCE',
    (s) => [write(s.key('other'), 'x')],
    (s) => [[write(k(s), 'one')]],
  ),
  pointCase(
    'deleted',
    'COMMIT-POINT-READ-EXISTENCE',
    (s) => [write(k(s), 'one')],
    (s) => [[remove(k(s))]],
  ),
  pointCase(
    'deleted by range',
    'COMMIT-RANGE-DELETE',
    (s) => [write(k(s), 'one')],
    (s) => [[removeRange(s.prefix, s.end)]],
  ),
  pointCase(
    'deleted by a range that begins with it',
    'COMMIT-RANGE-DELETE',
    (s) => [write(k(s), 'one')],
    (s) => [[removeRange(k(s), s.end)]],
  ),
  pointCase(
    'deleted by a range that ends just behind it',
    'COMMIT-RANGE-DELETE',
    (s) => [write(k(s), 'one')],
    (s) => [[removeRange(s.prefix, `${k(s)}\x00`)]],
  ),
  pointCase(
    'deleted by a range of this key only',
    'COMMIT-RANGE-DELETE',
    (s) => [write(k(s), 'one')],
    (s) => [[removeRange(k(s), `${k(s)}\x00`)]],
  ),
  pointCase(
    'deleted and written again as it was',
    'COMMIT-POINT-READ-EXISTENCE',
    (s) => [write(k(s), 'one')],
    (s) => [[remove(k(s))], [write(k(s), 'one')]],
  ),
  pointCase(
    'changed and changed back',
    'COMMIT-POINT-READ',
    (s) => [write(k(s), 'one')],
    (s) => [[write(k(s), 'two')], [write(k(s), 'one')]],
  ),
  pointCase(
    'changed first, and others changed since',
    'COMMIT-POINT-READ',
    (s) => [write(k(s), 'one')],
    (s) => [
      [write(k(s), 'two')],
      [write(s.key('a'), '1')],
      [write(s.key('z'), '1')],
      [removeRange(s.key('m'), s.key('n'))],
    ],
  ),
  pointCase(
    'the last of many operations',
    'COMMIT-WRITE',
    (s) => [write(k(s), 'one')],
    (s) => [[...Array.from({ length: 60 }, (_, i) => write(s.key(`other ${i}`), 'x')), write(k(s), 'two')]],
  ),
  pointCase(
    'the first of many operations',
    'COMMIT-WRITE',
    (s) => [write(k(s), 'one')],
    (s) => [[write(k(s), 'two'), ...Array.from({ length: 60 }, (_, i) => write(s.key(`other ${i}`), 'x'))]],
  ),
  pointCase(
    'a delete among other operations',
    'COMMIT-DELETE',
    (s) => [write(k(s), 'one')],
    (s) => [[write(s.key('a'), 'x'), remove(k(s)), write(s.key('z'), 'x')]],
  ),
  pointCase(
    'written, then deleted, in one transaction',
    'COMMIT-OPERATIONS-ORDER',
    (s) => [write(k(s), 'one')],
    (s) => [[write(k(s), 'two'), remove(k(s))]],
  ),
  pointCase(
    'deleted, then written otherwise, in one transaction',
    'COMMIT-OPERATIONS-ORDER',
    (s) => [write(k(s), 'one')],
    (s) => [[remove(k(s)), write(k(s), 'two')]],
  ),
  pointCase(
    'written, then deleted by range, in one transaction',
    'COMMIT-OPERATIONS-ORDER',
    (s) => [write(k(s), 'one')],
    (s) => [[write(k(s), 'two'), removeRange(s.prefix, s.end)]],
  ),
  pointCase(
    'deleted by range, then written otherwise, in one transaction',
    'COMMIT-OPERATIONS-ORDER',
    (s) => [write(k(s), 'one')],
    (s) => [[removeRange(s.prefix, s.end), write(k(s), 'two')]],
  ),
  pointCase(
    'absent, written, then overwritten, in one transaction',
    'COMMIT-OPERATIONS-ORDER',
    (s) => [write(s.key('other'), 'x')],
    (s) => [[write(k(s), 'one'), write(k(s), 'two')]],
  ),
  pointCase(
    'the second of two range deletes',
    'COMMIT-RANGE-DELETE',
    (s) => [write(s.key('b'), '1'), write(k(s), 'one')],
    (s) => [[removeRange(s.key('a'), s.key('c')), removeRange(s.key('j'), s.key('l'))]],
  ),
  pointCase(
    'the first of two range deletes',
    'COMMIT-RANGE-DELETE',
    (s) => [write(s.key('x'), '1'), write(k(s), 'one')],
    (s) => [[removeRange(s.key('j'), s.key('l')), removeRange(s.key('w'), s.key('y'))]],
  ),
];

const rangeCase = (
  name: string,
  requirement: string,
  range: readonly [string, string],
  before: ConflictCase['before'],
  changes: ConflictCase['changes'],
): ConflictCase => ({
  name,
  reads: 'range',
  requirement,
  before,
  changes,
  read: (space, version) => rangeRead(space.key(range[0]), space.key(range[1]), version),
});

const some: ConflictCase['before'] = (s) => ['b', 'd', 'f', 'h'].map((key) => write(s.key(key), 'one'));

const RANGE_CASES: readonly ConflictCase[] = [
  rangeCase('its begin written', 'COMMIT-PRECOND-RANGE-BEGIN-INCLUSIVE', ['b', 'e'], some, (s) => [
    [write(s.key('b'), 'two')],
  ]),
  rangeCase('its begin deleted', 'COMMIT-PRECOND-RANGE-BEGIN-INCLUSIVE', ['b', 'e'], some, (s) => [
    [remove(s.key('b'))],
  ]),
  rangeCase('its begin came into being', 'COMMIT-PRECOND-RANGE-BEGIN-INCLUSIVE', ['c', 'e'], some, (s) => [
    [write(s.key('c'), 'new')],
  ]),
  rangeCase('a key inside written', 'COMMIT-RANGE-READ', ['a', 'z'], some, (s) => [
    [write(s.key('d'), 'two')],
  ]),
  rangeCase('a key inside deleted', 'COMMIT-RANGE-READ', ['a', 'z'], some, (s) => [[remove(s.key('f'))]]),
  rangeCase('a key inside came into being', 'COMMIT-RANGE-READ', ['a', 'z'], some, (s) => [
    [write(s.key('e'), 'new')],
  ]),
  rangeCase('a key came into being in an empty range', 'COMMIT-RANGE-READ', ['i', 'm'], some, (s) => [
    [write(s.key('k'), 'new')],
  ]),
  rangeCase('the last key before its end written', 'COMMIT-RANGE-READ', ['a', 'd\x00'], some, (s) => [
    [write(s.key('d'), 'two')],
  ]),
  rangeCase('a key just before its end came into being', 'COMMIT-RANGE-READ', ['a', 'd'], some, (s) => [
    [write(s.key('c\xff\xff\xff'), 'new')],
  ]),
  rangeCase('a range of one key, which was written', 'COMMIT-RANGE-READ', ['d', 'd\x00'], some, (s) => [
    [write(s.key('d'), 'two')],
  ]),
  rangeCase('a key longer than its begin came into being', 'COMMIT-RANGE-READ', ['d', 'e'], some, (s) => [
    [write(s.key('d\x00\x00long'), 'new')],
  ]),
  rangeCase('a range delete inside', 'COMMIT-RANGE-READ', ['a', 'z'], some, (s) => [
    [removeRange(s.key('c'), s.key('e'))],
  ]),
  rangeCase('a range delete of the same range', 'COMMIT-RANGE-READ', ['c', 'g'], some, (s) => [
    [removeRange(s.key('c'), s.key('g'))],
  ]),
  rangeCase('a range delete around it', 'COMMIT-RANGE-READ', ['c', 'e'], some, (s) => [
    [removeRange(s.key('a'), s.key('z'))],
  ]),
  rangeCase('a range delete over its left part', 'COMMIT-RANGE-READ', ['c', 'z'], some, (s) => [
    [removeRange(s.key('a'), s.key('e'))],
  ]),
  rangeCase('a range delete over its right part', 'COMMIT-RANGE-READ', ['a', 'g'], some, (s) => [
    [removeRange(s.key('e'), s.key('z'))],
  ]),
  rangeCase(
    'a range delete that begins with its last key',
    'COMMIT-RANGE-READ',
    ['a', 'f\x00'],
    some,
    (s) => [[removeRange(s.key('f'), s.key('z'))]],
  ),
  rangeCase(
    'a range delete that ends just behind its first key',
    'COMMIT-RANGE-READ',
    ['d', 'z'],
    some,
    (s) => [[removeRange(s.key('a'), s.key('d\x00'))]],
  ),
  rangeCase('changed and changed back', 'COMMIT-RANGE-READ', ['a', 'z'], some, (s) => [
    [write(s.key('d'), 'two')],
    [write(s.key('d'), 'one')],
  ]),
  rangeCase('deleted and written again', 'COMMIT-RANGE-READ', ['a', 'z'], some, (s) => [
    [removeRange(s.key('c'), s.key('e'))],
    [write(s.key('d'), 'one')],
  ]),
  rangeCase('came into being and was deleted', 'COMMIT-RANGE-READ', ['a', 'z'], some, (s) => [
    [write(s.key('e'), 'new')],
    [remove(s.key('e'))],
  ]),
  rangeCase('changed first, and others changed since', 'COMMIT-RANGE-READ', ['c', 'e'], some, (s) => [
    [write(s.key('d'), 'two')],
    [write(s.key('h'), 'x')],
    [removeRange(s.key('f'), s.key('g'))],
  ]),
  {
    name: 'a range that begins with the empty key',
    reads: 'range',
    requirement: 'COMMIT-RANGE-READ',
    before: some,
    changes: (s) => [[write(s.key('d'), 'two')]],
    read: (s, version) => rangeRead('', s.end, version),
  },
];

export const CONFLICT_CASES: readonly ConflictCase[] = [...POINT_CASES, ...RANGE_CASES];
