import type { Behaviour } from './behaviour.js';
import type { Bytes } from './bytes.js';
import type { KeySpace } from './key-space.js';
import type { Operation } from './record.js';

const RANK: Readonly<Record<Operation['type'], number>> = { write: 0, delete: 1, range_delete: 2 };

/** Leaves out what a later operation on the same key overwrites. */
function compacted(operations: readonly Operation[]): readonly Operation[] {
  const later = new Set<Bytes>();
  return operations
    .toReversed()
    .filter((operation) => {
      if (operation.type === 'range_delete') return true;
      const isOverwritten = later.has(operation.key);
      later.add(operation.key);
      return !isOverwritten;
    })
    .reverse();
}

function firstOfEachKey(operations: readonly Operation[]): readonly Operation[] {
  const seen = new Set<Bytes>();
  return operations.filter((operation) => {
    if (operation.type === 'range_delete') return true;
    const isFirst = !seen.has(operation.key);
    seen.add(operation.key);
    return isFirst;
  });
}

/** Every range_delete as a delete of each key that exists when its turn comes. */
function expanded(operations: readonly Operation[], before: KeySpace): readonly Operation[] {
  const keys = before.copy();
  return operations.flatMap((operation): readonly Operation[] => {
    const deletes =
      operation.type === 'range_delete'
        ? keys.within(operation.begin, operation.end).map((key) => ({ type: 'delete', key }) as const)
        : [operation];
    keys.apply(operation);
    return deletes;
  });
}

/** Expands ranges by the keys that were there before the transaction: what it wrote itself is left. */
function expandedByStateBefore(operations: readonly Operation[], before: KeySpace): readonly Operation[] {
  return operations.flatMap((operation): readonly Operation[] =>
    operation.type === 'range_delete'
      ? before.within(operation.begin, operation.end).map((key) => ({ type: 'delete', key }))
      : [operation],
  );
}

const throughEndOf = (operation: Operation): readonly Operation[] =>
  operation.type === 'range_delete' ? [operation, { type: 'delete', key: operation.end }] : [operation];

const LONGEST = 1024;

const cut = (operation: Operation): Operation =>
  operation.type === 'write' ? { ...operation, value: operation.value.slice(0, LONGEST) } : operation;

const emptyAsDelete = (operation: Operation): Operation =>
  operation.type === 'write' && operation.value === '' ? { type: 'delete', key: operation.key } : operation;

/** The operations that the log keeps of those of a commit. @param before the keys as they were */
export function effectOf(
  operations: readonly Operation[],
  before: KeySpace,
  behaviour: Behaviour,
): readonly Operation[] {
  return behaviour.pick(() => operations, {
    'operations-compacted': () => compacted(operations),
    'range-delete-as-deletes': () => expanded(operations, before),
    'operations-sorted-by-type': () => operations.toSorted((a, b) => RANK[a.type] - RANK[b.type]),
    'operations-applied-backwards': () => operations.toReversed(),
    'first-operation-of-each-key-wins': () => firstOfEachKey(operations),
    'range-delete-expanded-by-state-before': () => expandedByStateBefore(operations, before),
    'range-delete-includes-its-end': () => operations.flatMap(throughEndOf),
    'range-delete-lost-in-log': () => operations.filter(({ type }) => type !== 'range_delete'),
    'delete-lost-in-log': () => operations.filter(({ type }) => type !== 'delete'),
    'values-cut-in-log': () => operations.map(cut),
    'empty-values-become-deletes': () => operations.map(emptyAsDelete),
    'only-64-operations-logged': () => operations.slice(0, 64),
  })();
}
